#include "workers/bind/bind_devices.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cluster/text/quote.h"
#include "matcher/devices/device_nodes.h"
#include "matcher/devices/devices_text.h"
#include "sql/faults.h"

namespace fluxnetes::workers {
namespace {

using cluster::Quote;

std::vector<cluster::DeviceClassPointer> ClassesOf(
    const matcher::DeviceClaim& claim, const cluster::ClusterCache& cache) {
  std::set<std::string> names;
  for (const matcher::DeviceRequest& request : claim.requests)
    for (const matcher::DeviceChoice& choice : request.choices)
      names.insert(choice.device_class);
  std::vector<cluster::DeviceClassPointer> classes;
  for (const std::string& name : names)
    if (auto found = cache.DeviceClassByName(name)) classes.push_back(found);
  return classes;
}

}  // namespace

BindDevices::Look BindDevices::Check(const cluster::Pod& pod,
                                     const std::string& node,
                                     std::string_view devices) const {
  Look look;
  std::map<std::string, std::vector<matcher::AllocatedDevice>> by_claim;
  for (matcher::AllocatedDevice& each : matcher::ReadDevices(devices))
    by_claim[each.claim].push_back(std::move(each));
  for (const cluster::PodClaim& entry : pod.resource_claims) {
    if (entry.needless) continue;
    CheckClaim(pod, node, entry, std::move(by_claim[entry.name]), look);
    if (look.waits || !look.problem.empty()) return look;
  }
  return look;
}

void BindDevices::CheckClaim(const cluster::Pod& pod, const std::string& node,
                             const cluster::PodClaim& entry,
                             std::vector<matcher::AllocatedDevice> devices,
                             Look& look) const {
  const cluster::ResourceClaimPointer claim =
      cache_.ResourceClaimByName(pod.namespace_name, entry.claim);
  if (claim == nullptr || claim->terminating) {
    look.waits = true;  // intake sends the group back, or the watch is behind
    return;
  }
  cluster::ClaimAllocation write;
  write.devices.nodes = matcher::NodesOf(entry.name, devices, node);
  write.devices.devices = std::move(devices);
  for (matcher::AllocatedDevice& each : write.devices.devices)
    each.claim.clear();
  if (claim->allocation &&
      !cluster::SameDevices(*claim->allocation, write.devices)) {
    if (entry.template_name.empty()) {
      look.problem = "the ResourceClaim " + Quote(entry.claim) +
                     " has been given other devices";
    } else {
      look.waits = true;  // those of an earlier placement are given back
    }
    return;
  }
  for (const matcher::AllocatedDevice& each : write.devices.devices) {
    const std::string holder =
        sql::BugPlanted("holder-unseen") ? "" : cache_.HolderOf(each.id);
    if (each.admin_access || !each.share.empty() || holder.empty() ||
        holder == Key(*claim))
      continue;
    if (IsLeftTo(pod, holder)) {
      look.waits = true;
      return;
    }
    look.problem = "device " + each.id.pool + "/" + each.id.device + " of " +
                   each.id.driver + " was taken by the ResourceClaim " + holder;
    return;
  }
  write.claim = claim;
  write.classes = ClassesOf(claim->spec->devices, cache_);
  cluster::ClaimConsumer consumer;
  consumer.name = pod.name;
  consumer.uid = pod.uid;
  write.consumers = {consumer};
  look.to_write.push_back(std::move(write));
}

bool BindDevices::IsLeftTo(const cluster::Pod& pod,
                           const std::string& holder) const {
  const auto slash = holder.find('/');
  const cluster::ResourceClaimPointer claim = cache_.ResourceClaimByName(
      holder.substr(0, slash), holder.substr(slash + 1));
  if (!pod.controller || claim == nullptr || claim->reserved_for.empty())
    return false;
  return std::ranges::all_of(
      claim->reserved_for, [&](const cluster::ClaimConsumer& consumer) {
        const cluster::PodPointer user = cache_.PodByUid(consumer.uid);
        return user == nullptr ||
               ((user->terminating || cluster::HasEnded(*user)) &&
                user->controller &&
                user->controller->uid == pod.controller->uid);
      });
}

bool BindDevices::AreWritten(
    const std::vector<cluster::ClaimAllocation>& writes) {
  return std::ranges::all_of(writes, [](const auto& each) {
    const auto done = WhyDone(each, *each.claim);
    return done && done->outcome == cluster::ClaimOutcome::kWritten;
  });
}

BindDevices::Conditions BindDevices::ConditionsOf(
    const cluster::ClaimDevices& devices, const cluster::ResourceClaim& claim) {
  Conditions conditions;
  for (const matcher::AllocatedDevice& each : devices.devices) {
    const auto status = std::ranges::find_if(
        claim.statuses, [&](const cluster::DeviceStatus& said) {
          return said.id == each.id && said.share == each.share;
        });
    const auto holds = [&](const std::string& condition) {
      return status != claim.statuses.end() &&
             std::ranges::count(status->conditions, condition) > 0;
    };
    const auto say = [&](const char* what, const std::string& condition) {
      return "device " + each.id.pool + "/" + each.id.device + " of " +
             each.id.driver + " in the ResourceClaim " + Quote(claim.name) +
             what + Quote(condition);
    };
    for (const std::string& condition : each.binding_failures) {
      if (conditions.failed.empty() && holds(condition))
        conditions.failed = say(" has the condition ", condition);
    }
    for (const std::string& condition : each.binding_conditions) {
      if (conditions.awaited.empty() && !holds(condition))
        conditions.awaited = say(" waits for its condition ", condition);
    }
  }
  return conditions;
}

std::vector<std::size_t> BindDevices::Merge(
    std::vector<cluster::ClaimAllocation>& writes) {
  std::map<std::string, std::size_t> known;
  std::vector<std::size_t> positions;
  std::vector<cluster::ClaimAllocation> merged;
  for (cluster::ClaimAllocation& write : writes) {
    const auto [at, added] = known.emplace(write.claim->uid, merged.size());
    positions.push_back(at->second);
    if (added) {
      merged.push_back(std::move(write));
    } else {
      auto& consumers = merged[at->second].consumers;
      consumers.insert(consumers.end(), write.consumers.begin(),
                       write.consumers.end());
    }
  }
  writes = std::move(merged);
  return positions;
}

}  // namespace fluxnetes::workers
