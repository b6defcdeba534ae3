// The threads that blocking workers run on, and the one that begins the work of
// callback workers. Threads are made when there is work for them, up to a
// number. One that is stuck in an abandoned worker is replaced, let go of, and
// ends by itself when its worker comes back.
//
// Thread-safe. Stop() once, not from a task.
#pragma once

#include <functional>
#include <memory>
#include <vector>

namespace fluxnetes::queue {

class WorkerThreads {
 public:
  // False: the thread was replaced and is to end.
  using Task = std::function<bool()>;

  explicit WorkerThreads(int most);
  ~WorkerThreads();  // Stop()
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  void Run(std::vector<Task> tasks);

  // One of the threads is stuck for good: another may be made in its place.
  void Replace();

  // Drops what has not begun and waits for the threads that are not stuck.
  void Stop();

 private:
  struct State;
  static void Loop(const std::shared_ptr<State>& state);
  void Grow();

  std::shared_ptr<State> state_;  // shared with threads that are stuck
};

}  // namespace fluxnetes::queue
