#include "workers/match/node_reporter.h"

#include <gtest/gtest.h>

#include <memory>

namespace fluxnetes::workers {
namespace {

TEST(NodeReporter, TaintsAreReadAsTheyWereWritten) {
  const std::vector<cluster::Taint> taints = {
      {"team", "red", "NoSchedule"}, {"node.kubernetes.io/\"odd\"", "", ""}};
  EXPECT_EQ(ReadTaints(WriteTaints(taints)), taints);
  EXPECT_EQ(ReadTaints("[]"), std::vector<cluster::Taint>());
}

TEST(NodeReporter, DevicesOfTheLatestGenerationAreCountedByNodeAndDriver) {
  std::vector<cluster::ResourceSlicePointer> slices;
  const auto add = [&](const std::string& driver, const std::string& pool,
                       int generation, const std::string& node,
                       std::vector<matcher::Device> devices) {
    auto slice = std::make_shared<cluster::ResourceSlice>();
    slice->slice.driver = driver;
    slice->slice.pool = pool;
    slice->slice.generation = generation;
    slice->slice.nodes.node = node;
    slice->slice.devices = std::move(devices);
    slices.push_back(std::move(slice));
  };
  add("gpu", "n0", 2, "n0", {{.name = "0"}, {.name = "1"}});
  add("gpu", "n0", 2, "n0", {{.name = "2"}});
  add("gpu", "n0", 1, "n0", {{.name = "0"}, {.name = "3"}});
  add("gpu", "n1", 1, "n1", {{.name = "0"}});
  add("nic", "rack", 1, "",
      {{.name = "0", .nodes = matcher::DeviceNodes{.node = "n1"}},
       {.name = "1", .nodes = matcher::DeviceNodes{.all = true}}});
  add("licence", "all", 1, "", {{.name = "0"}});
  const std::map<std::string, DriverCounts> counts = {
      {"n0", {{"gpu", 3}}}, {"n1", {{"gpu", 1}, {"nic", 1}}}};
  EXPECT_EQ(CountDevicesOfNodes(slices), counts);
}

}  // namespace
}  // namespace fluxnetes::workers
