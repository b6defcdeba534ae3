#include "services/monitoring/database_probe.h"

#include <thread>
#include <utility>

#include "queue/catalogue.h"
#include "queue/control/inspection.h"
#include "queue/store/work_queue.h"
#include "services/monitoring/monitoring_queries.h"
#include "sql/condition_variable.h"
#include "sql/connection/transaction.h"
#include "sql/mutex.h"

namespace fluxnetes::services {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ProbeClock = DatabaseSample::Clock;

constexpr sql::Query kAsked[] = {queries::kSampleReplica,
                                 queries::kSampleGroups, queries::kSampleUsage};
constexpr milliseconds kFresh{1'000};
constexpr seconds kSchemaHolds{60};
constexpr int kRest = 100;  // pause, in multiples of the count's duration

sql::PoolOptions ForProbe(sql::PoolOptions options) {
  options.catalogues = {queue::Catalogue(), kAsked};
  options.max_connections = 1;
  // Counting all rows needs joins by hash.
  options.by_index_only = false;
  options.statement_timeout = seconds(10);
  return options;
}

}  // namespace

struct DatabaseProbe::State {
  State(const sql::PoolOptions& options, Check checking,
        std::function<std::int64_t()> id, sql::OnSlowStatement on_slow)
      : check(std::move(checking)),
        client(std::move(id)),
        pool(ForProbe(options)) {
    sql::OnSlowStatements(pool, std::move(on_slow));
  }

  void Run() EXCLUDES(mutex);
  bool IsFresh() const REQUIRES(mutex) {
    return ProbeClock::now() < sample->asked_at + kFresh;
  }
  DatabaseSample Ask(DatabaseSample sample);
  void AskSchema(DatabaseSample& sample);
  void AskReplica(DatabaseSample& sample);
  void Count(DatabaseSample& sample);

  const Check check;
  const std::function<std::int64_t()> client;
  sql::Pool pool;
  ProbeClock::time_point schema_asked{};  // used by the thread only

  sql::Mutex mutex;
  sql::ConditionVariable changed;
  std::shared_ptr<const DatabaseSample> sample GUARDED_BY(mutex) =
      std::make_shared<DatabaseSample>();
  bool wanted GUARDED_BY(mutex) = false;
  bool stopping GUARDED_BY(mutex) = false;

  std::thread thread;
};

void DatabaseProbe::State::Run() {
  sql::MutexLock lock(mutex);
  while (true) {
    while (!wanted && !stopping) changed.Wait(mutex);
    if (stopping) return;
    DatabaseSample next = *sample;
    lock.Unlock();
    next = Ask(std::move(next));
    lock.Lock();
    sample = std::make_shared<DatabaseSample>(std::move(next));
    wanted = false;
    changed.NotifyAll();
  }
}

DatabaseSample DatabaseProbe::State::Ask(DatabaseSample sample) {
  sample.problem.clear();
  try {
    AskSchema(sample);
    if (sample.problem.empty() && sample.schema_problem.empty()) {
      AskReplica(sample);
      Count(sample);
    }
  } catch (const std::exception& error) {
    sample.problem = error.what();
    schema_asked = {};
  }
  if (!sample.problem.empty() || !sample.schema_problem.empty()) {
    sample.registered = false;
    sample.leads.clear();
  }
  sample.asked_at = ProbeClock::now();
  return sample;
}

void DatabaseProbe::State::AskSchema(DatabaseSample& sample) {
  if (sample.schema_problem.empty() &&
      ProbeClock::now() < schema_asked + kSchemaHolds)
    return;
  std::tie(sample.problem, sample.schema_problem) = check();
  schema_asked =
      sample.problem.empty() ? ProbeClock::now() : ProbeClock::time_point{};
}

void DatabaseProbe::State::AskReplica(DatabaseSample& sample) {
  const sql::Result answer =
      sql::RunAlone(pool, queries::kSampleReplica, client());
  sample.registered = answer[0].Get<bool>("registered");
  sample.replicas = answer[0].Get<std::int64_t>("replicas");
  sample.leads = answer[0].Get<std::vector<std::string>>("leads");
}

void DatabaseProbe::State::Count(DatabaseSample& sample) {
  const ProbeClock::time_point begin = ProbeClock::now();
  if (sample.counted_at &&
      begin < *sample.counted_at + std::max<ProbeClock::duration>(
                                       kFresh, kRest * sample.counting))
    return;
  sql::Transaction transaction(pool, sql::Isolation::kReadOnly);
  std::vector<DatabaseSample::Groups> groups;
  for (const sql::Row row : transaction.Run(queries::kSampleGroups))
    groups.push_back(
        {row.Get<std::string>("queue"), row.Get<std::string>("state"),
         row.Find<std::string>("reason").value_or(""),
         row.Get<std::int64_t>("groups"), row.Get<double>("oldest")});
  std::vector<DatabaseSample::Jobs> jobs;
  for (const queue::JobCounts& counts : queue::CountJobs(transaction)) {
    std::optional<double> oldest;
    if (counts.oldest_available) oldest = counts.oldest_available->count();
    jobs.push_back({counts.kind, counts.state, counts.jobs, oldest});
  }
  std::vector<DatabaseSample::Usage> usage;
  for (const sql::Row row : transaction.Run(queries::kSampleUsage))
    usage.push_back({row.Get<std::string>("queue"),
                     row.Get<std::string>("resource"),
                     row.Get<double>("used")});
  sample.groups = std::move(groups);
  sample.usage = std::move(usage);
  sample.jobs = std::move(jobs);
  sample.counted_at = ProbeClock::now();
  sample.counting = *sample.counted_at - begin;
}

DatabaseProbe::DatabaseProbe(const sql::PoolOptions& options, Check check,
                             std::function<std::int64_t()> client,
                             sql::OnSlowStatement on_slow)
    : state_(std::make_unique<State>(options, std::move(check),
                                     std::move(client), std::move(on_slow))) {
  state_->thread = std::thread([this] { state_->Run(); });
}

DatabaseProbe::~DatabaseProbe() {
  {
    const sql::MutexLock lock(state_->mutex);
    state_->stopping = true;
  }
  state_->changed.NotifyAll();
  state_->thread.join();
}

std::shared_ptr<const DatabaseSample> DatabaseProbe::Look(
    milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  const sql::MutexLock lock(state_->mutex);
  if (state_->IsFresh()) return state_->sample;
  state_->wanted = true;
  state_->changed.NotifyAll();
  while (!state_->IsFresh() &&
         state_->changed.WaitUntil(state_->mutex, until)) {
  }
  return state_->sample;
}

sql::PoolCounts DatabaseProbe::counts() const {
  return sql::CountsOf(state_->pool);
}

}  // namespace fluxnetes::services
