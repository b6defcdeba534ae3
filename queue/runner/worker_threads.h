// The threads that execute blocking workers, and the one that starts callback
// workers. Threads are created on demand, up to a limit. A thread stuck in an
// abandoned worker is replaced and detached; it ends when its worker returns.
//
// Thread-safe. Call Stop() once, not from a task.
// Tests: tests/queue/runner/runner_cancel_pgtest.cc,
// tests/queue/runner/runner_stop_pgtest.cc.
#pragma once

#include <functional>
#include <memory>
#include <vector>

namespace fluxnetes::queue {

class WorkerThreads {
 public:
  // Returns false if its thread was replaced and must end.
  using Task = std::function<bool()>;

  explicit WorkerThreads(int most);
  ~WorkerThreads();  // Stop()
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  void Run(std::vector<Task> tasks);

  // Reports that one of the threads is stuck; another may be created in its
  // place.
  void Replace();

  // Drops the tasks that have not begun and waits for the threads that are not
  // stuck.
  void Stop();

 private:
  struct State;

  std::shared_ptr<State> state_;  // shared with stuck threads
};

}  // namespace fluxnetes::queue
