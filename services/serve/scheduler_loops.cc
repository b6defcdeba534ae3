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
      {"match", 500ms, &bells.match, &S::StepMatch,
       [this] { return MatchDue(); }},
      // The forecaster limits its own rate.
      {"forecast", 250ms, nullptr, &S::StepForecast},
      {"binder", 1s, &bells.binders[0], &S::StepBinder<0>},
      {"binder", 1s, &bells.binders[1], &S::StepBinder<1>},
      {"overdue", 5s, nullptr, &S::StepOverdue},
      {"claims", 1s, nullptr, &S::StepClaims},
      {"events", 100ms, nullptr, &S::StepEvents},
      {"cleanup", 1s, &bells.cleanup, &S::StepCleanup},
      {"late", 1s, nullptr, &S::StepLate},
      {"usage", 10min, nullptr, &S::StepUsage},
      {"resync", 1s, &bells.resync, &S::StepResync},
      {"notices", 1s, &bells.notices, &S::StepNotices},
      // One batch a second: other work is more important.
      {"news", 1s, nullptr, &S::StepNews},
      {"statuses", 1s, nullptr, &S::StepStatuses},
      {"report", 5s, nullptr, &S::StepReport},
  };
  static_assert(kBinders == 2);
  for (const Row& row : rows) {
    Loop& loop = loops.Add(
        {.name = row.name, .interval = row.interval, .due_in = row.due_in},
        [this, step = row.step] { return (this->*step)(); });
    if (row.bell != nullptr) *row.bell = &loop;
  }
  WireListener();
}

// The steps return true if there is more to do at once.

bool Scheduler::State::StepIntake() {
  intake->RunOnce(SchedulingNow());
  return true;
}

bool Scheduler::State::StepPromoter() {
  const bool more = promoter->RunOnce(SchedulingNow());
  if (handover.AnyWaits()) bells.match->Ring();
  return more;
}

bool Scheduler::State::StepStalled() {
  const bool more = stalled_groups->RunOnce(SchedulingNow());
  if (handover.AnyWaits()) bells.match->Ring();
  return more;
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

bool Scheduler::State::StepClaims() {
  claim_release->RunOnce();
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
  bells.match->Ring();
  return more;
}

bool Scheduler::State::StepLate() {
  return start_by_deadlines->RunOnce(SchedulingNow());
}

bool Scheduler::State::StepResync() { return resync->RunOnce(SchedulingNow()); }

bool Scheduler::State::StepUsage() {
  usage_roll_up->RunOnce(SchedulingNow());
  return false;
}

bool Scheduler::State::StepNotices() { return notices->RunOnce(); }

bool Scheduler::State::StepNews() {
  wait_news->RunOnce(SchedulingNow());
  return false;
}

bool Scheduler::State::StepStatuses() {
  group_statuses->RunOnce(SchedulingNow());
  return false;
}

bool Scheduler::State::StepReport() {
  loops.Report(pool, client.id());
  return false;
}

void Bells::RingBinders() {
  for (Loop* loop : binders) {
    if (loop->Idle()) return loop->Ring();
  }
  for (Loop* loop : binders) loop->Ring();
}

void Scheduler::State::WireListener() {
  listener.On("jobs", [this](const std::string& queue) {
    if (queue == workers::kBindQueue) {
      bells.RingBinders();
    } else if (queue == workers::kCleanupQueue) {
      bells.cleanup->Ring();
    } else if (queue == workers::kNoticeQueue) {
      bells.notices->Ring();
    } else {
      bells.match->Ring();
    }
  });
  for (const char* channel : {"match", "leaders"}) {
    listener.On(channel, [this](const std::string&) {
      match->Look();
      bells.match->Ring();
    });
  }
}

}  // namespace fluxnetes::services
