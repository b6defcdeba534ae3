// A streaming replica of a PrivateServer, made by pg_basebackup, which can be
// promoted when that one is gone.
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

// Ends the server in the middle of whatever it does.
void Crash(const PrivateServer& server);

class Replica {
 public:
  // Asks the primary for its data; application_name is "replica", which
  // synchronous_standby_names may name.
  explicit Replica(const PrivateServer& primary);

  // Takes changes from now on.
  void Promote();

  const std::string& connection() const { return server_.connection(); }
  const std::string& folder() const { return server_.folder(); }

 private:
  PrivateServer server_;
};

}  // namespace fluxnetes::testing
