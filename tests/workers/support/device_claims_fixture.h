// The fixture of tests about pods with claims of devices: that of the match
// worker, with two GPUs on each of the nodes n0 and n1, and none on n2.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/devices/claim_spec.h"
#include "tests/workers/support/match_fixture.h"
#include "workers/bind/claim_release.h"

namespace fluxnetes::workers {

class DeviceClaimsTest : public MatchTest {
 protected:
  DeviceClaimsTest() {
    binder = std::make_unique<Binder>(
        database.pool(), *jobs, match->client, door, *cache,
        Binder::Options{.retry = std::chrono::milliseconds(0)});
    cluster::DeviceClass gpu;
    gpu.device_class = {"gpu", {"device.driver == \"gpu.example.com\""}};
    door.PutOther("class gpu", gpu);
    for (const char* const node : {"n0", "n1"}) PutGpus(node, 1, {}, {});
  }

  void PutGpus(const std::string& node, int generation,
               const std::vector<std::string>& conditions,
               const std::vector<std::string>& failures) {
    cluster::ResourceSlice slice;
    slice.slice.name = node + "-gpus";
    slice.slice.driver = "gpu.example.com";
    slice.slice.pool = node;
    slice.slice.generation = generation;
    slice.slice.nodes.node = node;
    slice.slice.devices.resize(2);
    slice.slice.devices[0].name = "gpu-0";
    slice.slice.devices[1].name = "gpu-1";
    for (matcher::Device& device : slice.slice.devices) {
      device.binding_conditions = conditions;
      device.binding_failures = failures;
    }
    door.PutOther("slice " + slice.slice.name, slice);
  }

  // The GPUs of the node are to be attached before they can be used.
  void NameConditions(const std::string& node) {
    PutGpus(node, 2, {"Attached"}, {"Broken"});
  }
  // As the driver of the GPUs of n0 does: these have these conditions.
  void Say(const std::string& pod,
           const std::map<std::string, std::string>& conditions) {
    cluster::ResourceClaim claim =
        *door.ResourceClaimOf("default/" + pod + "-gpus");
    claim.statuses.clear();
    for (const auto& [device, condition] : conditions)
      claim.statuses.push_back(
          {{"gpu.example.com", "n0", device}, "", {condition}});
    door.PutResourceClaim(claim);
    Observe();
  }

  // A pod with a claim of its own, made from a template.
  std::string CreatePod(const std::string& name, const std::string& gang,
                        int size, int gpus) {
    cluster::Pod pod = PodOf({.name = name, .group = gang, .size = size});
    pod.resource_claims = {{"gpus", name + "-gpus", "some-gpus"}};
    cluster::RequestedClaim asked;
    asked.name = "gpus";
    asked.template_name = "some-gpus";
    pod.request.rules.Own().resource_claims = {asked};
    PutClaim(name + "-gpus", gpus, cluster::Owner{"Pod", name, pod.uid});
    door.Put(pod);
    return pod.uid;
  }
  // A pod that uses a claim beside other pods: PutClaim() makes it.
  void CreatePodWith(const std::string& claim, const std::string& name,
                     const std::string& gang, int size) {
    cluster::Pod pod = PodOf({.name = name, .group = gang, .size = size});
    pod.resource_claims = {{"gpus", claim, ""}};
    cluster::RequestedClaim asked;
    asked.name = "gpus";
    asked.claim = "default/" + claim;
    pod.request.rules.Own().resource_claims = {asked};
    door.Put(pod);
  }
  void PutClaim(const std::string& name, int gpus,
                std::optional<cluster::Owner> owner = {}) {
    matcher::DeviceChoice choice;
    choice.device_class = device_class_;
    choice.count = gpus;
    choice.all = all_;
    matcher::DeviceRequest request;
    request.name = "gpu";
    request.choices = {choice};
    matcher::DeviceClaim devices;
    devices.requests = {request};
    cluster::ResourceClaim claim;
    claim.namespace_name = "default";
    claim.name = name;
    claim.uid = "uid-of-claim-" + name;
    claim.owner = std::move(owner);
    claim.spec.Own() = cluster::ReadClaimSpec(cluster::WriteClaimSpec(devices));
    door.PutResourceClaim(claim);
  }

  void PlaceAll() {
    ObserveAndPromote();
    Match();
  }
  void BindDue(cluster::Time now = kNoon) {
    database.Execute(
        "UPDATE jobs SET scheduled_at = now() WHERE kind = 'bind'");
    jobs->MakeDueAvailable();
    BindPlaced(now);
  }

  // "n0/gpu-0 n0/gpu-1"; empty: it has none.
  std::string DevicesOf(const std::string& pod) {
    const auto claim = door.ResourceClaimOf("default/" + pod + "-gpus");
    std::string text;
    if (!claim->allocation) return text;
    for (const matcher::AllocatedDevice& each : claim->allocation->devices)
      text += (text.empty() ? "" : " ") + each.id.pool + "/" + each.id.device;
    return text;
  }
  std::vector<std::string> ConsumersOf(const std::string& pod) {
    std::vector<std::string> uids;
    const auto claim = door.ResourceClaimOf("default/" + pod + "-gpus");
    for (const cluster::ClaimConsumer& each : claim->reserved_for)
      uids.push_back(each.uid);
    return uids;
  }
  // As another scheduler does.
  void TakeAway(const std::string& node, const std::string& device) {
    cluster::ResourceClaim claim;
    claim.namespace_name = "other";
    claim.name = "theirs-" + device;
    claim.uid = "uid-of-" + claim.name;
    matcher::AllocatedDevice held;
    held.request = "gpu";
    held.id = {"gpu.example.com", node, device};
    claim.allocation = cluster::ClaimDevices{{held}, {node}};
    door.PutResourceClaim(claim);
  }

  std::string device_class_ = "gpu";
  bool all_ = false;  // claims ask for all devices of the class

  int Release() {
    Observe();
    return ReleaseByTheCache();
  }
  int ReleaseByTheCache() {
    return ClaimRelease(database.pool(), door, *cache,
                        cluster::SchedulerNames())
        .RunOnce();
  }
};

}  // namespace fluxnetes::workers
