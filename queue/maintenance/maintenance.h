// Housekeeping that one process at a time does for a deployment: the leader, of
// which there is at most one per schema and name.
//
//   quick   due jobs, jobs of dead clients, periodic jobs
//   slow    partitions, VACUUM, indexes, obsolete rows; may take long, so it
//           has a thread of its own
//
// A leader is a client (client.h) whose heartbeat holds; a dead leader is
// replaced within its time to live, one that stops hands over at once. The
// leader also writes periodically that it leads: one that is connected to a
// read-only server resigns and reconnects. Actions that must not happen twice
// are fenced by the term; the others are harmless when repeated.
//
// Call Start() and Stop() from one thread; stopping twice is fine. RunQuick()
// and RunSlow() do one round of the two threads, for tests and for programs
// with threads of their own. on_event is called on both threads and must not
// block.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "queue/clients/client.h"
#include "queue/maintenance/retention.h"
#include "queue/maintenance/upkeep.h"
#include "queue/store/work_queue.h"
#include "sql/connection/pool.h"

namespace fluxnetes::queue {

struct MaintenanceEvent {
  enum class Kind {
    kElected,
    kDeposed,  // by another client, or because it cannot write
    kDone,     // a slow task that changed something; `text` describes it
    kFailed,   // `text` is the error; sent once until recovery
    kRecovered,
  };
  Kind kind = Kind::kElected;
  std::string task = {};  // "election", "due", "rescue", "periodic", ...
  std::string text = {};
};

struct MaintenanceOptions {
  using Duration = std::chrono::milliseconds;

  std::string name = "maintenance";  // of the leadership
  Duration interval{250};   // election, due jobs, rescue, periodic jobs
  Duration confirm{1'000};  // check that it can write
  Duration vacuum{5'000};
  Duration partitions = std::chrono::hours(1);
  Duration forget = std::chrono::minutes(10);
  Duration indexes = std::chrono::hours(1);
  Duration most_back_off{5'000};  // after failures of a task
  RetentionOptions retention = {};
  UpkeepOptions upkeep = {};
  std::function<void(const MaintenanceEvent&)> on_event = {};
};

class Maintenance {
 public:
  // All must outlive this object; its owner registers the client.
  Maintenance(sql::Pool& pool, WorkQueue& jobs, const Client& client,
              MaintenanceOptions options);
  ~Maintenance();  // Stop()
  Maintenance(const Maintenance&) = delete;
  Maintenance& operator=(const Maintenance&) = delete;

  void Start();

  // Resigns at once, so that another client takes over, then ends the running
  // task.
  void Stop();

  // Take part in the election; the leader does what is due. Return whether it
  // leads. Failures become events; nothing is thrown.
  bool RunQuick();
  bool RunSlow();

  // The current term as leader; 0: not the leader. Thread-safe.
  std::int64_t term() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::queue
