#include "cluster/structures/node_topology.h"

#include <fmt/format.h>

#include <algorithm>

#include "matcher/inside/structure_text.h"
#include "matcher/readers/jgf.h"

namespace fluxnetes::cluster {
namespace {

constexpr int kRemote = 20;
constexpr std::int64_t kMostOfADomain = 10'000;

// Returns a socket for each zone, counted from 0; none if they are not known.
std::vector<int> SocketsOf(const std::vector<TopologyZone>& zones) {
  std::vector<int> sockets(zones.size(), -1);
  const auto near = [&](std::size_t a, std::size_t b) {
    const auto cost = zones[a].costs.find(zones[b].numa.number);
    return cost != zones[a].costs.end() && cost->second < kRemote;
  };
  int count = 0;
  for (std::size_t a = 0; a < zones.size(); ++a) {
    for (std::size_t b = 0; b < zones.size(); ++b) {
      if (!zones[a].costs.contains(zones[b].numa.number)) return {};
      if (b < a && near(a, b) && sockets[a] < 0) sockets[a] = sockets[b];
    }
    if (sockets[a] < 0) sockets[a] = count++;
  }
  for (std::size_t a = 0; a < zones.size(); ++a) {
    for (std::size_t b = 0; b < zones.size(); ++b) {
      if (a != b && near(a, b) != (sockets[a] == sockets[b])) return {};
    }
  }
  return sockets;
}

class ZoneMaker {
 public:
  std::string Make(const std::vector<TopologyZone>& zones) {
    const matcher::VertexIndex node = Add("node", 0, matcher::kNoVertex);
    graph_.SetRoot(node);
    const std::vector<int> sockets = SocketsOf(zones);
    std::vector<matcher::VertexIndex> made;
    for (std::size_t i = 0; i < zones.size(); ++i) {
      matcher::VertexIndex above = node;
      if (!sockets.empty()) {
        if (sockets[i] == static_cast<int>(made.size()))
          made.push_back(Add("socket", sockets[i], node));
        above = made[sockets[i]];
      }
      AddZone(zones[i].numa, above);
    }
    return matcher::WriteJgf(graph_);
  }

 private:
  matcher::VertexIndex Add(const std::string& type, std::int64_t id,
                           matcher::VertexIndex above, std::int64_t size = 1) {
    matcher::Vertex vertex;
    vertex.type = vertex.basename = type;
    vertex.id = id;
    vertex.name = type + std::to_string(id);
    vertex.uniq_id = graph_.size();
    vertex.size = size;
    if (type == "memory") vertex.unit = "MiB";
    const matcher::VertexIndex v = graph_.AddVertex(vertex);
    if (above != matcher::kNoVertex) graph_.AddEdge(above, v);
    return v;
  }

  void AddZone(const NumaZone& zone, matcher::VertexIndex above) {
    const matcher::VertexIndex numa = Add("numa", zone.number, above);
    AddAll("core", zone.allocatable.cpu_milli / 1'000, zone, numa, cores_);
    AddMemory(zone.allocatable.memory_bytes >> 20, numa);
    for (const auto& [name, amount] : zone.allocatable.extended) {
      if (name.ends_with("/gpu")) AddAll("gpu", amount, zone, numa, gpus_);
      if (name.ends_with("/nic")) AddAll("nic", amount, zone, numa, nics_);
    }
  }

  void AddAll(const std::string& type, std::int64_t amount,
              const NumaZone& zone, matcher::VertexIndex above,
              std::int64_t& ids) {
    if (amount > kMostOfADomain) {
      throw matcher::StructureError(
          fmt::format("zone {} has {} of {}; at most {} may be in one",
                      zone.number, amount, type, kMostOfADomain));
    }
    for (std::int64_t i = 0; i < amount; ++i) Add(type, ids++, above);
  }

  // In pieces, as in the short form.
  void AddMemory(std::int64_t mib, matcher::VertexIndex above) {
    std::int64_t piece = 1;
    while (piece * matcher::kMemoryPieces < mib) piece *= 2;
    for (; mib > 0; mib -= piece)
      Add("memory", pieces_++, above, std::min(piece, mib));
  }

  matcher::ResourceGraph graph_;
  std::int64_t cores_ = 0;
  std::int64_t gpus_ = 0;
  std::int64_t nics_ = 0;
  std::int64_t pieces_ = 0;
};

}  // namespace

std::string StructureOf(const NodeTopology& topology) {
  return ZoneMaker().Make(topology.zones);
}

}  // namespace fluxnetes::cluster
