#include <utility>

#include "services/serve/scheduler_state.h"
#include "workers/loops/group_jobs.h"

namespace fluxnetes::services {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A rate limit for an action in a loop that runs often.
class Throttle {
 public:
  explicit Throttle(milliseconds interval) : interval_(interval) {}
  bool Due() const { return steady_clock::now() >= next_; }
  void Done() { next_ = steady_clock::now() + interval_; }

 private:
  milliseconds interval_;
  steady_clock::time_point next_{};
};

}  // namespace

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

void Scheduler::State::WireBinders() {
  for (std::size_t i = 0; i < kBinders; ++i) {
    AddLoop("binder", milliseconds{1'000},
            [this, i] { return binders[i]->RunOnce(SchedulingNow()); });
    binder_loops[i] = loops.back().get();
  }
  AddLoop("overdue", milliseconds{5'000}, [this] {
    overdue_bindings->GiveUp(SchedulingNow());
    return false;
  });
  AddLoop("events", milliseconds{100},
          [this, said = std::int64_t{0}]() mutable {
            const std::int64_t dropped = event_recorder->dropped();
            if (std::exchange(said, dropped) != dropped)
              log.Warn("too many events of bindings wait, some are not told",
                       {{"count", dropped}});
            return event_recorder->RunOnce(SchedulingNow());
          });
}

// Wakes one idle binder if there is one: two would race for the same jobs.
void Scheduler::State::RingBinders() {
  for (Loop* loop : binder_loops) {
    if (loop->Idle()) return loop->Ring();
  }
  for (Loop* loop : binder_loops) loop->Ring();
}

void Scheduler::State::WireTellers() {
  AddLoop("notices", milliseconds{1'000},
          [this] { return notices->RunOnce(); });
  notices_loop = loops.back().get();
  AddLoop("news", milliseconds{1'000}, [this] {
    wait_news->RunOnce(SchedulingNow());
    return false;  // one batch a second: other work is more important
  });
  AddLoop("statuses", milliseconds{1'000}, [this] {
    group_statuses->RunOnce(SchedulingNow());
    return false;  // as above
  });
}

void Scheduler::State::Wire() {
  AddLoop("intake", milliseconds{0}, [this] {
    intake->RunOnce(SchedulingNow());
    return true;  // it waits in the watch
  });
  AddLoop("promoter", milliseconds{1'000},
          [this] { return promoter->RunOnce(SchedulingNow()); });
  // The interval bounds how soon a lost owner is noticed.
  AddLoop(
      "match", milliseconds{500},
      [this, report = Throttle(milliseconds{1'000})]() mutable {
        const bool more = match->RunOnce(SchedulingNow());
        if (report.Due()) {
          match->ReportNodes(SchedulingNow());
          report.Done();
        }
        return more;
      },
      [this]() -> std::optional<milliseconds> {
        const auto due = match->NextDue();
        if (!due) return std::nullopt;
        return std::chrono::ceil<milliseconds>(
            cluster::Time(std::chrono::seconds(*due)) - SchedulingNow());
      });
  match_loop = loops.back().get();
  // The forecaster limits its own rate.
  AddLoop("forecast", milliseconds{250}, [this] {
    forecaster->RunOnce(SchedulingNow());
    return false;
  });
  WireBinders();
  AddLoop("cleanup", milliseconds{1'000}, [this] {
    const bool more = cleanup->RunOnce(SchedulingNow());
    match_loop->Ring();
    return more;
  });
  cleanup_loop = loops.back().get();
  AddLoop("late", milliseconds{1'000},
          [this] { return start_by_deadlines->RunOnce(SchedulingNow()); });
  AddLoop("resync", milliseconds{1'000},
          [this] { return resync->RunOnce(SchedulingNow()); });
  resync_loop = loops.back().get();
  WireTellers();
  WireListener();
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
