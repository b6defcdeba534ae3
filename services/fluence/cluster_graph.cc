#include "services/fluence/cluster_graph.h"

#include <map>
#include <nlohmann/json.hpp>

#include "matcher/readers/jgf.h"
#include "services/records/records_queries.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {
namespace {

using matcher::VertexIndex;

constexpr const char* kZoneLabel = "topology.kubernetes.io/zone";
constexpr std::int64_t kMebibyte = 1 << 20;

class GraphWriter {
 public:
  GraphWriter() {
    cluster_ = Add("cluster", "cluster0", 0, matcher::kNoVertex);
  }

  void AddNode(const sql::Row& row) {
    const auto labels = nlohmann::json::parse(row.Get<std::string>("labels"));
    const auto zone = labels.find(kZoneLabel);
    const VertexIndex above =
        zone == labels.end() ? cluster_ : ZoneOf(zone->get<std::string>());
    rank_ = nodes_++;
    const bool open = !row.Find<std::string>("unschedulable");
    const VertexIndex node = Add("node", row.Get<std::string>("node_name"),
                                 rank_, above, 1, "", open);
    AddPool("core", row.Get<std::int64_t>("cpu_milli") / 1000, "", node);
    AddPool("memory", row.Get<std::int64_t>("memory_bytes") / kMebibyte, "MiB",
            node);
    const auto other = nlohmann::json::parse(row.Get<std::string>("other"));
    for (const auto& [name, amount] : other.items()) {
      const bool storage = name == "ephemeral-storage";
      const auto units = amount.get<std::int64_t>();
      AddPool(storage ? "storage" : name.substr(name.rfind('/') + 1),
              storage ? units / kMebibyte : units, storage ? "MiB" : "", node);
    }
    rank_ = -1;
  }

  std::string Write() {
    graph_.SetRoot(cluster_);
    return matcher::WriteJgf(graph_);
  }

 private:
  VertexIndex ZoneOf(const std::string& name) {
    const auto [zone, added] = zones_.try_emplace(name, matcher::kNoVertex);
    if (added)
      zone->second = Add("zone", name, std::ssize(zones_) - 1, cluster_);
    return zone->second;
  }

  void AddPool(const std::string& type, std::int64_t size,
               const std::string& unit, VertexIndex node) {
    if (size > 0) Add(type, type + "0", 0, node, size, unit);
  }

  VertexIndex Add(const std::string& type, const std::string& name,
                  std::int64_t id, VertexIndex above, std::int64_t size = 1,
                  const std::string& unit = "", bool up = true) {
    matcher::Vertex vertex;
    vertex.type = type;
    vertex.basename = type;
    vertex.name = name;
    vertex.unit = unit;
    vertex.id = id;
    vertex.uniq_id = graph_.size();
    vertex.rank = rank_;
    vertex.size = size;
    vertex.up = up;
    const VertexIndex added = graph_.AddVertex(vertex);
    if (above != matcher::kNoVertex) graph_.AddEdge(above, added);
    return added;
  }

  matcher::ResourceGraph graph_;
  VertexIndex cluster_ = matcher::kNoVertex;
  std::map<std::string, VertexIndex> zones_;
  std::int64_t nodes_ = 0;
  std::int64_t rank_ = -1;  // of the node being added
};

}  // namespace

std::string ClusterGraphJgf(sql::Pool& pool) {
  sql::Transaction transaction(pool, sql::Isolation::kReadOnly);
  GraphWriter graph;
  for (const sql::Row row : transaction.Run(
           queries::kListNodes, std::optional<std::string>(), sql::Timestamp{}))
    graph.AddNode(row);
  return graph.Write();
}

}  // namespace fluxnetes::services
