#include "services/match/placement_graph.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

namespace fluxnetes::services {
namespace {

// The vertices by path, as "type size", with the path of the parent.
std::map<std::string, std::string> VerticesOf(const std::string& text) {
  const auto graph = nlohmann::json::parse(text).at("graph");
  std::map<std::string, std::string> paths, vertices;
  for (const auto& node : graph.at("nodes"))
    paths[node.at("id")] = node.at("metadata").at("paths").at("containment");
  for (const auto& node : graph.at("nodes")) {
    const auto& metadata = node.at("metadata");
    vertices[paths.at(node.at("id"))] =
        metadata.at("type").get<std::string>() + " " +
        std::to_string(metadata.at("size").get<int>()) +
        (metadata.value("exclusive", false) ? " exclusive" : "");
  }
  for (const auto& edge : graph.at("edges")) {
    const std::string& parent = paths.at(edge.at("source"));
    const std::string& child = paths.at(edge.at("target"));
    EXPECT_TRUE(child.starts_with(parent + "/")) << child;
  }
  EXPECT_EQ(graph.at("edges").size() + 1, graph.at("nodes").size());
  return vertices;
}

TEST(PlacementGraph, HasEachVertexThatPodsHoldOnce) {
  workers::JobspecMatch match;
  match.pods = {{"a0", "socket0/core[0-1]", ""},
                {"a0", "socket0/core2 socket1/", ""}};
  EXPECT_EQ(VerticesOf(PlacementGraph(match)),
            (std::map<std::string, std::string>{
                {"/cluster0", "cluster 1"},
                {"/cluster0/a0", "node 1"},
                {"/cluster0/a0/socket0", "socket 1"},
                {"/cluster0/a0/socket0/core0", "core 1 exclusive"},
                {"/cluster0/a0/socket0/core1", "core 1 exclusive"},
                {"/cluster0/a0/socket0/core2", "core 1 exclusive"},
                {"/cluster0/a0/socket1", "socket 1 exclusive"}}));
}

TEST(PlacementGraph, AmountsAreOneVertexForAllPodsOfANode) {
  workers::JobspecMatch match;
  match.jobspec.topology.whole_nodes = true;
  match.jobspec.resources.cpu_milli = 2'000;
  match.jobspec.resources.memory_bytes = std::int64_t{4} << 20;
  match.jobspec.resources.SetExtended("nvidia.com/gpu", 1);
  match.pods = {{"a0", "", ""}, {"a0", "", ""}, {"b0", "", ""}};
  EXPECT_EQ(
      VerticesOf(PlacementGraph(match)),
      (std::map<std::string, std::string>{{"/cluster0", "cluster 1"},
                                          {"/cluster0/a0", "node 1 exclusive"},
                                          {"/cluster0/a0/core", "core 4"},
                                          {"/cluster0/a0/memory", "memory 8"},
                                          {"/cluster0/a0/gpu", "gpu 2"},
                                          {"/cluster0/b0", "node 1 exclusive"},
                                          {"/cluster0/b0/core", "core 2"},
                                          {"/cluster0/b0/memory", "memory 4"},
                                          {"/cluster0/b0/gpu", "gpu 1"}}));
}

}  // namespace
}  // namespace fluxnetes::services
