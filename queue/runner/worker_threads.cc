#include "queue/runner/worker_threads.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

namespace fluxnetes::queue {

struct WorkerThreads::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::condition_variable ended;
  // Protected by mutex.
  std::deque<Task> tasks;
  int most = 0;
  int alive = 0;  // without the stuck threads
  int idle = 0;
  bool stopping = false;
};

WorkerThreads::WorkerThreads(int most) : state_(std::make_shared<State>()) {
  state_->most = std::max(1, most);
}

WorkerThreads::~WorkerThreads() { Stop(); }

void WorkerThreads::Run(std::vector<Task> tasks) {
  const std::lock_guard lock(state_->mutex);
  if (state_->stopping) return;
  std::ranges::move(tasks, std::back_inserter(state_->tasks));
  Grow();
  state_->changed.notify_one();
}

// Called with the lock held.
void WorkerThreads::Grow() {
  const auto wanted = static_cast<int>(state_->tasks.size());
  for (int made = state_->idle; made < wanted && state_->alive < state_->most;
       ++made) {
    // Detached, because a stuck thread can never be joined; Stop() waits
    // instead.
    std::thread([state = state_] { Loop(state); }).detach();
    ++state_->alive;
  }
}

void WorkerThreads::Replace() {
  const std::lock_guard lock(state_->mutex);
  --state_->alive;
  state_->ended.notify_all();
  if (!state_->stopping) Grow();
}

void WorkerThreads::Loop(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  while (true) {
    ++state->idle;
    state->changed.wait(
        lock, [&] { return state->stopping || !state->tasks.empty(); });
    --state->idle;
    if (state->stopping) break;
    Task task = std::move(state->tasks.front());
    state->tasks.pop_front();
    // Each thread wakes one more: a few awake threads do all short tasks.
    if (state->idle > 0 && !state->tasks.empty()) state->changed.notify_one();
    lock.unlock();
    const bool stays = task();
    task = nullptr;
    lock.lock();
    if (!stays) return;
  }
  --state->alive;
  state->ended.notify_all();
}

void WorkerThreads::Stop() {
  std::unique_lock lock(state_->mutex);
  state_->stopping = true;
  std::deque<Task> dropped = std::exchange(state_->tasks, {});
  state_->changed.notify_all();
  state_->ended.wait(lock, [&] { return state_->alive == 0; });
  lock.unlock();
}

}  // namespace fluxnetes::queue
