#include "sql/connection/pool.h"

#include <fmt/format.h>

#include <cassert>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sql/condition_variable.h"
#include "sql/connection/connection.h"
#include "sql/mutex.h"

namespace fluxnetes::sql {

struct Pool::State {
  explicit State(PoolOptions given)
      : options(std::move(given)), tally(options.catalogues) {}

  const PoolOptions options;
  // Each is thread-safe itself.
  StatementTally tally;
  Durations waits;
  std::atomic<std::uint64_t> opened = 0;

  Mutex mutex;
  ConditionVariable returned;
  // The last used is last.
  std::vector<std::unique_ptr<Connection>> idle GUARDED_BY(mutex);
  int in_use GUARDED_BY(mutex) = 0;
  // Raised by CloseAll(): closes older connections.
  int generation GUARDED_BY(mutex) = 0;
};

namespace {

void Check(const PoolOptions& options) {
  if (options.schema.empty() || options.schema.size() > 50 ||
      options.schema.find('\0') != std::string::npos)
    throw std::invalid_argument("a schema's name has 1 to 50 bytes");
  if (options.max_connections < 1)
    throw std::invalid_argument(
        "a pool needs at least one connection (max_connections)");
  std::map<std::string_view, std::string_view> queries;
  for (const auto& catalogue : options.catalogues)
    for (const Query& query : catalogue)
      if (queries.insert({query.name, query.text}).first->second != query.text)
        throw std::logic_error(
            fmt::format("two queries are named {}", query.name));
}

}  // namespace

Pool::Pool(PoolOptions options) {
  Check(options);
  state_ = std::make_unique<State>(std::move(options));
}

Pool::~Pool() { assert(state_->in_use == 0); }

const PoolOptions& Pool::options() const { return state_->options; }

StatementTally& PooledConnection::TallyOf(Pool& pool) {
  return pool.state_->tally;
}

PoolCounts PooledConnection::CountsOf(const Pool& pool) {
  Pool::State& state = *pool.state_;
  PoolCounts counts;
  {
    const MutexLock lock(state.mutex);
    counts.in_use = state.in_use;
    counts.idle = static_cast<int>(state.idle.size());
  }
  counts.opened = state.opened;
  counts.broken = static_cast<std::uint64_t>(pool.broken());
  counts.waits = state.waits.counts();
  counts.statements = state.tally.durations();
  counts.by_name = state.tally.counts();
  return counts;
}

PoolCounts CountsOf(const Pool& pool) {
  return PooledConnection::CountsOf(pool);
}

void OnSlowStatements(Pool& pool, OnSlowStatement on_slow) {
  PooledConnection::TallyOf(pool).OnSlow(std::move(on_slow));
}

void Pool::CloseAll() {
  std::vector<std::unique_ptr<Connection>> closing;
  const MutexLock lock(state_->mutex);
  ++state_->generation;
  closing.swap(state_->idle);
}

PooledConnection::PooledConnection(Pool& pool) : pool_(pool) { Take(); }

PooledConnection::~PooledConnection() { Return(); }

void PooledConnection::Take() {
  Pool::State& state = *pool_.state_;
  MutexLock lock(state.mutex);
  const int most = state.options.max_connections;
  if (state.in_use >= most) {
    const auto from = std::chrono::steady_clock::now();
    const auto until = from + state.options.acquire_timeout;
    while (state.in_use >= most &&
           state.returned.WaitUntil(state.mutex, until)) {
    }
    state.waits.Note(std::chrono::steady_clock::now() - from);
  }
  if (state.in_use >= most)
    throw Error(Error::Kind::kUnavailable, "", "",
                fmt::format("all {} connections of the pool were in use for "
                            "{} ms",
                            most, state.options.acquire_timeout.count()));
  ++state.in_use;
  generation_ = state.generation;
  if (!state.idle.empty() && state.idle.back()->IsBroken()) {
    // The cause has probably broken other connections too: check all of them.
    pool_.broken_ += std::erase_if(
        state.idle, [](const auto& idle) { return idle->IsBroken(); });
  }
  if (!state.idle.empty()) {
    connection_ = std::move(state.idle.back());
    state.idle.pop_back();
    return;
  }
  lock.Unlock();
  try {
    connection_ = std::make_unique<Connection>(state.options);
    ++state.opened;
  } catch (...) {
    lock.Lock();
    --state.in_use;
    state.returned.NotifyOne();
    throw;
  }
}

void PooledConnection::Return() {
  Pool::State& state = *pool_.state_;
  const MutexLock lock(state.mutex);
  --state.in_use;
  if (broken_) ++pool_.broken_;
  if (!discard_ && generation_ == state.generation)
    state.idle.push_back(std::move(connection_));
  state.returned.NotifyOne();
}

}  // namespace fluxnetes::sql
