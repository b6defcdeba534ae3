#include "cluster/simulated/numa_book.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <tuple>
#include <utility>

#include "matcher/inside/structure_text.h"

namespace fluxnetes::cluster {
namespace {

std::int64_t SumOver(const std::vector<std::int64_t>& amounts,
                     std::uint32_t domains) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    if ((domains >> i & 1U) != 0) sum += amounts[i];
  }
  return sum;
}

}  // namespace

NumaBook::NumaBook(const Node& node) {
  const matcher::ResourceGraph inside = matcher::ReadStructure(*node.structure);
  std::vector<matcher::VertexIndex> domains;
  for (matcher::VertexIndex v = 0; v < inside.size(); ++v) {
    if (inside.TypeName(v) != "numa") continue;
    domains.push_back(v);
    numbers_.push_back(static_cast<int>(inside.id(v)));
  }
  for (const auto& [name, amount] : node.allocatable.extended) {
    if (name.ends_with("/gpu")) gpu_name_ = name;
  }
  if (domains.empty()) domains.push_back(inside.root());
  assert(domains.size() <= kMostNumaDomains);
  for (const matcher::VertexIndex domain : domains) {
    std::int64_t cores = 0;
    std::int64_t gpus = 0;
    for (const matcher::VertexIndex v : inside.PostOrder(domain)) {
      if (inside.TypeName(v) == "core") cores += inside.units(v);
      if (inside.TypeName(v) == "gpu") gpus += inside.units(v);
    }
    cpus_.all.push_back(cores);
    gpus_.all.push_back(gpus);
  }
  cpus_.left = cpus_.all;
  gpus_.left = gpus_.all;
}

NumaBook::Wanted NumaBook::WantedBy(const PodRequest& request) {
  Wanted wanted;
  wanted.cpus = WholeCpus(request);
  for (const auto& [name, amount] : request.resources.extended) {
    if (name.ends_with("/gpu")) wanted.gpus += amount;
  }
  return wanted;
}

// Asks for nothing: any domains do.
std::vector<NumaBook::Hint> NumaBook::HintsOf(const Amounts& amounts,
                                              std::int64_t wanted) const {
  const Mask all = (Mask{1} << amounts.all.size()) - 1;
  if (wanted == 0) return {{all, true}};
  int fewest = static_cast<int>(amounts.all.size()) + 1;
  std::vector<Hint> hints;
  for (Mask domains = 1; domains <= all; ++domains) {
    if (SumOver(amounts.all, domains) >= wanted)
      fewest = std::min(fewest, std::popcount(domains));
    if (SumOver(amounts.left, domains) >= wanted)
      hints.push_back({domains, false});
  }
  for (Hint& hint : hints)
    hint.preferred = std::popcount(hint.domains) == fewest;
  return hints;
}

NumaBook::Hint NumaBook::BestFor(const Wanted& wanted,
                                 TopologyPolicy policy) const {
  const auto usable = [&](const Hint& hint, std::int64_t amount) {
    return policy != TopologyPolicy::kSingleNumaNode || amount == 0 ||
           std::popcount(hint.domains) == 1;
  };
  Hint best;
  const auto rank = [](const Hint& hint) {
    return std::tuple(!hint.preferred, std::popcount(hint.domains),
                      hint.domains);
  };
  for (const Hint& of_cpus : HintsOf(cpus_, wanted.cpus)) {
    if (!usable(of_cpus, wanted.cpus)) continue;
    for (const Hint& of_gpus : HintsOf(gpus_, wanted.gpus)) {
      if (!usable(of_gpus, wanted.gpus)) continue;
      const Hint both{of_cpus.domains & of_gpus.domains,
                      of_cpus.preferred && of_gpus.preferred};
      if (both.domains == 0) continue;
      if (best.domains == 0 || rank(both) < rank(best)) best = both;
    }
  }
  return best;
}

bool NumaBook::Admits(const PodRequest& request, TopologyPolicy policy) const {
  const Wanted wanted = WantedBy(request);
  if (policy == TopologyPolicy::kNone) return true;
  if (wanted.cpus == 0 && wanted.gpus == 0) return true;
  return BestFor(wanted, policy).preferred;
}

// Takes from these domains first, then from the others.
std::vector<std::int64_t> NumaBook::TakeFrom(Amounts& amounts,
                                             std::int64_t wanted, Mask first) {
  std::vector<std::int64_t> taken(amounts.left.size());
  for (const bool others : {false, true}) {
    for (std::size_t i = 0; i < taken.size(); ++i) {
      if (((first >> i & 1U) == 0) != others) continue;
      const std::int64_t here = std::min(wanted, amounts.left[i]);
      taken[i] += here;
      amounts.left[i] -= here;
      wanted -= here;
    }
  }
  return taken;
}

void NumaBook::Take(std::uint32_t pod, const PodRequest& request,
                    TopologyPolicy policy) {
  const Wanted wanted = WantedBy(request);
  const Mask domains = BestFor(wanted, policy).domains;
  Given given;
  given.cpus = TakeFrom(cpus_, wanted.cpus, domains);
  given.gpus = TakeFrom(gpus_, wanted.gpus, domains);
  const bool added = given_.emplace(pod, std::move(given)).second;
  assert(added);
}

std::vector<NumaZone> NumaBook::Zones() const {
  std::vector<NumaZone> zones;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    NumaZone& zone = zones.emplace_back();
    zone.number = numbers_[i];
    zone.allocatable.cpu_milli = cpus_.all[i] * 1'000;
    zone.available.cpu_milli = cpus_.left[i] * 1'000;
    if (gpu_name_.empty()) continue;
    zone.allocatable.SetExtended(gpu_name_, gpus_.all[i]);
    zone.available.SetExtended(gpu_name_, gpus_.left[i]);
  }
  return zones;
}

void NumaBook::Release(std::uint32_t pod) {
  const auto given = given_.find(pod);
  if (given == given_.end()) return;
  for (std::size_t i = 0; i < cpus_.left.size(); ++i) {
    cpus_.left[i] += given->second.cpus[i];
    gpus_.left[i] += given->second.gpus[i];
  }
  given_.erase(given);
}

}  // namespace fluxnetes::cluster
