#include "services/serve/scheduler.h"

#include <utility>

#include "services/serve/scheduler_state.h"

namespace fluxnetes::services {
namespace {

// Limits the duration of a stop to a few seconds.
constexpr std::size_t kEventsAtStop = 1'000;

}  // namespace

cluster::Time SchedulingNow() {
  return std::chrono::floor<std::chrono::microseconds>(
      std::chrono::system_clock::now());
}

void Scheduler::State::StartLoops() {
  if (!database_wait.Wait()) return;
  Build();
  Wire();
  listener.Start();
  loops.Start();
  maintenance.Start();
  running = true;
  log.Info("scheduling", {{"client", client.id()}});
}

Scheduler::Scheduler(SchedulerOptions options, cluster::Cluster& cluster,
                     const Log& log)
    : state_(std::make_unique<State>(std::move(options), cluster, log)) {}

Scheduler::~Scheduler() { Stop(); }

void Scheduler::Start() {
  state_->starter = std::thread([this] { state_->StartLoops(); });
}

void Scheduler::Stop() {
  if (std::exchange(state_->stopped, true)) return;
  state_->database_wait.Stop();
  if (state_->starter.joinable()) state_->starter.join();
  // The client may be registered.
  if (!state_->running) return state_->client.Stop();
  state_->running = false;
  state_->listener.Stop();
  state_->maintenance.Stop();
  state_->loops.Stop();
  try {
    const std::size_t untold = state_->event_recorder->Flush(kEventsAtStop);
    if (untold > 0)
      state_->log.Warn("events of bound pods are lost, too many waited",
                       {{"count", untold}});
  } catch (const cluster::Unreachable& error) {
    state_->log.Warn("events of bound pods are lost, they cannot be sent",
                     {{"why", error.what()}});
  }
  try {
    state_->match->Stop();
    state_->intake_leader.Resign();
  } catch (const std::exception& error) {
    state_->log.Warn(
        "could not give leases and leaderships back, others take them over "
        "after client.timeToLive",
        {{"why", error.what()}});
  }
  state_->client.Stop();
}

bool Scheduler::Running() const { return state_->running; }

}  // namespace fluxnetes::services
