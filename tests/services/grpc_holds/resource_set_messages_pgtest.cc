// The resource sets of GetGroup of fluxnetes.v1, called by a real client over a
// socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/services/support/grpc_scheduling.h"

namespace fluxnetes::services {
namespace {

using ::testing::ElementsAre;

using ResourceSetMessages = GrpcScheduling<CommandDatabase>;

TEST_F(ResourceSetMessages, GroupComesWithTheResourceSetsOfItsPods) {
  AddExampleGroups();
  database_.Execute(
      "INSERT INTO placements (fluxion_job, pod_uid, node_name, cpu_milli, "
      "memory_bytes) VALUES (1, 'u2', 'n2', 8000, 0)");
  database_.Execute(
      "UPDATE placements SET parts = 'socket0/core[0-3]', resource_set = "
      "'{\"version\": 1}' WHERE pod_uid = 'u1'");
  Serve();
  v1::GetGroupRequest request;
  request.set_namespace_("a");
  request.set_name("runs");
  v1::GetGroupResponse plain;
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::GetGroup, request, &plain).ok());
  EXPECT_EQ(plain.members(0).inside(), "socket0/core[0-3]");
  EXPECT_EQ(plain.members(0).resource_set(), "");
  EXPECT_EQ(plain.graph_jgf(), "");
  request.set_resource_sets(true);
  v1::GetGroupResponse whole;
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::GetGroup, request, &whole).ok());
  EXPECT_EQ(whole.members(0).resource_set(), "{\"version\": 1}");
  EXPECT_EQ(whole.members(1).resource_set(), "");
  const auto graph = nlohmann::json::parse(whole.graph_jgf()).at("graph");
  std::vector<std::string> paths;
  for (const auto& vertex : graph.at("nodes"))
    paths.push_back(vertex.at("metadata").at("paths").at("containment"));
  EXPECT_THAT(
      paths,
      ElementsAre("/cluster0", "/cluster0/n1", "/cluster0/n1/socket0",
                  "/cluster0/n1/socket0/core0", "/cluster0/n1/socket0/core1",
                  "/cluster0/n1/socket0/core2", "/cluster0/n1/socket0/core3",
                  "/cluster0/n2", "/cluster0/n2/core"));
}

}  // namespace
}  // namespace fluxnetes::services
