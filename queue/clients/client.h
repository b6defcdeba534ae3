// A process that works on jobs: a row in `clients`, kept alive by a heartbeat
// on a thread of its own. All leases and leaderships of the process hang on it.
//
// If the heartbeat cannot be written for the time to live (the database is
// away, the process was stopped), the others may take its jobs. It then
// registers anew, under another id, and says so by the callback: whatever was
// leased under the old id is lost.
//
// The heartbeat has a connection of its own, so that a busy pool does not stop
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

  // Called with the new id when the client had to register anew.
  void OnLost(std::function<void(std::int64_t id)> callback);

  // Called with the id of a job that this client runs and that it is asked to
  // stop; within one heartbeat, again and again until the callback says that it
  // knows the job.
  void OnCancelRequest(std::function<bool(std::int64_t job)> callback);

  // Registers, then keeps the heartbeat going. Throws sql::Error if the
  // database is away.
  void Start();

  // The next heartbeat, and with it what it is asked, comes at once.
  // Thread-safe.
  void Wake();

  // Makes the jobs that it still holds available at once (no attempt is burnt),
  // resigns everywhere and removes the row. Stopping twice is fine; stopping
  // while the database is away leaves the rest to Rescue().
  void Stop();

  // What Start() does without its thread, and one heartbeat on the caller's:
  // for tests.
  void Register();
  void Beat();

  // 0 before Start().
  std::int64_t id() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::queue
