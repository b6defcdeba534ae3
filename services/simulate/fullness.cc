#include "services/simulate/fullness.h"

#include <algorithm>

#include "cluster/text/resource_words.h"
#include "workers/simulation/resource_use.h"

namespace fluxnetes::services {

Fullness::Fullness(const workers::Scenario& scenario,
                   const workers::Course& course, std::size_t bands,
                   std::size_t columns,
                   const std::function<std::size_t(std::size_t)>& band_of)
    : course_(course),
      columns_(columns),
      resources_(course.resources.size()),
      all_(bands * resources_),
      held_(bands * columns * resources_) {
  for (std::size_t node = 0; node < scenario.nodes.size(); ++node) {
    bands_.push_back(band_of(node));
    for (std::size_t r = 0; r < resources_; ++r)
      all_[bands_.back() * resources_ + r] +=
          static_cast<double>(workers::AmountOf(
              scenario.nodes[node].allocatable, course.resources[r]));
  }
}

void Fullness::Add(std::size_t stay, double from, double to) {
  const std::size_t band =
      bands_[static_cast<std::size_t>(course_.nodes[stay])];
  for (auto at = static_cast<std::size_t>(from);
       at < columns_ && static_cast<double>(at) < to; ++at) {
    const auto left = static_cast<double>(at);
    const double time = std::min(to, left + 1) - std::max(from, left);
    for (std::size_t r = 0; r < resources_; ++r)
      Held(band, at, r) +=
          static_cast<double>(course_.node_amounts[stay * resources_ + r]) *
          time;
  }
}

double Fullness::At(std::size_t band, std::size_t column) const {
  double most = 0;
  for (std::size_t r = 0; r < resources_; ++r) {
    const double all = all_[band * resources_ + r];
    if (all > 0)
      most = std::max(most,
                      held_[(band * columns_ + column) * resources_ + r] / all);
  }
  return most;
}

std::string Fullness::of() const {
  return resources_ == 1 ? cluster::ResourceInWords(course_.resources.front())
                         : "scarcest resource";
}

}  // namespace fluxnetes::services
