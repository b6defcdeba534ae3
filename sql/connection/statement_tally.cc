#include "sql/connection/statement_tally.h"

namespace fluxnetes::sql {

StatementTally::StatementTally(
    std::span<const std::span<const Query>> catalogues) {
  for (const auto name : {kBegin, kCommit, kCopy, kScript}) tallies_[name];
  for (const auto& catalogue : catalogues)
    for (const Query& query : catalogue) tallies_[query.name];
}

std::vector<StatementCounts> StatementTally::counts() const {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  std::vector<StatementCounts> counts;
  for (const auto& [name, tally] : tallies_) {
    const std::uint64_t calls = tally.calls.load(kRelaxed);
    if (calls == 0) continue;
    const std::chrono::duration<double> sum =
        std::chrono::nanoseconds(tally.nanoseconds.load(kRelaxed));
    counts.push_back({.name = name,
                      .calls = calls,
                      .failures = tally.failures.load(kRelaxed),
                      .slow = tally.slow.load(kRelaxed),
                      .seconds = sum.count()});
  }
  return counts;
}

void StatementTally::Note(std::string_view name, std::chrono::nanoseconds took,
                          bool succeeded) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const auto found = tallies_.find(name);
  Tally& tally = found == tallies_.end() ? tallies_.at(kScript) : found->second;
  tally.calls.fetch_add(1, kRelaxed);
  if (!succeeded) tally.failures.fetch_add(1, kRelaxed);
  tally.nanoseconds.fetch_add(took.count(), kRelaxed);
  durations_.Note(took);
  if (took <= kSlow) return;
  tally.slow.fetch_add(1, kRelaxed);
  if (on_slow_) on_slow_(found == tallies_.end() ? kScript : name, took);
}

}  // namespace fluxnetes::sql
