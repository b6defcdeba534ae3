// What a deployment needs done by one process at a time: the leader, of which
// there is at most one per schema and name.
//
//   quick   the jobs that are due, the jobs of dead clients, periodic jobs
//   slow    partitions, VACUUM, indexes, rows of no use; may take a while, and
//           so has a thread of its own
//
// A leader is a client (client.h) whose heartbeat holds; a dead one is replaced
// within its time to live, one that stops hands over at once. It also writes,
// now and then, that it leads: one that is left on a server that takes no
// changes any more stands down and connects anew. What must not be done twice
// is fenced by the term; all else does no harm when it is.
//
// Start() and Stop() from one thread, stopping twice is fine; RunQuick() and
// RunSlow() are what the two threads do once, for tests and for those who have
// threads of their own. on_event is called on both threads and must not block.
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
    kDeposed,  // by another, or because it cannot write
    kDone,     // a slow task that did something; `text` says what
    kFailed,   // `text` says why; told once until it recovers
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
  Duration confirm{1'000};  // that it can write
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
  // All must outlive it; the client is registered by its owner.
  Maintenance(sql::Pool& pool, WorkQueue& jobs, const Client& client,
              MaintenanceOptions options);
  ~Maintenance();  // Stop()
  Maintenance(const Maintenance&) = delete;
  Maintenance& operator=(const Maintenance&) = delete;

  void Start();

  // Resigns at once, so that another takes over, then ends what it was about.
  void Stop();

  // Stands for election; if it leads, does what is due. Returns whether it
  // leads. Failures are events; nothing is thrown.
  bool RunQuick();
  bool RunSlow();

  // The term that it leads in; 0: it does not. Thread-safe.
  std::int64_t term() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::queue
