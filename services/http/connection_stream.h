// The bytes of one connection for cpp-httplib, read and written through
// buffers, so that a request costs one read and its answer one write. Output is
// sent when the buffer is full, when is_writable is called (between the pieces
// of a stream) and by Flush.
// Tests: tests/services/http/http_server_test.cc.
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

  // Waits for the first byte of a request. Returns false when the peer has
  // closed the connection or `idle` has passed. Resets the limits.
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
  std::size_t read_ = 0;  // position in input_
  // Mutable: const functions of httplib send it.
  mutable std::string output_;
};

}  // namespace fluxnetes::services
