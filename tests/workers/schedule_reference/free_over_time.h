// An amount over time: steps from a time to the next one, in a sorted list.
// Slow and plain, for comparison.
//
// Tests: tests/workers/schedule_reference/schedule_reference_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace fluxnetes::workers {

class FreeOverTime {
 public:
  explicit FreeOverTime(std::int64_t all) : steps_{{0, all}} {}

  void Add(std::int64_t from, std::int64_t end, std::int64_t amount) {
    const std::size_t first = StepAt(from);
    const std::size_t behind = StepAt(end);
    for (std::size_t i = first; i < behind; ++i) steps_[i].second += amount;
    Join(behind);
    Join(first);
  }

  // The least free amount between `from` and `end`.
  std::int64_t Least(std::int64_t from, std::int64_t end) const {
    auto step = std::upper_bound(steps_.begin(), steps_.end(), from, Sooner);
    std::int64_t least = std::prev(step)->second;
    for (; step != steps_.end() && step->first < end; ++step)
      least = std::min(least, step->second);
    return least;
  }

 private:
  using Step = std::pair<std::int64_t, std::int64_t>;
  static bool Sooner(std::int64_t time, const Step& step) {
    return time < step.first;
  }

  // The index of the step that begins at `time`, made if necessary.
  std::size_t StepAt(std::int64_t time) {
    const auto next =
        std::upper_bound(steps_.begin(), steps_.end(), time, Sooner);
    const auto place = static_cast<std::size_t>(next - steps_.begin());
    if (steps_[place - 1].first == time) return place - 1;
    steps_.insert(next, {time, steps_[place - 1].second});
    return place;
  }

  void Join(std::size_t step) {
    if (step > 0 && steps_[step].second == steps_[step - 1].second)
      steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(step));
  }

  std::vector<Step> steps_;
};

}  // namespace fluxnetes::workers
