#include "workers/labels/device_counts.h"

#include <algorithm>

#include "workers/labels/device_claims.h"

namespace fluxnetes::workers {
namespace {

constexpr std::string_view kSuffix = ".deviceclass.resource.k8s.io/devices";
// AllocationResultsMaxSize of resource.k8s.io.
constexpr std::int64_t kMostOfClaim = 32;

void Add(const matcher::DeviceRequest& request, DeviceAmountsByName& sum) {
  DeviceAmountsByName most;  // of the alternatives
  for (const matcher::DeviceChoice& choice : request.choices) {
    if (choice.admin_access) continue;
    std::int64_t& amount = most[choice.device_class + std::string(kSuffix)];
    amount = std::max(amount, choice.all ? kMostOfClaim : choice.count);
  }
  for (const auto& [name, amount] : most) sum[name] += amount;
}

}  // namespace

DeviceCounts CountDevices(const cluster::PodRequest& request) {
  DeviceCounts counts;
  for (const matcher::DeviceClaim& claim : DevicesOf(request).claims) {
    DeviceAmountsByName& sum =
        claim.shared.empty() ? counts.own : counts.shared[claim.shared];
    for (const matcher::DeviceRequest& each : claim.requests) Add(each, sum);
  }
  return counts;
}

std::string_view ClassCountedBy(std::string_view resource) {
  if (!resource.ends_with(kSuffix)) return {};
  return resource.substr(0, resource.size() - kSuffix.size());
}

cluster::Resources OfNodes(cluster::Resources resources) {
  std::erase_if(resources.extended, [](const auto& each) {
    return !ClassCountedBy(each.first).empty();
  });
  return resources;
}

}  // namespace fluxnetes::workers
