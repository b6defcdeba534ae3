#include "services/http/connection_stream.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

namespace fluxnetes::services {

namespace {

constexpr std::size_t kInputBuffer = std::size_t{16} << 10U;
constexpr std::size_t kOutputBuffer = std::size_t{256} << 10U;

int Until(std::chrono::steady_clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

short Await(int fd, short events, int millis) {
  pollfd waiting{fd, events, 0};
  int ready = 0;
  do {
    ready = poll(&waiting, 1, millis);
  } while (ready < 0 && errno == EINTR);
  return ready > 0 ? waiting.revents : short{0};
}

}  // namespace

ConnectionStream::ConnectionStream(int fd, const Limits& limits)
    : fd_(fd), limits_(limits), allowance_(limits.largest_request) {}

bool ConnectionStream::AwaitRequest(std::chrono::milliseconds idle) {
  allowance_ = limits_.largest_request;
  const bool begun =
      read_ < input_.size() ||
      (Await(fd_, POLLIN, static_cast<int>(idle.count())) != 0 && Fill());
  read_until_ = Clock::now() + limits_.request_time;
  return begun;
}

bool ConnectionStream::Fill() {
  input_.resize(kInputBuffer);
  read_ = 0;
  const ssize_t got = recv(fd_, input_.data(), input_.size(), 0);
  input_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return got > 0;
}

ssize_t ConnectionStream::read(char* data, size_t size) {
  if (read_ == input_.size() &&
      (Await(fd_, POLLIN, Until(read_until_)) == 0 || !Fill())) {
    return -1;
  }
  const std::size_t count = std::min({size, input_.size() - read_, allowance_});
  if (count == 0) return -1;
  std::memcpy(data, input_.data() + read_, count);
  read_ += count;
  allowance_ -= count;
  return static_cast<ssize_t>(count);
}

ssize_t ConnectionStream::write(const char* data, size_t size) {
  output_.append(data, size);
  if (output_.size() >= kOutputBuffer && !Flush()) return -1;
  return static_cast<ssize_t>(size);
}

bool ConnectionStream::Flush() const {
  std::size_t sent = 0;
  const auto begun = Clock::now();
  while (sent < output_.size()) {
    const auto allowed =
        limits_.answer_time * static_cast<std::int64_t>(1 + (sent >> 20U));
    if ((Await(fd_, POLLOUT, Until(begun + allowed)) & POLLOUT) == 0) break;
    const ssize_t count =
        send(fd_, output_.data() + sent, output_.size() - sent,
             MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) continue;
    if (count <= 0) break;
    sent += static_cast<std::size_t>(count);
  }
  const bool all = sent == output_.size();
  output_.clear();
  return all;
}

bool ConnectionStream::is_readable() const { return true; }

bool ConnectionStream::is_writable() const {
  return Flush() && (Await(fd_, POLLRDHUP, 0) & (POLLRDHUP | POLLHUP)) == 0;
}

void ConnectionStream::get_remote_ip_and_port(std::string& ip,
                                              int& port) const {
  ip = "local";
  port = 0;
}

void ConnectionStream::get_local_ip_and_port(std::string& ip, int& port) const {
  get_remote_ip_and_port(ip, port);
}

}  // namespace fluxnetes::services
