#include "queue/maintenance/maintenance.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "queue/clients/leadership.h"
#include "queue/maintenance/periodic_jobs.h"
#include "sql/condition_variable.h"
#include "sql/error.h"
#include "sql/mutex.h"

namespace fluxnetes::queue {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Kind = MaintenanceEvent::Kind;

// The SQLSTATE of a server that accepts no writes.
constexpr auto kReadOnly = "25006";

// A periodic task, which runs less often while it fails.
struct Task {
  std::string name;
  milliseconds interval;
  std::function<std::string()> run;  // what it did, if notable
  steady_clock::time_point next{};
  std::string failing = {};
  milliseconds back_off{0};
};

}  // namespace

struct Maintenance::State {
  State(sql::Pool& shared, WorkQueue& work_queue, const Client& client,
        MaintenanceOptions given)
      : options(std::move(given)),
        pool(shared),
        jobs(work_queue),
        leadership(shared, client, options.name),
        periodic(shared, work_queue),
        retention(shared, options.retention, &interrupt),
        upkeep(shared, options.upkeep, &interrupt) {}

  void MakeTasks();
  bool Elect();
  void Perform(Task& task);
  bool RunAll(std::vector<Task>& tasks);
  void Tell(Kind kind, const std::string& task = {},
            const std::string& text = {}) const;
  void Loop(const std::function<void()>& once) EXCLUDES(mutex);
  void StandDown(const std::string& why);
  std::string KeepPartitions();

  const MaintenanceOptions options;
  sql::Pool& pool;
  WorkQueue& jobs;
  sql::Interrupt interrupt;

  std::atomic<std::int64_t> term = 0;  // set by the quick thread

  // Used by the quick thread.
  Leadership leadership;
  PeriodicJobs periodic;
  Task election;
  steady_clock::time_point next_confirmation{};
  std::vector<Task> quick;

  // Used by the slow thread.
  Retention retention;
  Upkeep upkeep;
  std::vector<Task> slow;

  sql::Mutex mutex;
  sql::ConditionVariable stop;
  bool stopping GUARDED_BY(mutex) = false;
  std::thread quick_thread;
  std::thread slow_thread;
};

void Maintenance::State::MakeTasks() {
  const auto every = options.interval;
  election = {"election", every, [this] {
                Elect();
                return std::string();
              }};
  quick.push_back({"due", every, [this] {
                     jobs.MakeDueAvailable();
                     return std::string();
                   }});
  quick.push_back({"rescue", every, [this] {
                     const int rescued = jobs.Rescue();
                     return rescued == 0
                                ? ""
                                : fmt::format("{} jobs rescued", rescued);
                   }});
  quick.push_back({"periodic", every, [this] {
                     periodic.RunOnce([this](sql::Transaction& transaction) {
                       leadership.Check(transaction, term);
                     });
                     return std::string();
                   }});
  slow.push_back(
      {"partitions", options.partitions, [this] { return KeepPartitions(); }});
  slow.push_back({"vacuum", options.vacuum, [this] {
                    upkeep.Vacuum();
                    return std::string();
                  }});
  slow.push_back({"indexes", options.indexes, [this] {
                    const int done = upkeep.Reindex();
                    return done == 0 ? ""
                                     : fmt::format("{} written anew", done);
                  }});
  slow.push_back({"forget", options.forget, [this] {
                    upkeep.Forget();
                    return std::string();
                  }});
}

std::string Maintenance::State::KeepPartitions() {
  const Retention::Outcome outcome = retention.RunOnce();
  if (outcome.made + outcome.dropped + outcome.delayed == 0) return "";
  return fmt::format("{} made, {} dropped, {} delayed", outcome.made,
                     outcome.dropped, outcome.delayed);
}

