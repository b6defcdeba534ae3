#include "workers/loops/differences.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sql/connection/transaction.h"
#include "workers/loops/differences_queries.h"

namespace fluxnetes::workers {
namespace {

constexpr std::size_t kNamesKept = 5;

}  // namespace

std::string_view NameOf(DifferenceKind kind) {
  static constexpr std::array<std::string_view, kDifferenceKinds> kNames = {
      "pod event", "node event", "pod",        "group",
      "job",       "place",      "graph node", "graph places"};
  return kNames.at(static_cast<std::size_t>(kind));
}

void Differences::Note(DifferenceKind kind, Names names) {
  if (names.empty()) return;
  const auto count = std::ssize(names);
  names.resize(std::min(names.size(), kNamesKept));
  {
    const sql::MutexLock lock(mutex_);
    const auto number = static_cast<std::size_t>(kind);
    counts_.at(number) += count;
    unwritten_.at(number).count += count;
    unwritten_.at(number).names = names;
  }
  if (on_found_) on_found_(kind, count, names);
}

std::array<std::int64_t, kDifferenceKinds> Differences::counts() const {
  const sql::MutexLock lock(mutex_);
  return counts_;
}

std::int64_t Differences::total() const {
  const auto all = counts();
  return std::accumulate(all.begin(), all.end(), std::int64_t{0});
}

void Differences::Write(sql::Pool& pool) {
  for (std::size_t i = 0; i < kDifferenceKinds; ++i) {
    Unwritten found;
    {
      const sql::MutexLock lock(mutex_);
      found = unwritten_.at(i);
    }
    if (found.count == 0) continue;
    sql::RunAlone(pool, queries::kRecordDifferences,
                  std::string(NameOf(static_cast<DifferenceKind>(i))),
                  found.count, found.names);
    const sql::MutexLock lock(mutex_);
    unwritten_.at(i).count -= found.count;
  }
}

}  // namespace fluxnetes::workers
