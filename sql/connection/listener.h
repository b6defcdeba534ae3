// LISTEN on a connection of its own, never inside a transaction (PostgreSQL
// holds notifications back while one is open). Every channel's callback is
// called for each notification, and once for all channels after every connect,
// because what was sent while the connection was away is lost. NOTIFY only
// rings the bell; what it announces is in a row. Under transaction pooling
// there is no LISTEN: a listener does nothing then, and everybody polls.
//
// Start() and Stop() once each, from one thread; callbacks run on the
// listener's thread and must not block.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sql/connection/pool.h"

namespace fluxnetes::sql {

class Listener {
 public:
  // Channel and payload; the payload is empty after a connect.
  using Callback = std::function<void(const std::string& payload)>;

  explicit Listener(PoolOptions options);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Before Start(). A channel is prefixed with the schema's name, so that two
  // schemas in one database do not wake each other: "fluxnetes.jobs".
  void On(const std::string& channel, Callback callback);

  void Start();
  void Stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::sql
