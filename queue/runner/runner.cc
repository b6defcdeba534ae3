#include "queue/runner/runner.h"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "queue/clients/clients_queries.h"
#include "queue/clients/leaders_queries.h"
#include "queue/runner/fetcher.h"
#include "queue/runner/fetcher_queries.h"
#include "queue/runner/perform.h"
#include "queue/runner/result_writer.h"
#include "queue/runner/running_jobs.h"
#include "queue/runner/worker_threads.h"
#include "queue/store/jobs_queries.h"
#include "queue/store/lease_queries.h"
#include "queue/store/unique_queries.h"
#include "queue/store/work_queue.h"
#include "sql/condition_variable.h"
#include "sql/connection/listener.h"

namespace fluxnetes::queue {
namespace {

using std::chrono::milliseconds;

constexpr int kMostThreads = 64;

sql::PoolOptions ForRunner(sql::PoolOptions options) {
  options.max_connections = 2;
  options.catalogues = {queries::kAllClients, queries::kAllFetcher,
                        queries::kAllJobs,    queries::kAllLeaders,
                        queries::kAllLease,   queries::kAllUnique};
  return options;
}

void Check(const RunnerOptions& options) {
  if (options.queues.empty())
    throw std::invalid_argument("a runner needs a queue");
  for (const auto& [name, slots] : options.queues)
    if (name.empty() || slots < 1)
      throw std::invalid_argument("a runner's queue needs a name and a slot");
  if (options.poll <= milliseconds(0))
    throw std::invalid_argument("a runner must poll now and then");
}

int ThreadsOf(const RunnerOptions& options) {
  if (options.threads > 0) return options.threads;
  long slots = 0;
  for (const auto& [name, count] : options.queues) slots += count;
  return static_cast<int>(std::min<long>(slots, kMostThreads));
}

std::vector<std::string> NamesOf(const RunnerOptions& options) {
  std::vector<std::string> names;
  for (const auto& [name, slots] : options.queues) names.push_back(name);
  return names;
}

}  // namespace

// The objects that live from a Start() to its Stop().
struct Runner::Session {
  Session(sql::Pool& pool, const Workers& workers,
          const RunnerOptions& runner_options, EventStream& events);
  ~Session() { End(); }

  void Begin();
  bool End();
  void BeginRuns(RunningJobs::Runs runs);
  void WatchTime() EXCLUDES(mutex);
  bool EndRuns();
  void Tell(const std::string& what) const {
    if (options.on_failure) options.on_failure(what);
  }

  const RunnerOptions& options;
  sql::Pool& pool;
  const std::shared_ptr<WorkQueue> queue;  // shared with abandoned workers
  const std::shared_ptr<RunningJobs> running;
  Client client;
  WorkerThreads blocking;
  WorkerThreads beginnings;
  ResultWriter writer;
  Fetcher fetcher;
  sql::Listener listener;

  sql::Mutex mutex;
  sql::ConditionVariable sooner;
  bool is_sooner GUARDED_BY(mutex) = false;
  bool stopping GUARDED_BY(mutex) = false;

