// Faults of a random run.
#include <iterator>
#include <utility>

#include "tests/invariants/random/random_run.h"

namespace fluxnetes::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

void RandomRun::DisturbWatches() {
  cluster::WatchFaults faults;
  faults.delay = milliseconds(Chance(0.5) ? Pick(0, 500) : 0);
  faults.repeat = Chance(0.5) ? 0.2 : 0;
  faults.late = Chance(0.5) ? 0.2 : 0;
  faults.drop = Chance(0.3) ? 0.05 : 0;
  Note(fmt::format("watches: delay {} repeat {} late {} drop {}",
                   faults.delay.count(), faults.repeat, faults.late,
                   faults.drop));
  system_.cluster.SetWatchFaults(faults);
  for (int i = Pick(1, 4); i > 0 && Holds(); --i) {
    if (Chance(0.7)) Submit();
    Chance(0.5) ? Pass() : EndPod();
    system_.Settle();
  }
  system_.cluster.SetWatchFaults({});
  Note("watches are well");
  system_.Advance(seconds(1));
}

void RandomRun::DropWatches() {
  Note("drop watches");
  system_.cluster.DropWatches();
}

void RandomRun::FailBinds() {
  const auto fault = static_cast<cluster::BindFault>(Pick(0, 3));
  const int count = Pick(1, 3), after = Pick(0, 6);
  Note(fmt::format("{} bindings fail in manner {} after {}", count,
                   static_cast<int>(fault), after));
  system_.cluster.FailBinds(fault, count, after);
  Submit();
}

void RandomRun::LoseApi() {
  Note("the API server is away");
  system_.cluster.SetReachable(false);
  system_.Settle();
  system_.Advance(seconds(Pick(1, 60)));
  if (Chance(0.3)) system_.CrashAndRestart();
  system_.cluster.SetReachable(true);
  Note("the API server is back");
}

void RandomRun::Crash() {
  Note("crash");
  system_.CrashAndRestart();
}

void RandomRun::CrashBetweenSteps() {
  Submit();
  const auto now = system_.cluster.Now();
  const int steps = Pick(0, 5);
  Note(fmt::format("crash after step {}", steps));
  for (int i = 0; i < steps; ++i) system_.process->RunWorker(i, now);
  system_.CrashAndRestart();
}

// Suspends one of the two for so long that its client counts as dead.
void RandomRun::FallAsleep() {
  if (!replicas_ || asleep_ != nullptr) return;
  Submit();
  if (Chance(0.5)) std::swap(system_.process, system_.standby);
  const int steps = Pick(0, 5);
  Note(fmt::format("client {} falls asleep after step {}",
                   system_.standby->client.id(), steps));
  for (int i = 0; i < steps; ++i) {
    system_.standby->RunWorker(i, system_.cluster.Now());
  }
  asleep_ = std::move(system_.standby);
  system_.DeclareDead(*asleep_);
}

// It continues where it was until it notices the takeover.
void RandomRun::WakeUp() {
  if (asleep_ == nullptr) return;
  Note(fmt::format("client {} wakes up", asleep_->client.id()));
  for (int i = Pick(0, 6); i > 0; --i) {
    asleep_->RunWorker(Pick(0, SchedulerProcess::kWorkers - 1),
                       system_.cluster.Now());
  }
  asleep_->client.Beat();
  system_.standby = std::move(asleep_);
}

// One of the two stops cleanly and starts again.
void RandomRun::HandOver() {
  if (!replicas_ || asleep_ != nullptr) return;
  if (Chance(0.5)) std::swap(system_.process, system_.standby);
  Note(fmt::format("client {} stops", system_.standby->client.id()));
  system_.standby->Stop();
  system_.standby.reset();
  system_.Settle();
  system_.standby = std::make_unique<SchedulerProcess>(
      system_.database.options(), system_.cluster);
}

// Compares everything in the middle of other work.
void RandomRun::Compare() {
  Note("everything is compared");
  if (Chance(0.5)) Submit();
  system_.process->resync.CompareEverything();
  if (system_.standby) system_.standby->resync.CompareEverything();
}

// Adds two accounts that may borrow from each other.
void RandomRun::AddAccounts() {
  system_.database.Execute(
      "INSERT INTO accounts (name, parent, namespace, quota, borrows) VALUES "
      "('all', NULL, NULL, '{\"cpu\": \"60\"}', false), "
      "('most', 'all', 'default', '{\"cpu\": \"30\"}', true), "
      "('some', 'all', 'lab', '{\"cpu\": \"20\"}', true)");
}

void RandomRun::EditAccount() {
  static constexpr const char* kAccounts[] = {"all", "most", "some"};
  if (!accounts_) return;
  const int which = Pick(0, std::size(kAccounts) - 1);
  const std::string edit =
      which > 0 && Chance(0.3)
          ? "borrows = NOT borrows"
          : fmt::format("quota = '{{\"cpu\": \"{}\"}}'",
                        which == 0 ? Pick(20, 80) : Pick(4, 40));
  Note(fmt::format("account '{}': {}", kAccounts[which], edit));
  system_.database.Execute(fmt::format(
      "UPDATE accounts SET {} WHERE name = '{}'", edit, kAccounts[which]));
}

// Gives the pools their first totals.
void RandomRun::AddPools() {
  system_.database.Execute(
      "INSERT INTO pools (name, total) VALUES ('licences', 6), ('tapes', 2) "
      "ON CONFLICT (name) DO UPDATE SET total = excluded.total");
}

// A pool may become smaller than what is held of it, and may be lacking for a
// while.
void RandomRun::EditPool() {
  if (!pools_) return;
  if (Chance(0.2)) {
    Note("the pools are as at the beginning");
    return AddPools();
  }
  const std::string edit =
      Chance(0.1) ? "DELETE FROM pools WHERE name = 'tapes'"
                  : fmt::format("UPDATE pools SET total = {} WHERE name = '{}'",
                                Pick(0, 8), Chance(0.7) ? "licences" : "tapes");
  Note(edit);
  system_.database.Execute(edit);
}

void RandomRun::EditQueue() {
  static constexpr const char* kEdits[] = {
      "paused = NOT paused",      "queue_policy = 'fcfs'",
      "queue_policy = 'easy'",    "assumed_duration = '100 s'",
      "queue_policy = 'hybrid'",  "queue_policy = 'conservative'",
      "reservation_depth = 2",    "reservation_depth = NULL",
      "assumed_duration = NULL",  "match_policy = 'first'",
      "match_policy = 'hinode'",  "match_policy = 'low'",
      "deadline_action = 'pods'", "deadline_action = 'job'",
      "replacement_hold = '0'",   "replacement_hold = '5 s'",
      "bind_timeout = '5 s'",     "bind_timeout = '1 minute'",
      "queue_depth = 2",          "queue_depth = 100000",
      "node_selector = '{}'",     "node_selector = '{\"pool\": \"red\"}'",
      "preemption = 'never'",     "preemption = 'lower_priority'",
      "preemption = 'reclaim'",   "preemption = 'both'"};
  const char* edit = kEdits[Pick(0, std::size(kEdits) - 1)];
  const std::string queue = AnyQueue();
  Note(fmt::format("queue '{}': {}", queue, edit));
  system_.database.Execute(fmt::format("UPDATE queues SET {} WHERE name = '{}'",
                                       edit,
                                       queue.empty() ? "default" : queue));
}

}  // namespace fluxnetes::testing
