#include "tests/support/replica.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace fluxnetes::testing {
namespace {

constexpr auto kBin = "/usr/lib/postgresql/15/bin";

// Runs a command as the owner of the servers.
void RunAsOwner(const std::string& command) {
  const std::string as_owner =
      geteuid() == 0 ? "setpriv --reuid postgres --regid postgres "
                       "--init-groups --inh-caps -all -- "
                     : "";
  if (std::system((as_owner + command).c_str()) != 0)
    throw std::runtime_error("failed: " + command);
}

// Made by hack/postgres, stopped, and its data replaced by the primary's.
std::vector<std::string> Settings() { return {"fsync=off", "hot_standby=on"}; }

}  // namespace

Replica::Replica(const PrivateServer& primary) : server_(Settings()) {
  server_.Stop();
  const std::string data = server_.folder() + "/data";
  RunAsOwner(fmt::format("rm -rf '{}'", data));
  RunAsOwner(fmt::format(
      "{}/pg_basebackup -D '{}' -R -X stream -c fast "
      "-d 'host={} user=postgres application_name=replica' >/dev/null",
      kBin, data, primary.folder()));
  server_.Start();
}

void Crash(const PrivateServer& server) {
  RunAsOwner(
      fmt::format("{}/pg_ctl -s -w -t 120 -D '{}/data' -m immediate stop", kBin,
                  server.folder()));
}

void Replica::Promote() {
  RunAsOwner(fmt::format("{}/pg_ctl -s -w -t 120 -D '{}/data' promote", kBin,
                         server_.folder()));
}

}  // namespace fluxnetes::testing