  // Used by the thread that calls Begin() and End().
  std::thread watch;
  bool is_over = false;
};

Runner::Session::Session(sql::Pool& pool, const Workers& workers,
                         const RunnerOptions& runner_options,
                         EventStream& events)
    : options(runner_options),
      pool(pool),
      queue(std::make_shared<WorkQueue>(pool)),
      running(std::make_shared<RunningJobs>(
          queue, workers,
          RunningJobsOptions{.slots = options.queues,
                             .timeout = options.timeout,
                             .abandon_after = options.abandon_after,
                             .hooks = options.hooks})),
      client(pool, options.client),
      blocking(ThreadsOf(options)),
      beginnings(1),
      writer(*queue, *running, events,
             [this](const std::string& what) { Tell(what); }),
      fetcher(
          *queue, pool, client, *running,
          {.queues = NamesOf(options), .poll = options.poll},
          [this](RunningJobs::Runs runs) { BeginRuns(std::move(runs)); },
          [this](const std::string& what) { Tell(what); }),
      listener(pool.options()) {
  client.OnLost([this](std::int64_t) { running->StopAll(StopReason::kLost); });
  client.OnCancelRequest([this](std::int64_t job) {
    return running->Stop(job, StopReason::kAsked);
  });
  running->OnRoom([this] { fetcher.WakeForRoom(); });
  running->OnStuck([this](const Run& run) {
    (run.worker->is_blocking ? blocking : beginnings).Replace();
  });
  running->OnSooner([this] {
    const sql::MutexLock lock(mutex);
    is_sooner = true;
    sooner.NotifyAll();
  });
  listener.On("jobs", [this](const std::string& name) { fetcher.Wake(name); });
  listener.On("cancels", [this](const std::string& id) {
    if (id.empty() || id == std::to_string(client.id())) client.Wake();
  });
}

void Runner::Session::Begin() {
  client.Start();
  watch = std::thread([this] { WatchTime(); });
  writer.Start();
  fetcher.Start();
  if (options.listen && !pool.options().transaction_pooling) listener.Start();
}

void Runner::Session::BeginRuns(RunningJobs::Runs runs) {
  std::vector<WorkerThreads::Task> block;
  std::vector<WorkerThreads::Task> begin;
  for (auto& run : runs) {
    const bool is_blocking = run->worker != nullptr && run->worker->is_blocking;
    (is_blocking ? block : begin)
        .emplace_back([all = running, run = std::move(run)] {
          return Perform(all, run);
        });
  }
  if (!block.empty()) blocking.Run(std::move(block));
  if (!begin.empty()) beginnings.Run(std::move(begin));
}

void Runner::Session::WatchTime() {
  sql::MutexLock lock(mutex);
  while (!stopping) {
    is_sooner = false;
    lock.Unlock();
    const Moment next = running->Expire();
    lock.Lock();
    bool is_due = false;
    while (!stopping && !is_sooner && !is_due) {
      if (next == Moment::max()) {
        sooner.Wait(mutex);
      } else {
        is_due = !sooner.WaitUntil(mutex, next);
      }
    }
  }
}

bool Runner::Session::EndRuns() {
  running->GiveBackWaiting();
  if (running->WaitForEnds(options.stop_wait)) return true;
  running->StopAll(StopReason::kStopping);
  if (!running->WaitForEnds(options.stop_cancel)) running->AbandonAll();
  return false;
}

bool Runner::Session::End() {
  if (std::exchange(is_over, true)) return true;
  listener.Stop();
  fetcher.Stop();
  const bool ended = EndRuns();
  const bool recorded = running->WaitForRecords(options.stop_record);
  writer.Stop();
  blocking.Stop();
  beginnings.Stop();
  {
    const sql::MutexLock lock(mutex);
    stopping = true;
  }
  sooner.NotifyAll();
  if (watch.joinable()) watch.join();
  client.Stop();
  return ended && recorded;
}

Runner::Runner(sql::Pool& pool, Workers workers, RunnerOptions options)
    : pool_(ForRunner(pool.options())),
      workers_(std::move(workers)),
      options_(std::move(options)) {
  Check(options_);
}

Runner::~Runner() { Stop(); }

void Runner::Start() {
  const sql::MutexLock changing(changing_);
  if (client_id() != 0) throw std::logic_error("the runner runs already");
  const auto session =
      std::make_shared<Session>(pool_, workers_, options_, events_);
  session->Begin();
  const sql::MutexLock lock(mutex_);
  session_ = session;
}

bool Runner::Stop() {
  const sql::MutexLock changing(changing_);
  std::shared_ptr<Session> session;
  {
    const sql::MutexLock lock(mutex_);
    session = session_;
  }
  if (session == nullptr) return true;
  const bool is_clean = session->End();
  const sql::MutexLock lock(mutex_);
  session_ = nullptr;
  return is_clean;
}

std::shared_ptr<Subscription> Runner::Subscribe(std::size_t capacity) {
  return events_.Subscribe(capacity);
}

std::int64_t Runner::client_id() const {
  const sql::MutexLock lock(mutex_);
  return session_ == nullptr ? 0 : session_->client.id();
}

int Runner::running() const {
  const sql::MutexLock lock(mutex_);
  return session_ == nullptr ? 0 : session_->running->running();
}

}  // namespace fluxnetes::queue
