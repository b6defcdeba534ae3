// A harness for tests of workers, on a real database and without threads:
// inserts a job, works it now, and returns its event. The test moves the time.
//
//   queue::TestKit kit(pool, workers);
//   EXPECT_EQ(kit.Work({.kind = "greet"})->kind, queue::EventKind::kCompleted);
//
// Used by one thread. Throws sql::Error when PostgreSQL fails.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "queue/jobs/job.h"
#include "queue/runner/events.h"
#include "queue/runner/hooks.h"
#include "queue/runner/workers.h"
#include "sql/connection/pool.h"

namespace fluxnetes::queue {

class TestKit {
 public:
  // Works on one queue.
  TestKit(sql::Pool& pool, Workers workers, std::string queue = "default",
          Hooks hooks = {});
  ~TestKit();
  TestKit(const TestKit&) = delete;
  TestKit& operator=(const TestKit&) = delete;

  // Inserts into the kit's queue, whatever queue the job names.
  Inserted Insert(NewJob job);

  // Works the first available job on this thread. Nothing: no job is available,
  // or its callback worker keeps it; then Ended() returns its end.
  std::optional<Event> WorkOne();
  std::optional<Event> Work(NewJob job);
  std::optional<Event> Ended();

  // Moves the time forward: jobs become due, and running jobs time out.
  void Advance(std::chrono::milliseconds time);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::queue
