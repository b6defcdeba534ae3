// Counts the statements of a pool by name: calls, failures, durations, and the
// slow ones, which took more than a second. The names are those of the
// catalogues, and BEGIN, COMMIT and COPY; a statement without a name counts as
// "script".
//
// Thread-safe and lock-free: the names are fixed at construction.
// Tests: tests/sql/connection/pool_pgtest.cc.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sql/durations.h"
#include "sql/query.h"

namespace fluxnetes::sql {

struct StatementCounts {
  std::string_view name;
  std::uint64_t calls = 0;
  std::uint64_t failures = 0;
  std::uint64_t slow = 0;
  double seconds = 0;  // sum
};

// Called with the name of a slow statement and the time that it took, on the
// thread that ran it; must not throw.
using OnSlowStatement =
    std::function<void(std::string_view name, std::chrono::nanoseconds took)>;

class StatementTally {
 public:
  static constexpr std::string_view kBegin = "BEGIN";
  static constexpr std::string_view kCommit = "COMMIT";
  static constexpr std::string_view kCopy = "COPY";
  static constexpr std::string_view kScript = "script";

  static constexpr std::chrono::seconds kSlow{1};

  explicit StatementTally(std::span<const std::span<const Query>> catalogues);

  // Call before the first statement.
  void OnSlow(OnSlowStatement on_slow) { on_slow_ = std::move(on_slow); }

  // One statement, from construction to destruction; a failure unless
  // Succeeded() was called.
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

  // Returns the statements that ran at least once, in no order.
  std::vector<StatementCounts> counts() const;
  // All statements together.
  Durations::Counts durations() const { return durations_.counts(); }

 private:
  struct Tally {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> failures{0};
    std::atomic<std::uint64_t> slow{0};
    std::atomic<std::int64_t> nanoseconds{0};
  };

  void Note(std::string_view name, std::chrono::nanoseconds took,
            bool succeeded);

  OnSlowStatement on_slow_;
  std::unordered_map<std::string_view, Tally> tallies_;
  Durations durations_;
};

}  // namespace fluxnetes::sql
