// Accepts connections for a server that takes them as file descriptors: it
// listens on an address and admits up to a fixed number of connections. When
// that number is reached, it closes a new connection at once.
//
// The receiver of a descriptor closes it; the gate itself notices closed
// descriptors.
//
// Start() and Stop() are for one thread; stopping twice is fine. `admit` is
// called on the gate's own thread.
// Tests: tests/services/grpc/grpc_server_test.cc.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "services/http/listening_socket.h"

namespace fluxnetes::services {

struct ConnectionGateOptions {
  std::string address;  // see ListeningSocket
  Reach reach = Reach::kMachine;
  std::size_t connections = 1024;
  std::function<void(int fd)> admit;  // whose read() does not block
};

class ConnectionGate {
 public:
  explicit ConnectionGate(ConnectionGateOptions options);
  ~ConnectionGate();  // Stop()
  ConnectionGate(const ConnectionGate&) = delete;
  ConnectionGate& operator=(const ConnectionGate&) = delete;

  // Listens. Throws as ListeningSocket does.
  void Open();
  // Admits the connections that wait and those that follow.
  void Start();
  // Stops listening; admitted connections stay open.
  void Stop();

  // The address for a client; valid after Open().
  const std::string& address() const { return address_; }
  // The number of connections closed because the limit was reached.
  std::int64_t turned_away() const { return turned_away_; }

 private:
  void Accept();
  bool HasRoom();

  const ConnectionGateOptions options_;
  std::optional<ListeningSocket> socket_;
  std::string address_;
  int wake_ = -1;
  std::thread thread_;
  std::atomic<std::int64_t> turned_away_ = 0;
  std::map<int, ino_t> inside_;  // used by the gate's thread only
};

}  // namespace fluxnetes::services
