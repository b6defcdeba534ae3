#include "workers/forecast/forecaster.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <utility>

#include "sql/connection/transaction.h"
#include "workers/forecast/forecast_queries.h"
#include "workers/loops/group_jobs.h"

namespace fluxnetes::workers {
namespace {

constexpr std::size_t kRowsPerWrite = 500;
// Approximate times within this many seconds count as equal.
constexpr matcher::Time kSameWithin = 30;

std::vector<std::string> LeadersOf(const Forecaster::Component& queues) {
  std::vector<std::string> names;
  names.reserve(queues.size());
  for (const std::string& queue : queues) names.push_back(MatchQueue(queue));
  return names;
}

std::chrono::microseconds Since(std::chrono::steady_clock::time_point& from) {
  const auto before = std::exchange(from, std::chrono::steady_clock::now());
  return std::chrono::duration_cast<std::chrono::microseconds>(from - before);
}

matcher::Time SecondsOf(cluster::Time time) {
  return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch())
      .count();
}

bool SaysNothing(const Estimate& estimate) {
  return !estimate.start && estimate.rests_on.empty() && !estimate.position;
}

bool IsSame(const Estimate& before, const Estimate& after, matcher::Time now) {
  if (!before.approximate || !after.approximate || *before.start <= now ||
      before.position != after.position)
    return before == after;
  return std::abs(*after.start - *before.start) <=
         std::max(kSameWithin, (*before.start - now) / 10);
}

}  // namespace

Forecaster::Line::Line(const Component& component, sql::Pool& pool,
                       const queue::Client& client)
    : queues(component),
      terms(pool, client, LeadersOf(component)),
      reader(component) {}

void Forecaster::Own(const Component& component, bool owns) {
  const sql::MutexLock lock(mutex_);
  owned_.erase(component);
  if (owns)
    owned_[component].line = std::make_shared<Line>(component, pool_, client_);
}

void Forecaster::Note(const Component& component) {
  const sql::MutexLock lock(mutex_);
  const auto owned = owned_.find(component);
  if (owned != owned_.end()) owned->second.noted = true;
}

std::vector<Forecaster::Due> Forecaster::TakeDue(matcher::Time now) {
  std::vector<Due> due;
  const auto clock = Clock::now();
  const sql::MutexLock lock(mutex_);
  for (auto& [component, owned] : owned_) {
    // Allows a second until an expected event is recorded.
    const bool is_wrong = owned.next && *owned.next + 1 < now;
    const bool anew = owned.noted || is_wrong;
    if (!anew && !owned.unfinished) continue;
    if (clock < owned.looked + options_.interval) continue;
    owned.looked = clock;
    if (anew) owned.noted = false;
    due.push_back({owned.line, anew});
  }
  return due;
}

void Forecaster::Put(const Line& line, bool again) {
  const sql::MutexLock lock(mutex_);
  const auto owned = owned_.find(line.queues);
  if (owned == owned_.end() || owned->second.line.get() != &line) return;
  owned->second.next = line.near.next;
  owned->second.unfinished = line.far != nullptr;
  owned->second.noted |= again;
}

bool Forecaster::RunOnce(cluster::Time now) {
  const auto begin = Clock::now();
  if (begin < rest_until_) return false;
  bool goes_on = false;
  std::exception_ptr failure;
  for (const Due& due : TakeDue(SecondsOf(now))) {
    try {
      Put(*due.line, LookOrGiveUp(*due.line, due.anew, now));
    } catch (...) {
      Put(*due.line, true);
      failure = std::current_exception();
    }
    goes_on |= due.line->far != nullptr;
  }
  const auto end = Clock::now();
  if (options_.interval.count() > 0) rest_until_ = end + (end - begin);
  if (failure) std::rethrow_exception(failure);
  return goes_on;
}

bool Forecaster::LookOrGiveUp(Line& line, bool anew, cluster::Time now) {
  const auto give_up = [&] {
    line.reader.Forget();
    line.read_written = false;
    line.near = {};
    line.far.reset();
    line.seen_far.clear();
  };
  try {
    return Look(line, anew, now);
  } catch (const queue::LostTerm&) {
    give_up();
    return false;
  } catch (...) {
    give_up();
    throw;
  }
}

