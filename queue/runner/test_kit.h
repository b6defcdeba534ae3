// For the tests of workers, on a real database and without threads: insert a
// job, work it now, see what became of it. Time passes when the test says so.
//
//   queue::TestKit kit(pool, workers);
//   EXPECT_EQ(kit.Work({.kind = "greet"})->kind, queue::EventKind::kCompleted);
//
// One thread. Throws sql::Error when PostgreSQL fails.
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

  // Into the kit's queue, whatever the job says.
  Inserted Insert(NewJob job);

  // Works the first available job on this thread. Nothing: there is none, or
  // its callback worker keeps it; then Ended() says how it ended.
  std::optional<Event> WorkOne();
  std::optional<Event> Work(NewJob job);
  std::optional<Event> Ended();

  // So much time passes at once: jobs become due, and what runs times out.
  void Advance(std::chrono::milliseconds time);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::queue
