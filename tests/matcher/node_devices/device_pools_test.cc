// What a node can use of pools, while drivers publish them.
#include "matcher/node_devices/device_pools.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "device_stage.h"

namespace fluxnetes::matcher {
namespace {

class DevicePoolsTest : public ::testing::Test {
 protected:
  // A slice of pool "p" for a node, or for all if it is empty.
  static DeviceSlice Slice(const std::string& name, const std::string& node,
                           int devices, std::int64_t generation = 1,
                           std::int64_t slices = 1) {
    DeviceSlice slice = SliceOf(node, Gpus(devices));
    slice.name = name;
    slice.pool = "p";
    slice.generation = generation;
    slice.slices = slices;
    for (Device& each : slice.devices) each.name += "-" + name;
    return slice;
  }

  // "p: gpu0-a gpu1-a", with what is wrong with the pool.
  std::string SeenBy(const std::string& node, const Labels& labels = {}) {
    std::string text;
    for (const auto& pool : pools_.Of(node, labels)) {
      if (!text.empty()) text += "; ";
      text += pools_.at(pool.pool).name + ":";
      if (pool.incomplete) text += " incomplete";
      if (pool.invalid) text += " invalid";
      for (const auto& device : pool.devices) {
        text += " " + pools_.at(pool.pool).slots[device.published->slot];
      }
    }
    return text;
  }

  DeviceKinds kinds_;
  DevicePools pools_{kinds_};
};

TEST_F(DevicePoolsTest, SlicesComeInOrderOfName) {
  pools_.SetSlice(Slice("b", "n", 1, 1, 2));
  EXPECT_EQ(SeenBy("n"), "p: incomplete gpu0-b");
  pools_.SetSlice(Slice("a", "n", 2, 1, 2));
  EXPECT_EQ(SeenBy("n"), "p: gpu0-a gpu1-a gpu0-b");
  EXPECT_EQ(SeenBy("m"), "");
  pools_.RemoveSlice("b");
  EXPECT_EQ(SeenBy("n"), "p: incomplete gpu0-a gpu1-a");
}

TEST_F(DevicePoolsTest, ANewGenerationTakesThePlaceOfTheOldOne) {
  pools_.SetSlice(Slice("a", "n", 2, 1, 1));
  pools_.SetSlice(Slice("b", "n", 1, 2, 2));
  EXPECT_EQ(SeenBy("n"), "p: incomplete gpu0-b");
  pools_.SetSlice(Slice("c", "n", 1, 2, 2));
  EXPECT_EQ(SeenBy("n"), "p: gpu0-b gpu0-c");
}

TEST_F(DevicePoolsTest, ANewGenerationForOthersEndsAnIncompleteOne) {
  pools_.SetSlice(Slice("a", "n", 2, 1, 2));
  pools_.SetSlice(Slice("b", "m", 1, 1, 2));
  EXPECT_EQ(SeenBy("n"), "p: gpu0-a gpu1-a");
  pools_.SetSlice(Slice("b", "m", 1, 2, 2));
  EXPECT_EQ(SeenBy("n"), "");
  EXPECT_EQ(SeenBy("m"), "p: incomplete gpu0-b");
}

TEST_F(DevicePoolsTest, SlicesForOtherNodesCountForCompleteness) {
  pools_.SetSlice(Slice("a", "n", 1, 1, 2));
  EXPECT_EQ(SeenBy("n"), "p: incomplete gpu0-a");
  EXPECT_EQ(pools_.SetSlice(Slice("b", "m", 1, 1, 2)),
            (std::set<std::string>{"m", "n"}));
  EXPECT_EQ(SeenBy("n"), "p: gpu0-a");
}

TEST_F(DevicePoolsTest, AllNodesSeeWhatIsForNoNodeAlone) {
  EXPECT_EQ(pools_.SetSlice(Slice("a", "", 1)), std::set<std::string>{""});
  EXPECT_EQ(SeenBy("n"), "p: gpu0-a");
  EXPECT_EQ(SeenBy("m"), "p: gpu0-a");
  EXPECT_TRUE(pools_.at(0).IsWide());
  EXPECT_EQ(pools_.RemoveSlice("a"), std::set<std::string>{""});
  EXPECT_EQ(SeenBy("m"), "");
}

TEST_F(DevicePoolsTest, DevicesMaySayTheirNodes) {
  DeviceSlice slice = Slice("a", "", 3);
  slice.nodes = {};
  slice.devices[0].nodes.emplace().node = "n";
  slice.devices[1].nodes.emplace().all = true;
  LabelRequirement rack;
  rack.key = "rack";
  rack.values = {"r1"};
  slice.devices[2].nodes.emplace().terms = {{rack}};
  pools_.SetSlice(slice);
  EXPECT_EQ(SeenBy("n"), "p: gpu0-a gpu1-a");
  EXPECT_EQ(SeenBy("m", {{"rack", "r1"}}), "p: gpu1-a gpu2-a");
}

TEST_F(DevicePoolsTest, APoolIsInvalidIfItContradictsItself) {
  DeviceSlice twice = Slice("a", "n", 2);
  twice.devices[1].name = twice.devices[0].name;
  pools_.SetSlice(twice);
  EXPECT_EQ(SeenBy("n"), "p: invalid gpu0-a gpu0-a");

  DeviceSlice counting = Slice("a", "n", 1, 1, 2);
  counting.devices[0].uses = {{"set", {{"memory", {1}}}}};
  pools_.SetSlice(counting);
  DeviceSlice counters = Slice("counters", "n", 0, 1, 2);
  counters.counters = {{"set", {{"memory", {1}}}}};
  pools_.SetSlice(counters);
  EXPECT_EQ(SeenBy("n"), "p: gpu0-a");
  counters.counters = {{"set", {{"cores", {1}}}}};
  pools_.SetSlice(counters);
  EXPECT_EQ(SeenBy("n"), "p: invalid gpu0-a");
  counters.counters = {{"other", {{"memory", {1}}}}};
  pools_.SetSlice(counters);
  EXPECT_EQ(SeenBy("n"), "p: invalid gpu0-a");
  counters.counters = {{"set", {{"memory", {1}}}}, {"set", {}}};
  pools_.SetSlice(counters);
  EXPECT_EQ(SeenBy("n"), "p: invalid gpu0-a");
}

TEST_F(DevicePoolsTest, CountersAloneGiveANodeNothing) {
  DeviceSlice counters = Slice("counters", "", 0, 1, 2);
  counters.counters = {{"set", {{"memory", {1}}}}};
  pools_.SetSlice(counters);
  EXPECT_EQ(SeenBy("n"), "");
}

TEST_F(DevicePoolsTest, DevicesKeepTheirSlots) {
  pools_.SetSlice(Slice("a", "n", 2));
  const SlotId slot = pools_.at(0).SlotOf("gpu1-a");
  pools_.SetSlice(Slice("a", "n", 1, 2));
  pools_.SetSlice(Slice("a", "n", 3, 3));
  EXPECT_EQ(pools_.at(0).SlotOf("gpu1-a"), slot);
  EXPECT_TRUE(pools_.ContentOf({kDriver, "p", "gpu2-a"}));
  EXPECT_FALSE(pools_.ContentOf({kDriver, "p", "gpu3-a"}));
  EXPECT_FALSE(pools_.ContentOf({kDriver, "q", "gpu2-a"}));
}

}  // namespace
}  // namespace fluxnetes::matcher
