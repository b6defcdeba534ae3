#include "workers/match/unmanaged_devices.h"

#include <nlohmann/json.hpp>
#include <string_view>

namespace fluxnetes::workers {
namespace {

// `request` is "request" or "request/alternative". Empty: the claim is one that
// cannot be read.
std::string ClassAsked(const matcher::DeviceClaim& claim,
                       std::string_view request) {
  const std::size_t slash = request.find('/');
  const std::string_view alternative =
      slash == std::string_view::npos ? "" : request.substr(slash + 1);
  for (const matcher::DeviceRequest& each : claim.requests) {
    if (each.name != request.substr(0, slash)) continue;
    for (const matcher::DeviceChoice& choice : each.choices)
      if (choice.name == alternative) return choice.device_class;
  }
  return "";
}

nlohmann::json DeviceInWords(const cluster::Pod& pod,
                             const cluster::PodClaim& entry,
                             const cluster::ResourceClaim& claim,
                             const matcher::AllocatedDevice& device) {
  nlohmann::json it = {{"namespace", pod.namespace_name},
                       {"pod", pod.name},
                       {"uid", pod.uid},
                       {"claim", entry.name},
                       {"request", device.request},
                       {"driver", device.id.driver},
                       {"pool", device.id.pool},
                       {"device", device.id.device}};
  const std::string of = ClassAsked(claim.spec->devices, device.request);
  if (!of.empty()) it["class"] = of;
  if (entry.template_name.empty()) it["shared"] = Key(claim);
  if (device.admin_access) it["admin"] = true;
  return it;
}

}  // namespace

UnmanagedDevices DevicesOfUnmanaged(
    const std::vector<cluster::PodPointer>& pods,
    const cluster::ClusterCache& cache) {
  UnmanagedDevices found;
  nlohmann::json all = nlohmann::json::array();
  for (const cluster::PodPointer& pod : pods) {
    for (const cluster::PodClaim& entry : pod->resource_claims) {
      if (entry.claim.empty()) continue;
      const auto claim =
          cache.ResourceClaimByName(pod->namespace_name, entry.claim);
      if (claim == nullptr || !claim->allocation) continue;
      found.claims.insert(Key(*claim));
      for (const matcher::AllocatedDevice& each : claim->allocation->devices)
        all.push_back(DeviceInWords(*pod, entry, *claim, each));
    }
  }
  if (!all.empty()) found.json = all.dump();
  return found;
}

}  // namespace fluxnetes::workers
