// A histogram of durations for metrics: count, sum, and counts by upper bound.
//
// Lock-free: costs an instruction or two. Each figure of a reading is right by
// itself, but figures that change meanwhile need not agree.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace fluxnetes::sql {

class Durations {
 public:
  using Nanoseconds = std::chrono::nanoseconds;

  // Upper bounds in seconds, inclusive; longer durations are counted beyond.
  static constexpr std::array<double, 12> kBounds = {
      0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30};

  struct Counts {
    // Number between the previous bound and each bound; the last is beyond all.
    std::array<std::uint64_t, kBounds.size() + 1> within{};
    double seconds = 0;  // sum

    std::uint64_t Total() const {
      return std::accumulate(within.begin(), within.end(), std::uint64_t{0});
    }
  };

  void Note(Nanoseconds took) {
    const double seconds = std::chrono::duration<double>(took).count();
    std::size_t bound = 0;
    while (bound < kBounds.size() && seconds > kBounds.at(bound)) ++bound;
    within_.at(bound).fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(took.count(), std::memory_order_relaxed);
  }

  Counts counts() const {
    Counts counts;
    for (std::size_t i = 0; i < within_.size(); ++i)
      counts.within.at(i) = within_.at(i).load(std::memory_order_relaxed);
    counts.seconds = std::chrono::duration<double>(
                         Nanoseconds(sum_.load(std::memory_order_relaxed)))
                         .count();
    return counts;
  }

 private:
  std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> within_{};
  std::atomic<std::int64_t> sum_{0};  // nanoseconds
};

}  // namespace fluxnetes::sql
