#include "services/http/connection_gate.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <utility>

namespace fluxnetes::services {
namespace {

// Returns the inode of the socket behind a descriptor; 0: closed or no socket.
ino_t SocketOf(int fd) {
  struct stat there {};
  if (fstat(fd, &there) != 0 || !S_ISSOCK(there.st_mode)) return 0;
  return there.st_ino;
}

}  // namespace

ConnectionGate::ConnectionGate(ConnectionGateOptions options)
    : options_(std::move(options)) {}

ConnectionGate::~ConnectionGate() { Stop(); }

void ConnectionGate::Open() {
  socket_.emplace(options_.address, options_.reach);
  address_ = socket_->address();
}

void ConnectionGate::Start() {
  wake_ = eventfd(0, EFD_CLOEXEC);
  if (wake_ < 0) throw std::runtime_error("cannot make an eventfd");
  thread_ = std::thread([this] { Accept(); });
}

void ConnectionGate::Stop() {
  if (thread_.joinable()) {
    eventfd_write(wake_, 1);
    thread_.join();
    close(wake_);
  }
  socket_.reset();
}

bool ConnectionGate::HasRoom() {
  if (inside_.size() < options_.connections) return true;
  std::erase_if(inside_, [](const auto& connection) {
    return SocketOf(connection.first) != connection.second;
  });
  return inside_.size() < options_.connections;
}

void ConnectionGate::Accept() {
  while (true) {
    pollfd waiting[] = {{socket_->fd(), POLLIN, 0}, {wake_, POLLIN, 0}};
    if (poll(waiting, 2, -1) < 0) continue;
    if (waiting[1].revents != 0) return;
    const int fd =
        accept4(socket_->fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      // Out of descriptors: pause, so that the loop does not spin.
      if (errno != ECONNABORTED && errno != EINTR) poll(&waiting[1], 1, 50);
    } else if (HasRoom()) {
      inside_[fd] = SocketOf(fd);
      options_.admit(fd);
    } else {
      close(fd);
      ++turned_away_;
    }
  }
}

}  // namespace fluxnetes::services
