#include <utility>

#include "services/serve/scheduler_state.h"
#include "workers/loops/group_jobs.h"

namespace fluxnetes::services {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kNodesReported = 1s;  // how often the table of nodes is written

}  // namespace

// Each loop has a thread. It runs its step when its bell rings, when the step
// is due, and at the latest after the interval. Who rings: WireListener() for
// jobs of the queue, the cache of the cluster, and the step of cleanup.
void Scheduler::State::Wire() {
  using S = State;
  struct Row {
    const char* name;
    milliseconds interval;
    Loop** bell;  // where others ring; null: nobody does
    bool (State::*step)();
    DueIn due_in = nullptr;
  };
  const Row rows[] = {
      {"intake", 0ms, nullptr, &S::StepIntake},  // it waits in the watch
      {"promoter", 1s, nullptr, &S::StepPromoter},
      {"stalled", 1s, nullptr, &S::StepStalled},
      // The interval bounds how soon a lost owner is noticed.
      {"match", 500ms, &match_loop, &S::StepMatch,
       [this] { return MatchDue(); }},
      // The forecaster limits its own rate.
      {"forecast", 250ms, nullptr, &S::StepForecast},
      {"binder", 1s, &binder_loops[0], &S::StepBinder<0>},
      {"binder", 1s, &binder_loops[1], &S::StepBinder<1>},
      {"overdue", 5s, nullptr, &S::StepOverdue},
      {"events", 100ms, nullptr, &S::StepEvents},
      {"cleanup", 1s, &cleanup_loop, &S::StepCleanup},
      {"late", 1s, nullptr, &S::StepLate},
      {"resync", 1s, &resync_loop, &S::StepResync},
      {"notices", 1s, &notices_loop, &S::StepNotices},
      // One batch a second: other work is more important.
      {"news", 1s, nullptr, &S::StepNews},
      {"statuses", 1s, nullptr, &S::StepStatuses},
  };
  static_assert(kBinders == 2);
  for (const Row& row : rows) {
    AddLoop(
        row.name, row.interval,
        [this, step = row.step] { return (this->*step)(); }, row.due_in);
    if (row.bell != nullptr) *row.bell = loops.back().get();
  }
  WireListener();
}

void Scheduler::State::AddLoop(const std::string& name, milliseconds interval,
                               Loop::Step step, DueIn due_in) {
  loops.push_back(std::make_unique<Loop>(
      workers::LoopOptions{
          .name = name, .interval = interval, .due_in = std::move(due_in)},
      std::move(step),
      [this](const std::string& loop, const std::string& what) {
        if (what.empty()) {
          log.Info("recovered", {{"loop", loop}});
        } else {
          log.Error("failed, trying again", {{"loop", loop}, {"why", what}});
        }
      }));
}

// The steps return true if there is more to do at once.

bool Scheduler::State::StepIntake() {
  intake->RunOnce(SchedulingNow());
  return true;
}

bool Scheduler::State::StepPromoter() {
  return promoter->RunOnce(SchedulingNow());
}

bool Scheduler::State::StepStalled() {
  return stalled_groups->RunOnce(SchedulingNow());
}

bool Scheduler::State::StepMatch() {
  const bool more = match->RunOnce(SchedulingNow());
  if (steady_clock::now() >= report_nodes) {
    match->ReportNodes(SchedulingNow());
    report_nodes = steady_clock::now() + kNodesReported;
  }
  return more;
}

std::optional<std::chrono::milliseconds> Scheduler::State::MatchDue() const {
  const auto due = match->NextDue();
  if (!due) return std::nullopt;
  return std::chrono::ceil<milliseconds>(
      cluster::Time(std::chrono::seconds(*due)) - SchedulingNow());
}

bool Scheduler::State::StepForecast() {
  forecaster->RunOnce(SchedulingNow());
  return false;
}

template <std::size_t kBinder>
bool Scheduler::State::StepBinder() {
  return binders[kBinder]->RunOnce(SchedulingNow());
}

bool Scheduler::State::StepOverdue() {
  overdue_bindings->GiveUp(SchedulingNow());
  return false;
}

bool Scheduler::State::StepEvents() {
  const std::int64_t dropped = event_recorder->dropped();
  if (std::exchange(events_dropped, dropped) != dropped)
    log.Warn("too many events of bindings wait, some are dropped",
             {{"count", dropped}});
  return event_recorder->RunOnce(SchedulingNow());
}

bool Scheduler::State::StepCleanup() {
  const bool more = cleanup->RunOnce(SchedulingNow());
  match_loop->Ring();
  return more;
}

bool Scheduler::State::StepLate() {
  return start_by_deadlines->RunOnce(SchedulingNow());
}

bool Scheduler::State::StepResync() { return resync->RunOnce(SchedulingNow()); }

bool Scheduler::State::StepNotices() { return notices->RunOnce(); }

bool Scheduler::State::StepNews() {
  wait_news->RunOnce(SchedulingNow());
  return false;
}

bool Scheduler::State::StepStatuses() {
  group_statuses->RunOnce(SchedulingNow());
  return false;
}

// Wakes one idle binder if there is one: two would race for the same jobs.
void Scheduler::State::RingBinders() {
  for (Loop* loop : binder_loops) {
    if (loop->Idle()) return loop->Ring();
  }
  for (Loop* loop : binder_loops) loop->Ring();
}

void Scheduler::State::WireListener() {
  listener.On("jobs", [this](const std::string& queue) {
    if (queue == workers::kBindQueue) {
      RingBinders();
    } else if (queue == workers::kCleanupQueue) {
      cleanup_loop->Ring();
    } else if (queue == workers::kNoticeQueue) {
      notices_loop->Ring();
    } else {
      match_loop->Ring();
    }
  });
  for (const char* channel : {"match", "leaders"}) {
    listener.On(channel, [this](const std::string&) {
      match->Look();
      match_loop->Ring();
    });
  }
}

}  // namespace fluxnetes::services