bool Forecaster::Look(Line& line, bool anew, cluster::Time now) {
  auto clock = Clock::now();
  Cost cost;
  if (anew && !Read(line)) throw queue::LostTerm("the component is not ours");
  cost.read = Since(clock);
  if (line.far != nullptr) GoOn(line, anew, SecondsOf(now));
  if (anew) {
    auto look = std::make_unique<Lookahead>(line.reader.snapshot(), cache_,
                                            SecondsOf(now), options_.depth);
    const bool done = look->Go(options_.near);
    line.near = look->Say();
    if (done) {
      line.far.reset();
      line.seen_far.clear();
    } else if (line.far == nullptr) {
      line.far = std::move(look);
    }
  }
  if (!anew && line.far != nullptr) return false;  // nothing new is known
  const std::vector<Estimate> estimates = BothOf(line, SecondsOf(now));
  cost.looked = Since(clock);
  const auto [written, all] = Write(line, estimates, now);
  cost.written = written;
  cost.wrote = Since(clock);
  if (options_.on_look) options_.on_look(estimates, cost);
  return !all;
}

void Forecaster::GoOn(Line& line, bool anew, matcher::Time now) {
  const auto longest = anew ? options_.slice : options_.slice + options_.near;
  if (!line.far->Go(longest)) return;
  line.seen_far.clear();
  for (Estimate& estimate : line.far->Say().estimates) {
    if (estimate.start && *estimate.start > now)
      line.seen_far.emplace(estimate.group, std::move(estimate));
  }
  line.far.reset();
}

// The estimates of the last forecast. Where they are approximate, those of the
// longer forecast take their place, unless these should have come true by now.
std::vector<Estimate> Forecaster::BothOf(const Line& line, matcher::Time now) {
  std::vector<Estimate> both = line.near.estimates;
  for (Estimate& estimate : both) {
    if (!estimate.approximate) continue;
    const auto far = line.seen_far.find(estimate.group);
    if (far != line.seen_far.end() &&
        *far->second.start > std::max(now, line.near.until)) {
      const auto position = estimate.position;
      estimate = far->second;
      estimate.position = position;
    }
  }
  return both;
}

bool Forecaster::Read(Line& line) {
  sql::Transaction transaction(pool_, sql::Isolation::kRepeatableRead);
  if (!line.terms.Follow(transaction)) return false;
  line.reader.Read(transaction);
  if (line.read_written && line.broken == pool_.broken()) return true;
  line.broken = pool_.broken();
  line.written.clear();
  for (const sql::Row row :
       transaction.Run(queries::kReadEstimates, line.queues)) {
    const auto group = row.Get<std::int64_t>("group_id");
    line.written[group] = {group, row.Find<std::int64_t>("starts_at"),
                           row.Get<bool>("approximate"),
                           row.Get<std::string>("rests_on"),
                           row.Find<std::int32_t>("position")};
  }
  line.read_written = true;
  return true;
}

std::vector<const Estimate*> Forecaster::Differing(
    const Line& line, const std::vector<Estimate>& estimates,
    matcher::Time now) {
  std::vector<const Estimate*> differing;
  for (const Estimate& estimate : estimates) {
    if (estimate.start && *estimate.start <= now) continue;  // is being placed
    const auto known = line.written.find(estimate.group);
    const bool same = known == line.written.end()
                          ? SaysNothing(estimate)
                          : IsSame(known->second, estimate, now);
    if (!same) differing.push_back(&estimate);
  }
  return differing;
}

std::pair<std::size_t, bool> Forecaster::Write(
    Line& line, const std::vector<Estimate>& estimates, cluster::Time now) {
  const auto& waiting = line.reader.snapshot()->waiting;
  std::erase_if(line.written, [&](const auto& written) {
    return !waiting.contains(written.first);
  });
  const auto differing = Differing(line, estimates, SecondsOf(now));
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < differing.size();
       begin += kRowsPerWrite) {
    std::vector<std::int64_t> groups;
    std::vector<std::optional<std::int64_t>> starts;
    std::vector<bool> approximate;
    std::vector<std::string> rests_on;
    std::vector<std::optional<std::int32_t>> positions;
    const std::size_t end = std::min(begin + kRowsPerWrite, differing.size());
    for (std::size_t i = begin; i < end; ++i) {
      groups.push_back(differing[i]->group);
      starts.push_back(differing[i]->start);
      approximate.push_back(differing[i]->approximate);
      rests_on.push_back(differing[i]->rests_on);
      positions.push_back(differing[i]->position);
    }
    sql::Transaction transaction(pool_, sql::Isolation::kReadCommitted,
                                 sql::Durability::kNoWait);
    line.terms.Check(transaction);
    for (const sql::Row row :
         transaction.Run(queries::kWriteEstimates, groups, starts, approximate,
                         rests_on, now, positions)) {
      const auto group = row.Get<std::int64_t>("group_id");
      line.written[group] = **std::ranges::lower_bound(
          differing, group, {}, [](const auto* said) { return said->group; });
      ++count;
    }
    transaction.Commit();
  }
  return {count, count == differing.size()};
}

}  // namespace fluxnetes::workers
