// Relays between a client and a PostgreSQL server's Unix socket, and cuts the
// connection at a chosen message, to test a lost connection at the worst
// moment. One thread per connection; Arm() is thread-safe.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "sql/mutex.h"

namespace fluxnetes::testing {

class Relay {
 public:
  enum class Cut {
    kBeforeTheServer,  // the message is dropped
    kAfterTheServer    // the server has answered; the answer is dropped
  };

  explicit Relay(const std::string& server_folder);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // The connection string of the relay's own socket.
  std::string connection() const;

  // Cuts the connection at the next message of a client that contains `text`;
  // once.
  void Arm(const std::string& text, Cut cut);

 private:
  void Accept();
  void Serve(int client);
  // True if this message of a client is the armed one; disarms.
  bool IsTheOne(const std::string& message, Cut& cut);

  const std::string server_;
  std::string folder_;
  int listening_ = -1;

  sql::Mutex mutex_;
  std::string text_ GUARDED_BY(mutex_);
  Cut cut_ GUARDED_BY(mutex_) = Cut::kBeforeTheServer;

  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> threads_;
  std::thread accepting_;
};

}  // namespace fluxnetes::testing