// An election that throws leaves the process without leadership.
bool Maintenance::State::Elect() {
  const std::int64_t before = term.exchange(0);
  const auto now = steady_clock::now();
  const std::optional<std::int64_t> won = leadership.TryAcquire();
  if (won && (*won != before || now >= next_confirmation)) {
    if (!leadership.Confirm(*won)) return false;
    next_confirmation = now + options.confirm;
  }
  term = won.value_or(0);
  if (before != 0 && !won) Tell(Kind::kDeposed, "election", "by another");
  if (won && before != *won) Tell(Kind::kElected);
  return won.has_value();
}

void Maintenance::State::StandDown(const std::string& why) {
  if (term.exchange(0) != 0) Tell(Kind::kDeposed, "election", why);
  pool.CloseAll();  // reconnecting may find the writable server
}

void Maintenance::State::Perform(Task& task) {
  const auto fails = [&](const char* what) {
    if (task.failing != what) Tell(Kind::kFailed, task.name, what);
    task.failing = what;
    task.back_off =
        std::clamp(2 * task.back_off, options.interval,
                   std::max(options.interval, options.most_back_off));
    task.next = steady_clock::now() + task.back_off;
  };
  try {
    const std::string did = task.run();
    if (!task.failing.empty()) Tell(Kind::kRecovered, task.name);
    task.failing.clear();
    task.back_off = milliseconds{0};
    task.next = steady_clock::now() + task.interval;
    if (!did.empty()) Tell(Kind::kDone, task.name, did);
  } catch (const LostTerm& lost) {
    if (term.exchange(0) != 0) Tell(Kind::kDeposed, "election", lost.what());
  } catch (const sql::Error& error) {
    if (error.sqlstate() == kReadOnly) StandDown(error.what());
    fails(error.what());
  } catch (const std::exception& error) {
    fails(error.what());
  }
}

bool Maintenance::State::RunAll(std::vector<Task>& tasks) {
  for (Task& task : tasks) {
    if (term == 0) return false;
    if (steady_clock::now() >= task.next) Perform(task);
  }
  return term != 0;
}

void Maintenance::State::Tell(Kind kind, const std::string& task,
                              const std::string& text) const {
  if (options.on_event) options.on_event({kind, task, text});
}

void Maintenance::State::Loop(const std::function<void()>& once) {
  sql::MutexLock lock(mutex);
  while (!stopping) {
    lock.Unlock();
    once();
    const auto until = steady_clock::now() + options.interval;
    lock.Lock();
    while (!stopping && stop.WaitUntil(mutex, until)) {
    }
  }
}

Maintenance::Maintenance(sql::Pool& pool, WorkQueue& jobs, const Client& client,
                         MaintenanceOptions options)
    : state_(std::make_unique<State>(pool, jobs, client, std::move(options))) {
  state_->MakeTasks();
}

Maintenance::~Maintenance() { Stop(); }

bool Maintenance::RunQuick() {
  State& state = *state_;
  if (state.election.failing.empty() ||
      steady_clock::now() >= state.election.next)
    state.Perform(state.election);
  return state.RunAll(state.quick);
}

bool Maintenance::RunSlow() { return state_->RunAll(state_->slow); }

std::int64_t Maintenance::term() const { return state_->term; }

void Maintenance::Start() {
  State& state = *state_;
  state.quick_thread =
      std::thread([this, &state] { state.Loop([this] { RunQuick(); }); });
  state.slow_thread =
      std::thread([this, &state] { state.Loop([this] { RunSlow(); }); });
}

void Maintenance::Stop() {
  State& state = *state_;
  {
    const sql::MutexLock lock(state.mutex);
    state.stopping = true;
  }
  state.stop.NotifyAll();
  if (state.quick_thread.joinable()) state.quick_thread.join();
  if (state.term.exchange(0) != 0) {
    try {
      state.leadership.Resign();
    } catch (const sql::Error&) {
      // Another client takes over when ours counts as dead.
    }
  }
  state.interrupt.Trigger();
  if (state.slow_thread.joinable()) state.slow_thread.join();
}

}  // namespace fluxnetes::queue
