#include "tests/cluster/contract/contract.h"

#include <utility>
#include <variant>

#include "cluster/devices/claim_spec.h"

namespace fluxnetes::cluster {

using std::chrono::milliseconds;

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ClusterContract);

std::string UidOf(const WatchEvent& event) {
  const auto* const pod = std::get_if<PodPointer>(&event.object);
  return pod == nullptr ? "" : (*pod)->uid;
}

void ClusterContract::AddNodes(int count) {
  for (int i = 0; i < count; ++i) {
    Node node;
    node.name = "node" + std::to_string(i);
    node.allocatable = {
        .cpu_milli = 64'000, .memory_bytes = 256LL << 30, .pods = 110};
    node.labels = {{"topology.kubernetes.io/zone", "a"}};
    ASSERT_TRUE(Behind().AddNode(node));
  }
}

PodPointer ClusterContract::AddPod(const std::string& name, const PodRun& run) {
  PodTemplate wish;
  wish.pod.namespace_name = "default";
  wish.pod.name = name;
  wish.pod.scheduler_name = "fluxnetes";
  wish.pod.request.resources = {
      .cpu_milli = 1'000, .memory_bytes = 1LL << 30, .pods = 1};
  wish.run = run;
  return Behind().CreatePod(wish);
}

ResourceClaimPointer ClusterContract::AddClaim(const std::string& name) {
  ResourceClaim claim;
  claim.namespace_name = "default";
  claim.name = name;
  claim.spec.Own() = ReadClaimSpec(R"({"devices": {"requests": [
      {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}})");
  Behind().Put(std::move(claim));
  return ClaimNamed(name);
}

PodPointer ClusterContract::AddUser(const std::string& name,
                                    std::vector<PodClaim> claims) {
  PodTemplate wish;
  wish.pod.namespace_name = "default";
  wish.pod.name = name;
  wish.pod.request.resources.pods = 1;
  for (const PodClaim& each : claims) {
    wish.pod.request.rules.Own().resource_claims.push_back(
        {each.name, each.claim, each.template_name});
  }
  wish.pod.resource_claims = std::move(claims);
  wish.run = {.length = std::nullopt};
  return Behind().CreatePod(wish);
}

Binding ClusterContract::BindingOf(const Pod& pod, const std::string& node) {
  return {pod.namespace_name, pod.name, pod.uid, pod.resource_version, node};
}

TouchResult ClusterContract::Touch(const std::string& name,
                                   const std::string& uid) {
  const ObjectName pod{"Pod", "default", name, uid};
  return Door().Touch({&pod, 1}).at(0);
}

BindResult ClusterContract::Bind(const Binding& binding) {
  return Door().Bind({&binding, 1}, kDeadline).at(0);
}

bool ClusterContract::Until(const std::function<bool()>& condition) {
  if (!watch_) watch_ = Door().WatchAll();
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    const auto events = watch_->Next(1'000, milliseconds(5));
    cache_.Apply(events);
    told_.insert(told_.end(), events.begin(), events.end());
    world_->Advance(milliseconds(5));
  }
  return true;
}

}  // namespace fluxnetes::cluster
