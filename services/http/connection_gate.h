// The gate before a server that takes its connections as file descriptors: it
// listens on an address, accepts, and lets no more in than there is room for.
// Who comes when it is full is hung up on at once.
//
// Whoever gets a descriptor closes it; the gate sees for itself which ones have
// been closed.
//
// Start() and Stop() from one thread; stopping twice is fine. `admit` is called
// on the gate's own thread.
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
  std::function<void(int fd)> admit;  // does not block when it is read
};

class ConnectionGate {
 public:
  explicit ConnectionGate(ConnectionGateOptions options);
  ~ConnectionGate();  // Stop()
  ConnectionGate(const ConnectionGate&) = delete;
  ConnectionGate& operator=(const ConnectionGate&) = delete;

  // Listens. Throws as ListeningSocket does.
  void Open();
  // Lets in who has come and who comes.
  void Start();
  // Listens no more; those inside stay.
  void Stop();

  // For a client; after Open.
  const std::string& address() const { return address_; }
  // How many were turned away because it was full.
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
  std::map<int, ino_t> inside_;  // of the gate's thread
};

}  // namespace fluxnetes::services
