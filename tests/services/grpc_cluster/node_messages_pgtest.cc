// Nodes and maintenance of fluxnetes.v1, called by a real client over a socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/services/support/grpc_scheduling.h"
#include "tests/services/support/waiting_group_database.h"

namespace fluxnetes::services {
namespace {

using grpc::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Stub = v1::Scheduler::Stub;

using GrpcNodes = GrpcScheduling<WaitingGroupDatabase>;

TEST_F(GrpcNodes, NodeHasItsGroupsMaintenanceAndInside) {
  AddWaitingGroup();
  database_.Execute(
      "UPDATE placements SET parts = 'socket0/core[0-2]' WHERE pod_uid = 'r0';"
      "INSERT INTO node_structures VALUES (md5('S'), 'S');"
      "UPDATE nodes SET structure = md5('S') WHERE node_name = 'n0';"
      "UPDATE nodes SET labels = '{\"row\": \"7\"}' WHERE node_name = 'n0';"
      "INSERT INTO maintenance (node_selector, starts_at, reason, made_at)"
      " VALUES ('{\"row\": \"7\"}', now() + interval '1 hour', 'new disks',"
      "  now())");
  Serve();
  v1::GetNodeRequest request;
  request.set_name("n0");
  v1::GetNodeResponse node;
  ASSERT_TRUE(Call(&Stub::GetNode, request, &node).ok());
  EXPECT_EQ(node.node().cpu_milli().granted(), 3'000);
  ASSERT_EQ(node.groups_size(), 2);
  const v1::NodeGroup& runs = node.groups(0);
  EXPECT_EQ(runs.name(), "runs");
  EXPECT_EQ(runs.kind(), v1::TIMELINE_KIND_RUNNING);
  EXPECT_EQ(runs.pods_here(), 1);
  EXPECT_EQ(runs.size(), 2);
  EXPECT_EQ(runs.cpu_milli(), 3'000);
  EXPECT_EQ(runs.ends_at().seconds() - runs.starts_at().seconds(), 1'100);
  EXPECT_THAT(runs.inside(), ElementsAre("socket0/core[0-2]"));
  const v1::NodeGroup& first = node.groups(1);
  EXPECT_EQ(first.name(), "first");
  EXPECT_EQ(first.kind(), v1::TIMELINE_KIND_RESERVED);
  EXPECT_EQ(first.ends_at().seconds() - first.starts_at().seconds(), 500);
  ASSERT_EQ(node.maintenance_size(), 1);
  EXPECT_EQ(node.maintenance(0).labels().at("row"), "7");
  EXPECT_EQ(node.maintenance(0).reason(), "new disks");
  EXPECT_EQ(node.maintenance(0).known_nodes(), 1);
  EXPECT_EQ(node.structure(), "S");

  request.set_name("small");
  ASSERT_TRUE(Call(&Stub::GetNode, request, &node).ok());
  EXPECT_THAT(node.groups(), IsEmpty());
  EXPECT_THAT(node.maintenance(), IsEmpty());
  EXPECT_EQ(node.structure(), "");
  request.set_name("gone");
  EXPECT_EQ(Call(&Stub::GetNode, request, &node).error_code(),
            StatusCode::NOT_FOUND);
}

TEST_F(GrpcNodes, DevicesOfClaimsAreCountedByDriverAndNamedByGroup) {
  AddExampleGroups();
  AddDevices();
  AddUnmanagedDevices();
  Serve();
  v1::GetNodeRequest request;
  request.set_name("n1");
  v1::GetNodeResponse node;
  ASSERT_TRUE(Call(&Stub::GetNode, request, &node).ok());
  const auto& devices = node.node().devices();
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices.at("gpu.example.com").allocatable(), 4);
  EXPECT_EQ(devices.at("gpu.example.com").granted(), 1);
  EXPECT_EQ(devices.at("gpu.example.com").unmanaged(), 1);
  EXPECT_EQ(devices.at("nic.example.com").allocatable(), 0);
  EXPECT_EQ(devices.at("nic.example.com").granted(), 1);
  ASSERT_EQ(node.unmanaged_devices_size(), 3);
  const v1::UnmanagedDevice& theirs = node.unmanaged_devices(1);
  EXPECT_EQ(theirs.device(), "gpu.example.com/n1/gpu-2");
  EXPECT_EQ(theirs.namespace_() + "/" + theirs.pod(), "b/theirs");
  ASSERT_EQ(node.groups_size(), 2);
  EXPECT_THAT(
      node.groups(0).devices(),
      ElementsAre("gpu.example.com/n1/gpu-1", "gpu.example.com/n1/gpu-3",
                  "nic.example.com/rack/eth-1"));
  EXPECT_THAT(node.groups(1).devices(),
              ElementsAre("gpu.example.com/n1/gpu-0"));

  v1::GetGroupRequest runs;
  runs.set_namespace_("a");
  runs.set_name("runs");
  v1::GetGroupResponse group;
  ASSERT_TRUE(Call(&Stub::GetGroup, runs, &group).ok());
  ASSERT_EQ(group.members(0).devices_size(), 3);
  const v1::MemberDevice& port = group.members(0).devices(1);
  EXPECT_EQ(port.claim() + " " + port.request(), "nic port");
  EXPECT_EQ(port.driver() + "/" + port.pool() + "/" + port.device(),
            "nic.example.com/rack/eth-1");
  EXPECT_THAT(group.members(1).devices(), IsEmpty());
}

TEST_F(GrpcNodes, DrainNamesWhatIsHitAndIsUndone) {
  AddWaitingGroup();
  Serve();
  v1::DrainNodesRequest request;
  request.add_nodes("n1");
  request.set_reason("new disks");
  request.set_dry_run(true);
  v1::DrainNodesResponse drained;
  ASSERT_TRUE(Call(&Stub::DrainNodes, request, &drained).ok());
  EXPECT_THAT(drained.groups(), ElementsAre("a/runs"));
  EXPECT_EQ(drained.group_count(), 1);
  EXPECT_EQ(drained.maintenance().known_nodes(), 1);
  EXPECT_EQ(drained.maintenance().id(), 0);
  EXPECT_EQ(Audit(), "");
  v1::ListMaintenanceResponse listed;
  ASSERT_TRUE(
      Call(&Stub::ListMaintenance, v1::ListMaintenanceRequest(), &listed).ok());
  EXPECT_THAT(listed.maintenance(), IsEmpty());

  request.set_dry_run(false);
  request.set_until("+2h");
  ASSERT_TRUE(Call(&Stub::DrainNodes, request, &drained).ok());
  const std::int64_t id = drained.maintenance().id();
  EXPECT_GT(id, 0);
  EXPECT_THAT(Audit(), HasSubstr("local operator grpc drain node/n1 "));
  EXPECT_THAT(Audit(), HasSubstr(": new disks"));
  ASSERT_TRUE(
      Call(&Stub::ListMaintenance, v1::ListMaintenanceRequest(), &listed).ok());
  ASSERT_EQ(listed.maintenance_size(), 1);
  EXPECT_THAT(listed.maintenance(0).nodes(), ElementsAre("n1"));
  EXPECT_TRUE(listed.maintenance(0).has_ends_at());
  EXPECT_EQ(listed.maintenance(0).groups_in_the_way(), 1);

  v1::UndrainNodesRequest undo;
  undo.set_id(id);
  v1::UndrainNodesResponse undone;
  ASSERT_TRUE(Call(&Stub::UndrainNodes, undo, &undone).ok());
  EXPECT_THAT(Audit(), HasSubstr("local operator grpc undrain maintenance/"));
  const grpc::Status again = Call(&Stub::UndrainNodes, undo, &undone);
  EXPECT_EQ(again.error_code(), StatusCode::NOT_FOUND);
  EXPECT_THAT(again.error_message(), HasSubstr("no maintenance of"));
}

TEST_F(GrpcNodes, MapSaysHowMuchOfEachNodeIsInUse) {
  AddWaitingGroup();
  database_.Execute(
      "UPDATE nodes SET labels = '{\"topology.kubernetes.io/rack\": \"r1\"}',"
      "  other = '{\"nvidia.com/gpu\": 4}' WHERE node_name = 'n0';"
      "UPDATE placements SET other = '{\"nvidia.com/gpu\": 1}'"
      "  WHERE node_name = 'n0';"
      "UPDATE nodes SET unschedulable = 'cordoned' WHERE node_name = 'small';"
      "INSERT INTO maintenance (nodes, starts_at, made_at)"
      " VALUES ('{n1}', now() - interval '1 hour', now())");
  Serve();
  v1::GetNodeMapResponse map;
  ASSERT_TRUE(Call(&Stub::GetNodeMap, v1::GetNodeMapRequest(), &map).ok());
  EXPECT_THAT(map.nodes(), ElementsAre("n0", "n1", "small"));
  EXPECT_THAT(map.racks(), ElementsAre("r1"));
  EXPECT_THAT(map.rack_places(), ElementsAre(0, -1, -1));
  EXPECT_THAT(map.zones(), IsEmpty());
  EXPECT_THAT(map.zone_places(), ElementsAre(-1, -1, -1));
  EXPECT_THAT(map.closures(), ElementsAre(0, 1, 2));
  ASSERT_EQ(map.resources_size(), 4);
  EXPECT_EQ(map.resources(0).name(), "cpu");
  EXPECT_THAT(map.resources(0).used(), ElementsAre(750, 750, 0));
  EXPECT_EQ(map.resources(3).name(), "nvidia.com/gpu");
  EXPECT_THAT(map.resources(3).used(), ElementsAre(250, -1, -1));
}

TEST_F(GrpcNodes, WrongDrainIsRefusedWithWhatWouldBeRight) {
  Serve();
  v1::DrainNodesRequest request;
  v1::DrainNodesResponse drained;
  grpc::Status status = Call(&Stub::DrainNodes, request, &drained);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("no node is named"));
  request.add_nodes("n1");
  request.set_from("tomorrow");
  status = Call(&Stub::DrainNodes, request, &drained);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("2026-01-31T12:00:00Z"));
  EXPECT_EQ(Audit(), "");
}

}  // namespace
}  // namespace fluxnetes::services
