#include "services/database/change_bell.h"

#include <string>

namespace fluxnetes::services {
namespace {

sql::PoolOptions OneConnection(sql::PoolOptions options) {
  options.catalogues.clear();
  options.max_connections = 1;
  return options;
}

}  // namespace

ChangeBell::ChangeBell(const sql::PoolOptions& database)
    : listener_(OneConnection(database)) {
  for (const char* channel : {"jobs", "match"})
    listener_.On(channel, [this](const std::string&) { rung_ = true; });
  listener_.Start();
}

ChangeBell::~ChangeBell() { listener_.Stop(); }

}  // namespace fluxnetes::services
