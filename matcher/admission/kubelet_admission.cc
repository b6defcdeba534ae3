#include "matcher/admission/kubelet_admission.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace fluxnetes::matcher {

struct KubeletAdmission::Steps {
  int left = kMostSteps;
  std::set<std::vector<std::int32_t>> known;  // that are admitted
};

namespace {

std::int64_t SumIn(const std::vector<std::int32_t>& amounts,
                   std::uint32_t domains) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < amounts.size(); ++i)
    if ((domains >> i & 1U) != 0) sum += amounts[i];
  return sum;
}

// Takes from these domains first, then from the others: of both, from one after
// the other.
std::vector<std::int32_t> TakenFrom(std::vector<std::int32_t> left,
                                    std::int32_t wanted, std::uint32_t first,
                                    bool least_first) {
  std::vector<int> order(left.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int domain) {
    return std::pair((first >> domain & 1U) == 0,
                     least_first ? left[domain] : 0);
  });
  for (const int domain : order) {
    const std::int32_t here = std::min(wanted, left[domain]);
    left[domain] -= here;
    wanted -= here;
  }
  return left;
}

}  // namespace

KubeletAdmission::KubeletAdmission(DomainAmounts all, bool one_domain)
    : all_(std::move(all)), one_domain_(one_domain) {}

int KubeletAdmission::Fewest(std::vector<std::int32_t> all,
                             std::int64_t wanted) {
  std::ranges::sort(all, std::greater());
  int domains = 0;
  for (; wanted > 0 && domains < static_cast<int>(all.size()); ++domains)
    wanted -= all[domains];
  return wanted > 0 ? static_cast<int>(all.size()) + 1 : domains;
}

// Nothing wanted: all domains do.
std::vector<KubeletAdmission::Mask> KubeletAdmission::Preferred(
    const std::vector<std::int32_t>& all, const std::vector<std::int32_t>& left,
    std::int32_t wanted) const {
  const Mask every = (Mask{1} << domains()) - 1;
  if (wanted == 0) return {every};
  const int fewest = Fewest(all, wanted);
  if (one_domain_ && fewest != 1) return {};
  std::vector<Mask> preferred;
  for (Mask mask = 1; mask <= every; ++mask)
    if (std::popcount(mask) == fewest && SumIn(left, mask) >= wanted)
      preferred.push_back(mask);
  return preferred;
}

KubeletAdmission::Mask KubeletAdmission::PlaceOf(
    const DomainAmounts& left, const KubeletDemand& demand) const {
  const auto of_gpus = Preferred(all_.gpus, left.gpus, demand.gpus);
  Mask best = 0;
  for (const Mask of_cpus : Preferred(all_.cpus, left.cpus, demand.cpus)) {
    for (const Mask of_gpu : of_gpus) {
      const Mask both = of_cpus & of_gpu;
      if (both == 0) continue;
      if (best == 0 || std::tuple(std::popcount(both), both) <
                           std::tuple(std::popcount(best), best))
        best = both;
    }
  }
  return best;
}

// Equal tasks of one domain each: it does not matter which they get.
bool KubeletAdmission::FitAlike(const DomainAmounts& left,
                                const DemandedTasks& tasks) const {
  std::int64_t fit = 0;
  for (int domain = 0; domain < domains(); ++domain) {
    std::int64_t here = tasks.tasks;
    if (tasks.demand.cpus > 0)
      here =
          std::min<std::int64_t>(here, left.cpus[domain] / tasks.demand.cpus);
    if (tasks.demand.gpus > 0)
      here =
          std::min<std::int64_t>(here, left.gpus[domain] / tasks.demand.gpus);
    fit += here;
  }
  return fit >= tasks.tasks;
}

// Tries each kind of the tasks that are left as the next one.
bool KubeletAdmission::Try(const DomainAmounts& left,
                           std::vector<DemandedTasks>& tasks,
                           Steps& steps) const {
  std::vector<std::int32_t> key = left.cpus;
  key.insert(key.end(), left.gpus.begin(), left.gpus.end());
  for (const DemandedTasks& each : tasks) key.push_back(each.tasks);
  if (steps.known.contains(key)) return true;
  for (DemandedTasks& next : tasks) {
    if (next.tasks == 0) continue;
    if (--steps.left < 0) return false;
    const Mask place = PlaceOf(left, next.demand);
    if (place == 0) return false;
    --next.tasks;
    bool admitted = true;
    for (const bool least_first : {false, true}) {
      const DomainAmounts after{
          TakenFrom(left.cpus, next.demand.cpus, place, least_first),
          TakenFrom(left.gpus, next.demand.gpus, place, least_first)};
      admitted = admitted && Try(after, tasks, steps);
      if (std::popcount(place) == 1 &&
          SumIn(left.cpus, place) >= next.demand.cpus &&
          SumIn(left.gpus, place) >= next.demand.gpus)
        break;  // both are the same
    }
    ++next.tasks;
    if (!admitted) return false;
  }
  steps.known.insert(std::move(key));
  return true;
}

bool KubeletAdmission::AdmitsAll(
    const DomainAmounts& left, const std::vector<DemandedTasks>& tasks) const {
  if (domains() > kMostDomains) return true;
  std::vector<DemandedTasks> kinds;
  for (const DemandedTasks& each : tasks) {
    if (each.tasks <= 0 || !each.demand.Any()) continue;
    const auto known =
        std::ranges::find(kinds, each.demand, &DemandedTasks::demand);
    if (known == kinds.end()) {
      kinds.push_back(each);
    } else {
      known->tasks += each.tasks;
    }
  }
  if (kinds.empty()) return true;
  const KubeletDemand& first = kinds.front().demand;
  if (kinds.size() == 1 && Fewest(all_.cpus, first.cpus) <= 1 &&
      Fewest(all_.gpus, first.gpus) <= 1)
    return FitAlike(left, kinds.front());
  Steps steps;
  return Try(left, kinds, steps);
}

}  // namespace fluxnetes::matcher
