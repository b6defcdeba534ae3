// The bytes of one connection as cpp-httplib wants them: read and written
// through buffers, so that a request costs one read and its answer one write.
// What is written leaves when the buffer is full, when the other side is asked
// about (is_writable, between the pieces of a stream) and by Flush.
#pragma once

#include <httplib.h>

#include <chrono>
#include <string>

namespace fluxnetes::services {

class ConnectionStream : public httplib::Stream {
 public:
  struct Limits {
    std::size_t largest_request = 0;            // bytes
    std::chrono::milliseconds request_time{0};  // from its first byte
    std::chrono::milliseconds answer_time{0};   // for each MiB
  };

  // Does not own the socket.
  ConnectionStream(int fd, const Limits& limits);

  // Waits for the first byte of a request; false when the other side has hung
  // up or the time is over. The limits start anew.
  bool AwaitRequest(std::chrono::milliseconds idle);
  bool Flush() const;

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* data, size_t size) override;
  ssize_t write(const char* data, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return fd_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool Fill();

  const int fd_;
  const Limits limits_;
  std::size_t allowance_;
  Clock::time_point read_until_;
  std::string input_;
  std::size_t read_ = 0;  // of input_
  // Sent by functions that httplib has as const.
  mutable std::string output_;
};

}  // namespace fluxnetes::services
