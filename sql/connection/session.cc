#include "sql/connection/session.h"

namespace fluxnetes::sql {

Session::Session(const std::string& options)
    : pqxx::connection_base(policy_), policy_(options) {
  init();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  // Otherwise libpqxx reconnects silently, without settings and prepared
  // queries.
  inhibit_reactivation(true);
#pragma GCC diagnostic pop
}

Session::~Session() { close(); }

}  // namespace fluxnetes::sql
