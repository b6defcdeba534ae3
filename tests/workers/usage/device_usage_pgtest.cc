// Devices of claims in the history of pods and in usage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workers/support/device_claims_fixture.h"
#include "workers/cleanup/cleanup.h"
#include "workers/usage/usage_roll_up.h"

namespace fluxnetes::workers {
namespace {

constexpr std::chrono::hours kHeldHour{1};
constexpr const char* kGpuDevices = "gpu.deviceclass.resource.k8s.io/devices";

class DeviceUsage : public DeviceClaimsTest {
 protected:
  void Start() {
    PlaceAll();
    BindDue();
    Observe();
  }

  void End(const std::string& pod, cluster::Time now) {
    door.ChangePod("default/" + pod, [](cluster::Pod& it) {
      it.phase = cluster::PodPhase::kSucceeded;
    });
    ObserveAndPromote(now);
    Cleanup cleanup(database.pool(), *jobs, *client, door, {});
    while (cleanup.RunOnce(now)) {
    }
  }

  // The hours of GPUs up to `now`.
  std::string GpuHours(cluster::Time now) {
    UsageRollUp(database.pool()).RunOnce(now);
    return Ask(
        "SELECT round((used / 3600)::numeric, 3) FROM usage_days WHERE "
        "resource = '" +
        std::string(kGpuDevices) + "'");
  }

  std::string InHistory(const std::string& pod) {
    return AskAll(
        "SELECT d.claim, d.request, d.driver, d.pool, d.device "
        "FROM group_history AS h, jsonb_array_elements(h.pods) AS m (pod), "
        "jsonb_to_recordset(m.pod -> 'devices') AS d (claim text, request "
        "text, driver text, pool text, device text) WHERE m.pod ->> 'name' = "
        "'" +
        pod + "'");
  }
};

TEST_F(DeviceUsage, EndedPodsAndTheHistoryKeepTheNamesOfTheirDevices) {
  CreatePod("a", "gang", 2, 2);
  CreatePod("b", "gang", 2, 1);
  Start();
  ASSERT_EQ(StateOf("gang"), "bound");
  End("a", kNoon + kHeldHour);
  EXPECT_EQ(Ask("SELECT array_to_string(device_names(ARRAY[devices]), ' ') "
                "FROM pods WHERE pod_name = 'a'"),
            "gpu.example.com/n0/gpu-0 gpu.example.com/n0/gpu-1");
  EXPECT_EQ(AskAll("SELECT pod_name, device_class, node_name, device FROM "
                   "held_devices"),
            "b|gpu|n1|gpu-0");
  End("b", kNoon + 2 * kHeldHour);
  EXPECT_EQ(InHistory("a"),
            "gpus|gpu|gpu.example.com|n0|gpu-0\n"
            "gpus|gpu|gpu.example.com|n0|gpu-1");
  EXPECT_EQ(InHistory("b"), "gpus|gpu|gpu.example.com|n1|gpu-0");
}

TEST_F(DeviceUsage, HoursOfAClassAreThoseOfTheDevicesThatPodsHave) {
  CreatePod("a", "gang", 2, 2);
  CreatePod("b", "gang", 2, 1);
  Start();
  EXPECT_EQ(GpuHours(kNoon + kHeldHour), "3.000");
  End("a", kNoon + 2 * kHeldHour);
  EXPECT_EQ(GpuHours(kNoon + 3 * kHeldHour), "7.000");
  End("b", kNoon + 4 * kHeldHour);
  ASSERT_EQ(Ask("SELECT count(*) FROM group_history"), "1");
  // By the history alone.
  database.Execute("DELETE FROM usage_days");
  EXPECT_EQ(GpuHours(kNoon + 5 * kHeldHour), "8.000");
  EXPECT_EQ(Ask("SELECT other_hours FROM usage_months"),
            "{\"" + std::string(kGpuDevices) + "\": 8}");
}

TEST_F(DeviceUsage, DevicesOfASharedClaimCountOnce) {
  PutClaim("team", 2);
  CreatePodWith("team", "a", "gang", 2);
  CreatePodWith("team", "b", "gang", 2);
  Start();
  ASSERT_EQ(StateOf("gang"), "bound");
  EXPECT_EQ(GpuHours(kNoon + kHeldHour), "2.000");
}

// And once in the records, whoever of them is placed again.
TEST_F(DeviceUsage, SharedClaimIsRecordedOnceAfterAPodIsReplaced) {
  database.Execute("UPDATE queues SET replacement_hold = '0'");
  PutClaim("team", 2);
  const auto create = [&](const std::string& name) {
    cluster::Pod pod =
        PodOf({.name = name, .group = "gang", .size = 2, .owner = "work"});
    pod.resource_claims = {{"gpus", "team", ""}};
    cluster::RequestedClaim asked;
    asked.name = "gpus";
    asked.claim = "default/team";
    pod.request.rules.Own().resource_claims = {asked};
    door.Put(pod);
  };
  const auto recorded = [&] {
    return Ask("SELECT string_agg(coalesce(other ->> '" +
               std::string(kGpuDevices) +
               "', '-'), ' ' ORDER BY pod_uid) FROM placements");
  };
  create("a");
  create("b");
  Start();
  ASSERT_EQ(StateOf("gang"), "bound");
  ASSERT_EQ(recorded(), "2 -");
  door.ChangePod("default/b", [](cluster::Pod& it) {
    it.phase = cluster::PodPhase::kFailed;
  });
  ObserveAndPromote();
  Cleanup cleanup(database.pool(), *jobs, *client, door, {});
  while (cleanup.RunOnce(kNoon)) {
  }
  ASSERT_EQ(recorded(), "2");
  create("c");
  PlaceAll();
  EXPECT_EQ(recorded(), "2 -");
}

TEST_F(DeviceUsage, AllDevicesOfANodeCountAsManyAsThereAre) {
  all_ = true;
  CreatePod("a", "gang", 1, 1);
  Start();
  ASSERT_EQ(StateOf("gang"), "bound");
  // A quota counts 32 for such a claim.
  EXPECT_EQ(Ask("SELECT other ->> '" + std::string(kGpuDevices) +
                "' FROM placements"),
            "32");
  EXPECT_EQ(GpuHours(kNoon + kHeldHour), "2.000");
}

}  // namespace
}  // namespace fluxnetes::workers
