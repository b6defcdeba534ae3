#include "queue/clients/client.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "queue/clients/clients_queries.h"
#include "sql/condition_variable.h"
#include "sql/connection/transaction.h"
#include "sql/faults.h"
#include "sql/mutex.h"

namespace fluxnetes::queue {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAskAgain{100};

std::string HostAndProcess() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return fmt::format("{}:{}", host.data(), getpid());
}

sql::PoolOptions ForHeartbeat(sql::PoolOptions options,
                              const ClientOptions& client) {
  static constexpr sql::Query kNeeded[] = {
      queries::kRegisterClient, queries::kBeat, queries::kCancelRequests};
  options.catalogues = {kNeeded};
  options.max_connections = 1;
  options.acquire_timeout = client.time_to_live;
  options.connect_timeout = client.time_to_live;
  options.statement_timeout = client.time_to_live;
  return options;
}

}  // namespace

struct Client::State {
  State(sql::Pool& shared, ClientOptions client_options)
      : options(std::move(client_options)),
        shared(shared),
        pool(ForHeartbeat(shared.options(), options)) {
    if (options.name.empty()) options.name = HostAndProcess();
    if (options.heartbeat <= milliseconds(0) ||
        options.time_to_live <= options.heartbeat)
      throw std::invalid_argument(
          "a client's time to live must be longer than its heartbeat");
  }

  void Register();
  void TellCancelRequests();
  // Returns false if the client is to stop.
  bool WaitForBeat() EXCLUDES(mutex);
  milliseconds NextPause() const {
    return has_untold ? std::min(kAskAgain, options.heartbeat)
                      : options.heartbeat;
  }

  // Set before Start().
  ClientOptions options;
  sql::Pool& shared;
  sql::Pool pool;
  std::function<void(std::int64_t)> on_lost;
  std::function<bool(std::int64_t)> on_cancel_request;

  std::atomic<std::int64_t> id = 0;
  // Used by the heartbeat thread: cancel requests that the callback accepted,
  // and whether others remain for jobs that it may be about to know.
  std::set<std::int64_t> told;
  bool has_untold = false;

  sql::Mutex mutex;
  sql::ConditionVariable changed;
  bool stopping GUARDED_BY(mutex) = false;
  bool woken GUARDED_BY(mutex) = false;

  std::thread thread;
};

Client::Client(sql::Pool& pool, ClientOptions options)
    : state_(std::make_unique<State>(pool, std::move(options))) {}

Client::~Client() { Stop(); }

sql::Pool& Client::HeartbeatPool() { return state_->pool; }

void Client::OnLost(std::function<void(std::int64_t)> callback) {
  state_->on_lost = std::move(callback);
}

void Client::OnCancelRequest(std::function<bool(std::int64_t)> callback) {
  state_->on_cancel_request = std::move(callback);
}

void Client::Start() {
  Register();
  state_->thread = std::thread([this] {
    while (state_->WaitForBeat()) {
      try {
        Beat();
      } catch (const sql::Error&) {
        // The next heartbeat may succeed. If none does in time, the client is
        // lost, and the next heartbeat that succeeds finds that out.
      }
    }
  });
}

bool Client::State::WaitForBeat() {
  const auto until = std::chrono::steady_clock::now() + NextPause();
  const sql::MutexLock lock(mutex);
  while (!stopping && !woken && changed.WaitUntil(mutex, until)) {
  }
  woken = false;
  return !stopping;
}

void Client::Wake() {
  {
    const sql::MutexLock lock(state_->mutex);
    state_->woken = true;
  }
  state_->changed.NotifyAll();
}

void Client::Register() { state_->Register(); }

void Client::State::Register() {
  id = sql::RunAlone(
           pool, queries::kRegisterClient, options.name,
           fmt::format("{} milliseconds", options.time_to_live.count()),
           id.load())[0]
           .Get<std::int64_t>(0);
  told.clear();
}

void Client::Beat() {
  if (sql::RunAlone(state_->pool, queries::kBeat, id()).empty()) {
    state_->Register();
    if (state_->on_lost) state_->on_lost(id());
  }
  if (state_->on_cancel_request) state_->TellCancelRequests();
}

void Client::State::TellCancelRequests() {
  std::set<std::int64_t> asked;
  has_untold = false;
  for (const sql::Row row :
       sql::RunAlone(pool, queries::kCancelRequests, id.load())) {
    const auto job = row.Get<std::int64_t>(0);
    if (told.contains(job) || on_cancel_request(job)) {
      asked.insert(job);
    } else {
      has_untold = true;
    }
  }
  told = std::move(asked);
}

void Client::Stop() {
  if (state_->thread.joinable()) {
    {
      const sql::MutexLock lock(state_->mutex);
      state_->stopping = true;
    }
    state_->changed.NotifyAll();
    state_->thread.join();
  }
  if (id() == 0) return;
  try {
    sql::Transaction transaction(state_->shared);
    transaction.Run(queries::kReleaseJobs, id());
    transaction.Run(queries::kResignEverywhere, id());
    transaction.Run(queries::kUnregisterClient, id());
    transaction.Commit();
  } catch (const sql::Error&) {
    // Other clients rescue the jobs of this client.
  }
  state_->id = 0;
}

std::int64_t Client::id() const { return state_->id; }

}  // namespace fluxnetes::queue
