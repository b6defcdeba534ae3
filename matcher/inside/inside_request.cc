#include "matcher/inside/inside_request.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "matcher/jobspec/xor_slots.h"

namespace fluxnetes::matcher {
namespace {

constexpr std::uint32_t kMostSockets = 8;
constexpr std::uint32_t kMostDomains = 8;  // that kubelets know
constexpr std::int64_t kMostOfOne = std::int64_t{1} << 30;

bool HasAlternatives(const Jobspec& jobspec) {
  const auto several = [&](int first, int last) {
    int slots = 0;
    for (int r = first; r < last; ++r) {
      slots += jobspec.resources[r].type == "slot";
    }
    return slots > 1;
  };
  return several(0, jobspec.top) ||
         std::any_of(jobspec.resources.begin(), jobspec.resources.end(),
                     [&](const JobResource& resource) {
                       return several(resource.first, resource.last);
                     });
}

std::uint32_t CountOf(std::int64_t units, std::string_view what) {
  if (units < 0 || units >= Count::kNoMax) {
    throw std::invalid_argument(
        std::string(what) + ": " + std::to_string(units) +
        " is not a number of units from 0 to 4294967294");
  }
  return static_cast<std::uint32_t>(units);
}

void Add(Jobspec& jobspec, std::string type, std::uint32_t count,
         bool exclusive = false) {
  JobResource resource;
  resource.type = std::move(type);
  resource.count.min = resource.count.max = count;
  if (exclusive) resource.exclusive = true;
  jobspec.resources.push_back(std::move(resource));
}

// Puts resources [first, last) below the resource.
void Contain(Jobspec& jobspec, int parent, int first, int last) {
  jobspec.resources[parent].first = first;
  jobspec.resources[parent].last = last;
  for (int r = first; r < last; ++r) jobspec.resources[r].parent = parent;
}

// Returns `domains` vertices of a type (none: ""), each with a slot that has an
// equal share of what is wished.
InsideChoice ChoiceOf(const InsideWish& wish, const std::string& domain,
                      std::uint32_t domains, bool exclusive) {
  InsideChoice choice;
  choice.passes_levels = true;
  Jobspec& jobspec = choice.jobspec;
  jobspec.top = 1;
  if (!domain.empty()) Add(jobspec, domain, domains, exclusive);
  const int slot = static_cast<int>(jobspec.resources.size());
  Add(jobspec, "slot", 1);
  if (slot > 0) Contain(jobspec, 0, slot, slot + 1);
  const std::pair<const char*, std::uint32_t> shares[] = {
      {"core", CountOf(wish.cpus, "cpus")},
      {"memory", CountOf(wish.memory_mib, "memory")},
      {"gpu", CountOf(wish.gpus, "gpus")},
      {"nic", CountOf(wish.nics, "nics")}};
  for (const auto& [type, units] : shares) {
    const std::uint32_t share = units / domains + (units % domains > 0 ? 1 : 0);
    if (share > 0) Add(jobspec, type, share);
  }
  const int last = static_cast<int>(jobspec.resources.size());
  if (last == slot + 1) {
    throw std::invalid_argument("the wish has no cpus, memory, gpus or nics");
  }
  Contain(jobspec, slot, slot + 1, last);
  return choice;
}

}  // namespace

InsideRequest RequestOf(const Jobspec& below_node) {
  if (below_node.top < 1) {
    throw std::invalid_argument("the jobspec requests nothing");
  }
  for (const JobResource& resource : below_node.resources) {
    if (resource.type == "node") {
      throw std::invalid_argument(
          "the jobspec has a node; only what is below the node may be in it");
    }
  }
  InsideRequest request;
  if (!HasXorSlots(below_node)) {
    request.choices.push_back({below_node, false, HasAlternatives(below_node)});
    return request;
  }
  for (XorVariant& variant : ExpandXorSlots(below_node)) {
    request.choices.push_back({std::move(variant.jobspec), false, true,
                               std::move(variant.origins), below_node});
  }
  if (request.choices.empty()) {
    throw std::invalid_argument("the xor_slots make more than " +
                                std::to_string(kMaxXorVariants) + " jobspecs");
  }
  return request;
}

InsideRequest RequestOfKubelet(std::int64_t cpus, std::int64_t gpus) {
  InsideWish wish;
  wish.cpus = cpus;
  wish.gpus = gpus;
  InsideRequest request;
  request.by_kubelet = true;
  request.demand = {static_cast<std::int32_t>(std::min(cpus, kMostOfOne)),
                    static_cast<std::int32_t>(std::min(gpus, kMostOfOne))};
  for (std::uint32_t domains = 1; domains <= kMostDomains; ++domains) {
    const bool whole = domains > 1 && cpus > 0 && gpus > 0;
    request.choices.push_back(ChoiceOf(wish, "numa", domains, whole));
  }
  return request;
}

InsideRequest RequestOf(const InsideWish& wish) {
  static const std::string kDomains[] = {"", "numa", "socket", "island"};
  const std::string& domain = kDomains[static_cast<int>(wish.align)];
  InsideRequest request;
  request.required = wish.align == Align::kAnywhere || wish.align_required;
  request.align = wish.align;
  if (wish.whole_sockets) {
    if (wish.align == Align::kNuma || wish.align == Align::kIsland) {
      throw std::invalid_argument("whole sockets cannot be aligned to one " +
                                  domain);
    }
    const bool one = wish.align == Align::kSocket && wish.align_required;
    for (std::uint32_t sockets = 1; sockets <= (one ? 1 : kMostSockets);
         ++sockets) {
      request.choices.push_back(ChoiceOf(wish, "socket", sockets, true));
    }
    return request;
  }
  request.choices.push_back(ChoiceOf(wish, domain, 1, false));
  if (!wish.align_required && wish.align != Align::kAnywhere) {
    request.choices.push_back(ChoiceOf(wish, "", 1, false));
  }
  return request;
}

}  // namespace fluxnetes::matcher
