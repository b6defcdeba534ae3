// Input of the matcher's benchmarks: clusters of equal nodes, jobspecs, and a
// stream of jobs as in a queue.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "matcher/fluxion/matcher.h"

namespace fluxnetes::matcher {

// Cores have the rank of their node, or none.
inline ResourceGraph FlatCluster(int nodes, int cores, bool ranked = false,
                                 int gpus = 0) {
  ResourceGraph graph;
  const auto add = [&](const char* type, int id, std::int64_t rank) {
    Vertex vertex;
    vertex.type = vertex.basename = type;
    vertex.name = type + std::to_string(id);
    vertex.id = id;
    vertex.uniq_id = graph.size();
    vertex.rank = rank;
    return graph.AddVertex(vertex);
  };
  const VertexIndex cluster = add("cluster", 0, -1);
  graph.SetRoot(cluster);
  for (int n = 0; n < nodes; ++n) {
    const VertexIndex node = add("node", n, n);
    graph.AddEdge(cluster, node);
    for (int c = 0; c < cores; ++c) {
      graph.AddEdge(node, add("core", c, ranked ? n : -1));
    }
    for (int g = 0; g < gpus; ++g) graph.AddEdge(node, add("gpu", g, -1));
  }
  return graph;
}

inline Matcher FlatMatcher(int nodes, const std::string& policy) {
  return Matcher(FlatCluster(nodes, 32), {.policy = *ParsePolicy(policy)});
}

inline Jobspec OneCore(int seconds = 3'600) {
  return ParseJobspec(fmt::format(
      "{{version: 1, tasks: [], resources: [{{type: slot, count: 1, label: a, "
      "with: [{{type: core, count: 1}}]}}], attributes: {{system: {{duration: "
      "{}}}}}}}",
      seconds));
}

// A gang of whole nodes of 32 cores.
inline Jobspec Gang(int nodes, int seconds = 3'600) {
  return ParseJobspec(fmt::format(
      "{{version: 1, tasks: [], resources: [{{type: slot, count: {}, label: a, "
      "with: [{{type: node, count: 1, exclusive: true, with: [{{type: core, "
      "count: 32}}]}}]}}], attributes: {{system: {{duration: {}}}}}}}",
      nodes, seconds));
}

// A job of these resources, in the notation of YAML.
inline Jobspec JobOf(const std::string& resources) {
  return ParseJobspec(
      fmt::format("{{version: 9999, tasks: [], resources: [{}], attributes: "
                  "{{system: {{duration: 3600}}}}}}",
                  resources));
}

// Gangs of 1 to 64 nodes, mostly small ones, for ten minutes to four hours.
inline std::vector<Jobspec> JobStream() {
  constexpr int kNodes[] = {1, 1, 1, 1, 1, 1,  2,  2,  2,  2,
                            2, 4, 4, 8, 8, 16, 16, 32, 32, 64};
  constexpr int kSeconds[] = {600, 1'200, 3'600, 7'200, 14'400};
  std::mt19937 random(1);
  std::vector<Jobspec> jobs;
  for (int i = 0; i < 200; ++i) {
    const int nodes = kNodes[random() % std::size(kNodes)];
    jobs.push_back(Gang(nodes, kSeconds[random() % std::size(kSeconds)]));
  }
  return jobs;
}

}  // namespace fluxnetes::matcher
