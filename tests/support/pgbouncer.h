// A private pgbouncer in front of a PostgreSQL server, in transaction pooling
// mode: each transaction runs on any free connection, no session state
// survives, and prepared queries are not supported.
//
//   if (!PgBouncer::IsInstalled()) GTEST_SKIP() << PgBouncer::kMissing;
//   PgBouncer proxy(server.folder());
//
// Ends with this object or with the thread that created it.
#pragma once

#include <memory>
#include <string>

#include "tests/support/process.h"

namespace fluxnetes::testing {

class PgBouncer {
 public:
  static constexpr auto kMissing =
      "pgbouncer is not installed; `hack/install test` installs it";
  static bool IsInstalled();

  // Opens up to `connections` to the server whose socket is in `server_folder`.
  explicit PgBouncer(const std::string& server_folder, int connections = 4);
  ~PgBouncer();
  PgBouncer(const PgBouncer&) = delete;
  PgBouncer& operator=(const PgBouncer&) = delete;

  const std::string& connection() const { return connection_; }

 private:
  std::string folder_;
  std::string connection_;
  std::unique_ptr<Process> process_;
};

}  // namespace fluxnetes::testing
