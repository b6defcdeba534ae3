#include "services/serve/scheduler.h"

#include <utility>

#include "services/config/config.h"
#include "services/console/exit_code.h"
#include "services/database/database.h"
#include "services/serve/scheduler_state.h"

namespace fluxnetes::services {
namespace {

using std::chrono::milliseconds;

// Limits the duration of a stop to a few seconds.
constexpr std::size_t kEventsAtStop = 1'000;

Config ConfigOf(const sql::PoolOptions& database) {
  Config config;
  config.database.connection = database.connection;
  config.database.schema = database.schema;
  config.database.transaction_pooling = database.transaction_pooling;
  return config;
}

std::string InWords(const Failure& failure) {
  return failure.what() + (". " + failure.next());
}

}  // namespace

cluster::Time SchedulingNow() {
  return std::chrono::floor<std::chrono::microseconds>(
      std::chrono::system_clock::now());
}

std::pair<std::string, std::string> Scheduler::State::CheckDatabase() const {
  try {
    OpenDatabase(ConfigOf(options.database), {});
  } catch (const Failure& failure) {
    if (failure.code() == ExitCode::kSchema) return {"", InWords(failure)};
    return {InWords(failure), ""};
  } catch (const std::exception& error) {
    return {error.what(), ""};
  }
  return {"", ""};
}

// Registers the client if the database is usable; else returns the problem and
// the remedy.
std::string Scheduler::State::TryDatabase() {
  const auto [database, schema] = CheckDatabase();
  if (!database.empty() || !schema.empty())
    return database.empty() ? schema : database;
  try {
    client.Start();
  } catch (const sql::Error& error) {
    return InWords(Explain(error, ConfigOf(options.database)));
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

void Scheduler::State::WaitForDatabase() {
  std::string said;
  while (true) {
    const std::string problem = TryDatabase();
    if (problem.empty()) return;
    if (problem != said) {
      log.Warn("waiting for the database", {{"why", problem}});
      said = problem;
    }
    const auto until = std::chrono::steady_clock::now() + milliseconds{500};
    const sql::MutexLock lock(mutex);
    while (!stopping && stop_asked.WaitUntil(mutex, until)) {
    }
    if (stopping) return;
  }
}

void Scheduler::State::StartLoops() {
  WaitForDatabase();
  {
    const sql::MutexLock lock(mutex);
    if (stopping) return;
  }
  Build();
  Wire();
  listener.Start();
  for (const auto& loop : loops) loop->Start();
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
  {
    const sql::MutexLock lock(state_->mutex);
    if (state_->stopping) return;
    state_->stopping = true;
  }
  state_->stop_asked.NotifyAll();
  if (state_->starter.joinable()) state_->starter.join();
  // The client may be registered.
  if (!state_->running) return state_->client.Stop();
  state_->running = false;
  state_->listener.Stop();
  state_->maintenance.Stop();
  for (const auto& loop : state_->loops) loop->Stop();
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
