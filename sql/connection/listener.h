// LISTEN on a connection of its own, never inside a transaction (PostgreSQL
// delays notifications while one is open). A channel's callback is called for
// each notification, and the callbacks of all channels once after every
// connect, because notifications sent meanwhile are lost. NOTIFY only wakes its
// receiver; its subject is in a row. Transaction pooling has no LISTEN: a
// listener does nothing then, and its users poll.
//
// Call Start() and Stop() once each, from one thread; callbacks run on the
// listener's thread and must not block.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sql/connection/pool.h"

namespace fluxnetes::sql {

class Listener {
 public:
  // The payload is empty after a connect.
  using Callback = std::function<void(const std::string& payload)>;

  explicit Listener(PoolOptions options);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Call before Start(). The channel is prefixed with the schema's name, so
  // that two schemas in one database do not wake each other: "fluxnetes.jobs".
  void On(const std::string& channel, Callback callback);

  void Start();
  void Stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::sql
