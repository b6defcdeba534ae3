#include "matcher/nodes/shortfall.h"

#include <algorithm>

namespace fluxnetes::matcher {

void Shortfall::Note(Time from, int tasks) {
  if (parts_.empty() || parts_.back().tasks != tasks)
    parts_.push_back({from, tasks});
}

Shortfall Shortfall::Short() const {
  const std::size_t parts = std::min(parts_.size(), kMostParts);
  Shortfall shorter;
  shorter.parts_.reserve(parts);
  for (std::size_t i = 0; i < parts; ++i) {
    const auto first =
        parts_.begin() + static_cast<std::ptrdiff_t>(i * parts_.size() / parts);
    const auto last = parts_.begin() + static_cast<std::ptrdiff_t>(
                                           (i + 1) * parts_.size() / parts);
    const auto least = std::min_element(
        first, last,
        [](const Part& a, const Part& b) { return a.tasks < b.tasks; });
    shorter.parts_.push_back({first->from, least->tasks});
  }
  return shorter;
}

}  // namespace fluxnetes::matcher
