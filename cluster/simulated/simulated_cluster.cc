#include "cluster/simulated/simulated_cluster.h"

#include <cassert>
#include <utility>

#include "cluster/simulated/simulated_state.h"

namespace fluxnetes::cluster {

SimulatedCluster::SimulatedCluster(const SimulatedClusterOptions& options)
    : state_(std::make_unique<State>(options)) {
  if (options.real_time) {
    state_->thread = std::thread([this] { state_->RunThread(); });
  }
}

SimulatedCluster::~SimulatedCluster() {
  {
    const sql::MutexLock lock(state_->mutex);
    state_->stopping = true;
    state_->timer_added.NotifyAll();
  }
  if (state_->thread.joinable()) state_->thread.join();
}

Time SimulatedCluster::Now() const { return state_->Now(); }

void SimulatedCluster::AdvanceTo(Time time) {
  assert(!state_->options.real_time);
  const sql::MutexLock lock(state_->mutex);
  state_->RunUntil(time);
  for (const auto& watch : state_->watches) {
    if (const auto queue = watch.lock()) queue->Wake();
  }
}

std::optional<Time> SimulatedCluster::NextEventTime() const {
  const sql::MutexLock lock(state_->mutex);
  state_->DropVoidTimers();
  std::optional<Time> next;
  if (!state_->timers.Empty()) next = state_->timers.First().due;
  for (const auto& watch : state_->watches) {
    const auto queue = watch.lock();
    const auto due = queue ? queue->NextDue(state_->Now()) : std::nullopt;
    if (due && (!next || *due < *next)) next = due;
  }
  return next;
}

Time SimulatedCluster::State::Now() const {
  if (!options.real_time) return virtual_now.load();
  return std::chrono::floor<std::chrono::microseconds>(
      std::chrono::system_clock::now());
}

void SimulatedCluster::State::AddTimer(const Timer& timer) {
  if (timers.Empty() || timer.due < timers.First().due) {
    timer_added.NotifyAll();
  }
  timers.Add(timer);
}

void SimulatedCluster::State::AddTimer(Timer::Kind kind, Time due,
                                       const SimulatedPod& pod) {
  AddTimer({.due = due,
            .kind = kind,
            .slot = pod.slot,
            .generation = pod.generation,
            .epoch = pod.epoch});
}

void SimulatedCluster::State::AddTimer(Timer::Kind kind, Time due,
                                       const SimulatedJob& job) {
  AddTimer({.due = due, .kind = kind, .job = job.number});
}

bool SimulatedCluster::State::IsVoid(const Timer& timer) {
  if (timer.kind == Timer::Kind::kJobExpires) return !jobs.contains(timer.job);
  if (timer.kind == Timer::Kind::kSyncJob ||
      timer.kind == Timer::Kind::kJobDeadline) {
    const auto job = jobs.find(timer.job);
    if (job == jobs.end() || job->second.Over()) return true;
    if (timer.kind == Timer::Kind::kSyncJob) return false;
    const auto& status = job->second.status;
    return !status.started_at ||
           *status.started_at + *status.job.active_deadline > timer.due;
  }
  const SimulatedPod* const pod = pods.At(timer.slot, timer.generation);
  return pod == nullptr || pod->epoch != timer.epoch;
}

void SimulatedCluster::State::DropVoidTimers() {
  while (!timers.Empty() && IsVoid(timers.First())) timers.RemoveFirst();
}

void SimulatedCluster::State::RunUntil(Time time) {
  for (DropVoidTimers(); !timers.Empty() && timers.First().due <= time;
       DropVoidTimers()) {
    const Timer timer = timers.First();
    timers.RemoveFirst();
    if (timer.due > virtual_now.load()) virtual_now = timer.due;
    RunTimer(timer);
  }
  if (time > virtual_now.load()) virtual_now = time;
}

void SimulatedCluster::State::RunTimer(const Timer& timer) {
  if (timer.kind == Timer::Kind::kSyncJob) return SyncJob(jobs.at(timer.job));
  if (timer.kind == Timer::Kind::kJobExpires) {
    return DeleteJob(jobs.at(timer.job));
  }
  if (timer.kind == Timer::Kind::kJobDeadline) {
    SimulatedJob& job = jobs.at(timer.job);
    FinishJob(job, KubernetesJobStatus::State::kFailed, "DeadlineExceeded");
    return NoteJob(job, WatchEvent::Kind::kChanged);
  }
  SimulatedPod& pod = pods.At(timer.slot);
  switch (timer.kind) {
    case Timer::Kind::kAdmit:
      return Admit(pod);
    case Timer::Kind::kRunEnds:
      return EndRun(pod,
                    pod.attempt < pod.run.fail_first ? 1 : pod.run.exit_code);
    case Timer::Kind::kPodDeadline:
      pod.exit_code = kKilled;
      return End(pod, PodPhase::kFailed, "DeadlineExceeded");
    case Timer::Kind::kGone:
      return RemovePod(pod);
    default:
      return Collect(pod);
  }
}

void SimulatedCluster::State::RunThread() {
  const sql::MutexLock lock(mutex);
  while (!stopping) {
    RunUntil(Now());
    if (timers.Empty()) {
      timer_added.Wait(mutex);
    } else {
      // A copy: the first timer may change during the wait.
      const Time due = timers.First().due;
      timer_added.WaitUntil(mutex, due);
    }
  }
}

}  // namespace fluxnetes::cluster
