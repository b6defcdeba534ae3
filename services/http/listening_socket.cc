#include "services/http/listening_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace fluxnetes::services {

namespace {

constexpr int kBacklog = 512;
constexpr std::string_view kUnix = "unix:";
constexpr std::string_view kHttp = "http://";

[[noreturn]] void Fail(const std::string& address, const std::string& why) {
  throw std::runtime_error("cannot listen on " + address + ": " + why);
}

[[noreturn]] void FailWithErrno(const std::string& address) {
  Fail(address, std::generic_category().message(errno));
}

template <typename Address>
sockaddr* Generic(Address& address) {
  return reinterpret_cast<sockaddr*>(&address);
}

sockaddr_un FileAddress(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty()) Fail(std::string(kUnix), "the path is missing");
  if (path.size() >= sizeof(address.sun_path)) {
    Fail("unix:" + path, "the path is longer than " +
                             std::to_string(sizeof(address.sun_path) - 1) +
                             " bytes");
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

bool SomebodyListens(sockaddr_un address) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return true;
  const bool refused = connect(fd, Generic(address), sizeof(address)) != 0 &&
                       errno == ECONNREFUSED;
  close(fd);
  return !refused;
}

void RemoveStale(const std::string& path, const sockaddr_un& address) {
  struct stat there {};
  if (lstat(path.c_str(), &there) != 0) return;
  if (!S_ISSOCK(there.st_mode)) {
    Fail("unix:" + path, "a file that is not a socket is in the way");
  }
  if (SomebodyListens(address)) {
    Fail("unix:" + path, "another server is listening there");
  }
  unlink(path.c_str());
}

in_port_t ParsePort(const std::string& address, const std::string& text) {
  in_port_t port = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc() || stop != end) {
    Fail(address, "expected a port of 0 to 65535 after the last ':'");
  }
  return port;
}

struct HostAndPort {
  std::string host;
  std::string port;
};

HostAndPort SplitPort(const std::string& address) {
  std::string text = address;
  if (text.starts_with(kHttp)) text.erase(0, kHttp.size());
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) {
    Fail("'" + address + "'", "expected unix:PATH or 127.0.0.1:PORT");
  }
  return {text.substr(0, colon), text.substr(colon + 1)};
}

// Parses an address without its port into `name`; returns false if invalid.
bool ReadHost(const std::string& host, sockaddr_storage& name) {
  auto& v4 = reinterpret_cast<sockaddr_in&>(name);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(name);
  if (host.starts_with('[') && host.ends_with(']')) {
    v6.sin6_family = AF_INET6;
    const std::string inner = host.substr(1, host.size() - 2);
    return inet_pton(AF_INET6, inner.c_str(), &v6.sin6_addr) == 1;
  }
  v4.sin_family = AF_INET;
  const std::string text = host == "localhost" ? "127.0.0.1" : host;
  return inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1;
}

std::string ShownHost(const sockaddr_storage& name) {
  char text[INET6_ADDRSTRLEN] = {};
  if (name.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(name);
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
    return "[" + std::string(text) + "]";
  }
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(name);
  inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text));
  return text;
}

}  // namespace

bool IsOfThisMachine(const std::string& address) {
  if (address.starts_with(kUnix)) return true;
  const HostAndPort parts = SplitPort(address);
  return parts.host == "localhost" || parts.host == "127.0.0.1" ||
         parts.host == "[::1]";
}

ListeningSocket::ListeningSocket(const std::string& address, Reach reach) {
  try {
    if (address.starts_with(kUnix)) {
      OpenFile(address.substr(kUnix.size()));
      return;
    }
    const HostAndPort parts = SplitPort(address);
    OpenPort(parts.host, parts.port, reach);
  } catch (...) {
    if (fd_ >= 0) close(fd_);
    throw;
  }
}

void ListeningSocket::OpenFile(const std::string& path) {
  sockaddr_un name = FileAddress(path);
  address_ = "unix:" + path;
  RemoveStale(path, name);
  fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  // The file inherits the socket's mode, so it never has another one.
  if (fd_ < 0 || fchmod(fd_, S_IRUSR | S_IWUSR) != 0 ||
      bind(fd_, Generic(name), sizeof(name)) != 0 ||
      listen(fd_, kBacklog) != 0) {
    FailWithErrno(address_);
  }
  struct stat made {};
  if (lstat(path.c_str(), &made) == 0) {
    path_ = path;
    device_ = made.st_dev;
    inode_ = made.st_ino;
  }
}

void ListeningSocket::OpenPort(const std::string& host, const std::string& port,
                               Reach reach) {
  const std::string shown = host + ":" + port;
  if (reach == Reach::kMachine && !IsOfThisMachine(shown)) {
    Fail(shown, "only a loopback address (127.0.0.1, [::1]) is allowed");
  }
  const int yes = 1;
  sockaddr_storage name{};
  if (!ReadHost(host, name)) {
    Fail(shown, "expected an address of this machine in numbers, like 0.0.0.0");
  }
  const bool v6 = name.ss_family == AF_INET6;
  socklen_t size = v6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  // The port is at the same offset in both kinds of address.
  reinterpret_cast<sockaddr_in&>(name).sin_port = htons(ParsePort(shown, port));
  fd_ = socket(name.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd_ < 0 ||
      setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
      // Accepted sockets inherit it.
      setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes)) != 0 ||
      bind(fd_, Generic(name), size) != 0 || listen(fd_, kBacklog) != 0 ||
      getsockname(fd_, Generic(name), &size) != 0) {
    FailWithErrno(shown);
  }
  const auto taken = ntohs(reinterpret_cast<sockaddr_in&>(name).sin_port);
  address_ = "http://" + ShownHost(name) + ":" + std::to_string(taken);
}

ListeningSocket::~ListeningSocket() {
  struct stat there {};
  if (!path_.empty() && lstat(path_.c_str(), &there) == 0 &&
      there.st_dev == device_ && there.st_ino == inode_) {
    unlink(path_.c_str());
  }
  close(fd_);
}

}  // namespace fluxnetes::services
