#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workers/support/device_claims_fixture.h"
#include "workers/match/node_reporter.h"

namespace fluxnetes::workers {
namespace {

using NodeReports = DeviceClaimsTest;

TEST_F(NodeReports, DevicesAreWrittenAsTheirDriversPublishThem) {
  Observe();
  NodeReporter reporter(database.pool(), *cache, {});
  const auto devices = [&] {
    reporter.Write(kNoon);
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
  Observe();
  reporter.NoteDevices();
  EXPECT_EQ(devices(),
            "n0|{\"gpu.example.com\": 2, \"nic.example.com\": 1}\nn1|{}");
}

}  // namespace
}  // namespace fluxnetes::workers
