// A process that runs jobs: a row in `clients`, kept alive by a heartbeat on a
// thread of its own. All leases and leaderships of the process depend on it.
//
// If no heartbeat can be written for the time to live (the database is
// unreachable, the process was stopped), other clients may take its jobs. It
// then registers again under a new id and reports that by the callback: all
// leases under the old id are lost.
//
// The heartbeat has a connection of its own, so that a busy pool does not delay
// it. id() is thread-safe; callbacks run on the heartbeat thread and must not
// block.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sql/connection/pool.h"

namespace fluxnetes::queue {

struct ClientOptions {
  std::string name = {};  // for people; empty: host and process id
  std::chrono::milliseconds time_to_live{3'000};
  std::chrono::milliseconds heartbeat{1'000};
};

class Client {
 public:
  Client(sql::Pool& pool, ClientOptions options);
  ~Client();  // Stop()
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Called with the new id after the client had to register again.
  void OnLost(std::function<void(std::int64_t id)> callback);

  // Called with the id of a running job of this client that was asked to stop;
  // within one heartbeat, and repeatedly until the callback returns true: it
  // knows the job.
  void OnCancelRequest(std::function<bool(std::int64_t job)> callback);

  // Registers, then keeps the heartbeat going. Throws sql::Error if the
  // database is unreachable.
  void Start();

  // Makes the next heartbeat, with its check for cancel requests, run at once.
  // Thread-safe.
  void Wake();

  // Makes the jobs still leased to the client available at once (no attempt is
  // used up), resigns all leaderships and removes the row. Calling twice is
  // fine; if the database is unreachable, Rescue() does the rest.
  void Stop();

  // For tests: Start() without its thread, and one heartbeat on the calling
  // thread.
  void Register();
  void Beat();

  // 0 before Start().
  std::int64_t id() const;

  // The connection of the heartbeat, for its counters and slow statements.
  sql::Pool& HeartbeatPool();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::queue
