#include "tests/support/relay.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace fluxnetes::testing {
namespace {

constexpr int kPatience = 20;  // milliseconds between checks for the stop

sockaddr_un AddressIn(const std::string& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder + "/.s.PGSQL.5432";
  if (path.size() >= sizeof(address.sun_path))
    throw std::runtime_error("the path of the socket is too long: " + path);
  std::memcpy(address.sun_path, path.c_str(), path.size());
  return address;
}

bool Readable(int socket, int patience) {
  pollfd watched{socket, POLLIN, 0};
  return poll(&watched, 1, patience) > 0;
}

// Reads what is available; empty at the end.
std::string Read(int socket) {
  std::array<char, 65536> buffer;
  const auto count = recv(socket, buffer.data(), buffer.size(), 0);
  return count <= 0 ? "" : std::string(buffer.data(), count);
}

bool Write(int socket, const std::string& data) {
  for (std::size_t sent = 0; sent < data.size();) {
    const auto count =
        send(socket, data.data() + sent, data.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return false;
    sent += count;
  }
  return true;
}

}  // namespace

Relay::Relay(const std::string& server_folder) : server_(server_folder) {
  std::string folder =
      std::filesystem::temp_directory_path() / "fluxnetes-relay.XXXXXX";
  if (mkdtemp(folder.data()) == nullptr)
    throw std::runtime_error("cannot make a folder like " + folder);
  folder_ = folder;
  const sockaddr_un address = AddressIn(folder_);
  listening_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(listening_, reinterpret_cast<const sockaddr*>(&address),
           sizeof(address)) != 0 ||
      listen(listening_, 16) != 0)
    throw std::runtime_error("cannot listen in " + folder_);
  accepting_ = std::thread([this] { Accept(); });
}

Relay::~Relay() {
  stopping_ = true;
  accepting_.join();
  for (auto& thread : threads_) thread.join();
  close(listening_);
  std::filesystem::remove_all(folder_);
}

std::string Relay::connection() const {
  return "host=" + folder_ + " user=postgres dbname=fluxnetes";
}

void Relay::Arm(const std::string& text, Cut cut) {
  const sql::MutexLock lock(mutex_);
  text_ = text;
  cut_ = cut;
}

void Relay::Accept() {
  while (!stopping_) {
    if (!Readable(listening_, kPatience)) continue;
    const int client = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client >= 0) threads_.emplace_back([this, client] { Serve(client); });
  }
}

bool Relay::IsTheOne(const std::string& message, Cut& cut) {
  const sql::MutexLock lock(mutex_);
  if (text_.empty() || message.find(text_) == message.npos) return false;
  text_.clear();
  cut = cut_;
  return true;
}

void Relay::Serve(int client) {
  const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = AddressIn(server_);
  bool open = connect(server, reinterpret_cast<const sockaddr*>(&address),
                      sizeof(address)) == 0;
  while (open && !stopping_) {
    pollfd watched[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    poll(watched, 2, kPatience);
    if (watched[0].revents != 0) {
      const std::string message = Read(client);
      Cut cut{};
      if (IsTheOne(message, cut)) {
        if (cut == Cut::kAfterTheServer && Write(server, message)) Read(server);
        break;
      }
      open = !message.empty() && Write(server, message);
    }
    if (watched[1].revents != 0) {
      const std::string answer = Read(server);
      open = open && !answer.empty() && Write(client, answer);
    }
  }
  close(server);
  close(client);
}

}  // namespace fluxnetes::testing
