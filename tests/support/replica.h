// A streaming replica of a PrivateServer, made by pg_basebackup, which can be
// promoted when the primary is gone.
//
//   PrivateServer primary({"wal_level=replica", ...});
//   Replica replica(primary);
//   Crash(primary);
//   replica.Promote();
//
// Ends with this object, or with the process.
#pragma once

#include <memory>
#include <string>

#include "tests/support/postgres.h"

namespace fluxnetes::testing {

// Kills the server in the middle of its work.
void Crash(const PrivateServer& server);

class Replica {
 public:
  // Copies the primary's data; its application_name is "replica", which
  // synchronous_standby_names may list.
  explicit Replica(const PrivateServer& primary);

  // Makes it accept writes from now on.
  void Promote();

  const std::string& connection() const { return server_.connection(); }
  const std::string& folder() const { return server_.folder(); }

 private:
  PrivateServer server_;
};

}  // namespace fluxnetes::testing
