#include "tests/support/pgbouncer.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace fluxnetes::testing {
namespace {

constexpr auto kProgram = "/usr/sbin/pgbouncer";

// pgbouncer refuses to run as root, so it runs as the owner of the server.
std::vector<std::string> Command(const std::string& settings) {
  if (geteuid() != 0) return {kProgram, settings};
  return {kProgram, "-u", "postgres", settings};
}

void GiveToServersOwner(const std::string& folder) {
  if (geteuid() != 0) return;
  const passwd* const owner = getpwnam("postgres");
  if (owner == nullptr || chown(folder.c_str(), owner->pw_uid, -1) != 0)
    throw std::runtime_error("cannot give " + folder + " to postgres");
}

// The socket file exists before the server listens on it.
bool IsHeard(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) throw std::runtime_error("no socket to reach pgbouncer by");
  const bool heard =
      connect(socket, reinterpret_cast<const sockaddr*>(&address),
              sizeof address) == 0;
  close(socket);
  return heard;
}

}  // namespace

bool PgBouncer::IsInstalled() { return access(kProgram, X_OK) == 0; }

PgBouncer::PgBouncer(const std::string& server_folder, int connections) {
  std::string folder =
      std::filesystem::temp_directory_path() / "fluxnetes-bouncer.XXXXXX";
  if (mkdtemp(folder.data()) == nullptr)
    throw std::runtime_error("cannot make a folder like " + folder);
  folder_ = folder;
  const std::string settings = folder_ + "/pgbouncer.ini";
  std::ofstream(settings) << fmt::format(
      "[databases]\n"
      "fluxnetes = host={} port=5432 dbname=fluxnetes user=postgres\n"
      "[pgbouncer]\n"
      "listen_addr =\n"
      "listen_port = 5432\n"
      "unix_socket_dir = {}\n"
      "auth_type = any\n"
      "pool_mode = transaction\n"
      "default_pool_size = {}\n"
      "max_client_conn = 500\n",
      server_folder, folder_, connections);
  GiveToServersOwner(folder_);
  const std::string log = folder_ + "/log";
  process_ = std::make_unique<Process>(
      Command(settings), std::map<std::string, std::string>{}, log);
  if (!WaitUntil(std::chrono::seconds(60),
                 [&] {
                   return process_->HasEnded() ||
                          IsHeard(folder_ + "/.s.PGSQL.5432");
                 }) ||
      process_->HasEnded()) {
    std::ifstream in(log);
    throw std::runtime_error(
        "pgbouncer did not start: " +
        std::string(std::istreambuf_iterator<char>(in), {}));
  }
  connection_ = "host=" + folder_ + " user=postgres dbname=fluxnetes";
}

PgBouncer::~PgBouncer() {
  process_->Kill();
  std::filesystem::remove_all(folder_);
}

}  // namespace fluxnetes::testing
