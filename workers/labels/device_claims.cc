#include "workers/labels/device_claims.h"

#include <algorithm>
#include <utility>

#include "cluster/devices/claim_spec.h"
#include "cluster/text/quote.h"
#include "matcher/devices/device_selector.h"

namespace fluxnetes::workers {
namespace {

using cluster::Quote;

// Why a selector of the claim cannot be used; empty: all can.
std::string WhyNoSelector(const matcher::DeviceClaim& claim) {
  for (const matcher::DeviceRequest& request : claim.requests) {
    for (const matcher::DeviceChoice& choice : request.choices) {
      for (const std::string& selector : choice.selectors) {
        try {
          matcher::DeviceSelector{selector};
        } catch (const matcher::SelectorError& error) {
          return "request " + Quote(request.name) + ", selector " +
                 Quote(selector) + ": " + error.what();
        }
      }
    }
  }
  return "";
}

std::string WhyNoClaim(const cluster::Pod& pod, const cluster::PodClaim& entry,
                       const cluster::ResourceClaimPointer& claim) {
  const std::string place =
      "the entry " + Quote(entry.name) + " of spec.resourceClaims";
  if (entry.claim.empty())
    return place +
           " has no ResourceClaim yet, which is to be made from the "
           "ResourceClaimTemplate " +
           Quote(entry.template_name) + "; the pod waits for it";
  const std::string named =
      "the ResourceClaim " + pod.namespace_name + "/" + entry.claim;
  if (claim == nullptr)
    return place + " names " + named +
           ", which is not there; the pod waits for it";
  if (claim->terminating)
    return named + " is being deleted; the pod waits for a new one";
  if (!entry.template_name.empty() &&
      (!claim->owner || claim->owner->uid != pod.uid))
    return named + " was not made for this pod, which waits for its own";
  std::string why = claim->spec->fault;
  if (why.empty()) why = WhyNoSelector(claim->spec->devices);
  return why.empty() ? "" : named + ": " + why;
}

}  // namespace

DeviceClaims ReadDeviceClaims(const cluster::Pod& pod,
                              const cluster::ClusterCache& cache) {
  DeviceClaims read;
  for (const cluster::RequestedClaim& asked :
       pod.request.rules->resource_claims) {
    const auto entry = std::ranges::find(pod.resource_claims, asked.name,
                                         &cluster::PodClaim::name);
    if (entry == pod.resource_claims.end() || entry->needless) continue;
    const auto claim =
        entry->claim.empty()
            ? nullptr
            : cache.ResourceClaimByName(pod.namespace_name, entry->claim);
    read.refused = WhyNoClaim(pod, *entry, claim);
    if (!read.refused.empty()) return read;
    read.claims.push_back(asked);
    read.claims.back().spec = claim->spec->text;
  }
  return read;
}

matcher::TaskDevices DevicesOf(const cluster::PodRequest& request) {
  matcher::TaskDevices devices;
  for (const cluster::RequestedClaim& asked : request.rules->resource_claims) {
    devices.claims.push_back(cluster::ReadClaimSpec(asked.spec).devices);
    devices.claims.back().name = asked.name;
    devices.claims.back().shared = asked.claim;
  }
  return devices;
}

}  // namespace fluxnetes::workers
