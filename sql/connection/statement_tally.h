// What the statements of a pool have cost, by name: how often each ran, how
// often it failed, how long it took. The names are those of the catalogues, and
// BEGIN, COMMIT and COPY; what has no name is counted as "script".
//
// Thread-safe and lock-free: the names are fixed when it is made.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sql/durations.h"
#include "sql/query.h"

namespace fluxnetes::sql {

struct StatementCounts {
  std::string_view name;
  std::uint64_t calls = 0;
  std::uint64_t failures = 0;
  double seconds = 0;  // in sum
};

class StatementTally {
 public:
  static constexpr std::string_view kBegin = "BEGIN";
  static constexpr std::string_view kCommit = "COMMIT";
  static constexpr std::string_view kCopy = "COPY";
  static constexpr std::string_view kScript = "script";

  explicit StatementTally(std::span<const std::span<const Query>> catalogues);

  // One statement, from its construction to its end; a failure unless it was
  // said to have succeeded.
  class Run {
   public:
    Run(StatementTally& tally, std::string_view name)
        : tally_(tally), name_(name) {}
    ~Run() { tally_.Note(name_, Clock::now() - begin_, succeeded_); }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    void Succeeded() { succeeded_ = true; }

   private:
    using Clock = std::chrono::steady_clock;
    StatementTally& tally_;
    const std::string_view name_;
    const Clock::time_point begin_ = Clock::now();
    bool succeeded_ = false;
  };

  // Those that ran at least once, in no order.
  std::vector<StatementCounts> counts() const;
  // Of all together.
  Durations::Counts durations() const { return durations_.counts(); }

 private:
  struct Tally {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> failures{0};
    std::atomic<std::int64_t> nanoseconds{0};
  };

  void Note(std::string_view name, std::chrono::nanoseconds took,
            bool succeeded);

  std::unordered_map<std::string_view, Tally> tallies_;
  Durations durations_;
};

}  // namespace fluxnetes::sql
