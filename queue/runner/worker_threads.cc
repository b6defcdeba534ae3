#include "queue/runner/worker_threads.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <thread>
#include <utility>

#include "sql/condition_variable.h"
#include "sql/mutex.h"

namespace fluxnetes::queue {

struct WorkerThreads::State {
  static void Grow(const std::shared_ptr<State>& state) REQUIRES(state->mutex);
  static void Loop(const std::shared_ptr<State>& state) EXCLUDES(state->mutex);

  sql::Mutex mutex;
  sql::ConditionVariable changed;
  sql::ConditionVariable ended;
  std::deque<Task> tasks GUARDED_BY(mutex);
  int most GUARDED_BY(mutex) = 0;
  int alive GUARDED_BY(mutex) = 0;  // without the stuck threads
  int idle GUARDED_BY(mutex) = 0;
  bool stopping GUARDED_BY(mutex) = false;
};

WorkerThreads::WorkerThreads(int most) : state_(std::make_shared<State>()) {
  state_->most = std::max(1, most);
}

WorkerThreads::~WorkerThreads() { Stop(); }

void WorkerThreads::Run(std::vector<Task> tasks) {
  const sql::MutexLock lock(state_->mutex);
  if (state_->stopping) return;
  std::ranges::move(tasks, std::back_inserter(state_->tasks));
  State::Grow(state_);
  state_->changed.NotifyOne();
}

void WorkerThreads::State::Grow(const std::shared_ptr<State>& state) {
  const auto wanted = static_cast<int>(state->tasks.size());
  for (int made = state->idle; made < wanted && state->alive < state->most;
       ++made) {
    // Detached, because a stuck thread can never be joined; Stop() waits
    // instead.
    std::thread([state] { Loop(state); }).detach();
    ++state->alive;
  }
}

void WorkerThreads::Replace() {
  const sql::MutexLock lock(state_->mutex);
  --state_->alive;
  state_->ended.NotifyAll();
  if (!state_->stopping) State::Grow(state_);
}

void WorkerThreads::State::Loop(const std::shared_ptr<State>& state) {
  sql::MutexLock lock(state->mutex);
  while (true) {
    ++state->idle;
    while (!state->stopping && state->tasks.empty())
      state->changed.Wait(state->mutex);
    --state->idle;
    if (state->stopping) break;
    Task task = std::move(state->tasks.front());
    state->tasks.pop_front();
    // Each thread wakes one more: a few awake threads do all short tasks.
    if (state->idle > 0 && !state->tasks.empty()) state->changed.NotifyOne();
    lock.Unlock();
    const bool stays = task();
    task = nullptr;
    lock.Lock();
    if (!stays) return;
  }
  --state->alive;
  state->ended.NotifyAll();
}

void WorkerThreads::Stop() {
  sql::MutexLock lock(state_->mutex);
  state_->stopping = true;
  std::deque<Task> dropped = std::exchange(state_->tasks, {});
  state_->changed.NotifyAll();
  while (state_->alive > 0) state_->ended.Wait(state_->mutex);
  lock.Unlock();
}

}  // namespace fluxnetes::queue
