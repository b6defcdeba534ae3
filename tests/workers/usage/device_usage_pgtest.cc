// Devices of claims in the history of pods.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workers/support/device_claims_fixture.h"
#include "workers/cleanup/cleanup.h"

namespace fluxnetes::workers {
namespace {

constexpr std::chrono::hours kHeldHour{1};

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

}  // namespace
}  // namespace fluxnetes::workers
