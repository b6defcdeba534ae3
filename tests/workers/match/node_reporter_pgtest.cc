#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workers/support/device_claims_fixture.h"
#include "workers/match/node_reporter.h"

namespace fluxnetes::workers {
namespace {

class NodeReports : public DeviceClaimsTest {
 protected:
  void Write() {
    Observe();
    reporter_.Note(cache->TakeChangedNodes());
    reporter_.NoteDevices(cache->TakeChangedDevices());
    reporter_.Write(kNoon);
  }

  // Pods of another scheduler, with the claim "default/NAME-gpus", or with one
  // that several pods share.
  void PutOther(const std::string& name, const std::string& node) {
    Put(name, node, {"gpus", name + "-gpus", "some-gpus"});
  }
  void PutSharer(const std::string& name, const std::string& node) {
    Put(name, node, {"gpus", "team-gpus", ""});
  }
  // What the other scheduler writes before it binds; no devices: they are given
  // back.
  void Give(const std::string& pod, const std::vector<std::string>& devices) {
    PutClaim(pod + "-gpus", static_cast<int>(devices.size()));
    cluster::ResourceClaim claim =
        *door.ResourceClaimOf("default/" + pod + "-gpus");
    if (!devices.empty()) {
      claim.allocation.emplace().nodes.node = "n0";
      for (const std::string& device : devices) {
        matcher::AllocatedDevice held;
        held.request = "gpu";
        held.id = {"gpu.example.com", "n0", device};
        claim.allocation->devices.push_back(held);
      }
      claim.reserved_for = {{.name = pod, .uid = "uid-" + pod}};
    }
    door.PutResourceClaim(claim);
  }
  std::string OfOthers() {
    return AskAll(
        "SELECT node_name, device_class, device, namespace, pod_name, claim, "
        "request, shared FROM held_devices WHERE group_id IS NULL ORDER BY "
        "node_name, device, pod_name");
  }

  NodeReporter reporter_{database.pool(), *cache, {}};

 private:
  void Put(const std::string& name, const std::string& node,
           const cluster::PodClaim& claim) {
    cluster::Pod pod = PodOf({.name = name});
    pod.uid = "uid-" + name;
    pod.scheduler_name = "default-scheduler";
    pod.node_name = node;
    pod.resource_claims = {claim};
    door.Put(pod);
  }
};

TEST_F(NodeReports, DevicesAreWrittenAsTheirDriversPublishThem) {
  const auto devices = [&] {
    Write();
    return AskAll(
        "SELECT node_name, devices FROM nodes WHERE node_name < 'n2' ORDER BY "
        "node_name");
  };
  EXPECT_EQ(devices(),
            "n0|{\"gpu.example.com\": 2}\nn1|{\"gpu.example.com\": 2}");
  cluster::ResourceSlice slice;
  slice.slice.name = "n1-gpus";
  slice.slice.driver = "gpu.example.com";
  slice.slice.pool = "n1";
  slice.slice.generation = 2;
  slice.slice.nodes.node = "n1";
  door.PutOther("slice n1-gpus", slice);
  slice.slice.name = "n0-nics";
  slice.slice.driver = "nic.example.com";
  slice.slice.pool = "n0";
  slice.slice.nodes.node = "n0";
  slice.slice.devices = {{.name = "eth-0"}};
  door.PutOther("slice n0-nics", slice);
  EXPECT_EQ(devices(),
            "n0|{\"gpu.example.com\": 2, \"nic.example.com\": 1}\nn1|{}");
}

TEST_F(NodeReports, DevicesOfPodsOfOtherSchedulersAreNamed) {
  Give("theirs", {"gpu-1"});
  PutOther("theirs", "");
  Write();
  EXPECT_EQ(OfOthers(), "");
  PutOther("theirs", "n0");
  Write();
  EXPECT_EQ(OfOthers(), "n0|gpu|gpu-1|default|theirs|gpus|gpu|NULL");
  // Whichever is heard first, and also after a start.
  PutOther("late", "n0");
  Write();
  Give("late", {"gpu-0"});
  Write();
  const std::string both =
      "n0|gpu|gpu-0|default|late|gpus|gpu|NULL\n"
      "n0|gpu|gpu-1|default|theirs|gpus|gpu|NULL";
  EXPECT_EQ(OfOthers(), both);
  NodeReporter(database.pool(), *cache, {}).Write(kNoon);
  EXPECT_EQ(OfOthers(), both);
  // They are taken for groups, too.
  CreatePod("ours", "gang", 1, 2);
  PlaceAll();
  EXPECT_EQ(PlacesOf("gang"), "n1");
  Give("theirs", {});
  Write();
  EXPECT_EQ(OfOthers(), "n0|gpu|gpu-0|default|late|gpus|gpu|NULL");
  door.Remove("default/late");
  Write();
  EXPECT_EQ(OfOthers(), "");
  EXPECT_EQ(Ask("SELECT string_agg(DISTINCT unmanaged_devices::text, ' ') FROM "
                "nodes"),
            "[]");
}

TEST_F(NodeReports, SharedDeviceIsNamedForEachPodOfOthers) {
  Give("team", {"gpu-0"});
  PutSharer("a", "n0");
  PutSharer("b", "n0");
  Write();
  EXPECT_EQ(OfOthers(),
            "n0|gpu|gpu-0|default|a|gpus|gpu|default/team-gpus\n"
            "n0|gpu|gpu-0|default|b|gpus|gpu|default/team-gpus");
}

}  // namespace
}  // namespace fluxnetes::workers
