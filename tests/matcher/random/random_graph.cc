#include "tests/matcher/random/random_graph.h"

#include <map>
#include <utility>

namespace fluxnetes::matcher {
namespace {

// The pattern of the ids of a type.
enum class Ids { kPerParent, kUnique, kFalling, kEqual, kAny };

class Drawing {
 public:
  Drawing(Random& random, GraphSize size) : random_(random), size_(size) {
    child_ranks_ = random_.OneIn(2);
    fickle_ = size == GraphSize::kSmall || size == GraphSize::kDeep;
    for (const char* type : {"row", "rack", "node", "socket", "core"}) {
      ids_[type] = static_cast<Ids>(random_.Below(5));
    }
  }

  GraphPlan Make() {
    const int cluster = Add(-1, "cluster");
    switch (size_) {
      case GraphSize::kSmall:
        MakeRacks(cluster, random_.OneIn(4) ? 0 : random_.Between(1, 3), 4);
        break;
      case GraphSize::kDeep:
        plan_.types = {"socket", "node", "rack", "row", "cluster"};
        for (int i = random_.Between(1, 2); i > 0; --i) {
          MakeRacks(Add(cluster, "row"), random_.Between(1, 3), 3);
        }
        return std::move(plan_);
      case GraphSize::kWide:
        MakeWide(cluster, random_.Between(100, 300), 1, 4);
        break;
      case GraphSize::kLong:
        MakeWide(cluster, random_.Between(33, 40), 32, 32);
        break;
    }
    return std::move(plan_);
  }

 private:
  int Add(int parent, const std::string& type, std::int64_t units = 1) {
    Vertex vertex;
    const int number = numbers_[type]++;
    const int place = places_[{parent, type}]++;
    vertex.type = vertex.basename = type;
    vertex.name = type + std::to_string(place);
    vertex.id = IdOf(type, number, place);
    vertex.uniq_id = static_cast<std::int64_t>(plan_.entries.size());
    vertex.size = units;
    if (fickle_ && type != "core" && random_.OneIn(60)) vertex.size = 2;
    vertex.up = !fickle_ || !random_.OneIn(40);
    if (type == "node") {
      vertex.name = type + std::to_string(number);
      vertex.rank = rank_++;
      if (random_.OneIn(3)) vertex.properties["ssd"] = "";
    } else if (child_ranks_ && parent >= 0) {
      vertex.rank = plan_.entries[parent].vertex.rank;
    }
    if (random_.OneIn(8)) {
      vertex.properties["perf_class"] = std::to_string(random_.Below(5));
    }
    plan_.entries.push_back({parent, std::move(vertex)});
    return static_cast<int>(plan_.entries.size()) - 1;
  }

  std::int64_t IdOf(const std::string& type, int number, int place) {
    const auto found = ids_.find(type);
    switch (found == ids_.end() ? Ids::kPerParent : found->second) {
      case Ids::kPerParent:
        return place;
      case Ids::kUnique:
        return number;
      case Ids::kFalling:
        return 2'000 - number;
      case Ids::kEqual:
        return number % 3;
      case Ids::kAny:
        return random_.Below(50) - 1;
    }
    return number;
  }

  void MakeRacks(int parent, int racks, int most_nodes) {
    const bool sockets = size_ == GraphSize::kDeep || random_.OneIn(2);
    if (plan_.types.empty()) {
      if (sockets) plan_.types.emplace_back("socket");
      plan_.types.emplace_back("node");
      if (racks > 0) plan_.types.emplace_back("rack");
      plan_.types.emplace_back("cluster");
    }
    for (int r = 0; r < std::max(racks, 1); ++r) {
      const int above = racks > 0 ? Add(parent, "rack") : parent;
      for (int n = random_.Between(1, most_nodes); n > 0; --n) {
        const int node = Add(above, "node");
        for (int s = sockets ? random_.Between(1, 2) : 1; s > 0; --s) {
          MakeLeaves(sockets ? Add(node, "socket") : node);
        }
      }
    }
  }

  void MakeLeaves(int parent) {
    for (int i = random_.Between(1, 5); i > 0; --i) Add(parent, "core");
    for (int i = random_.Below(3); i > 0; --i) Add(parent, "gpu");
    for (int i = random_.Below(4); i > 0; --i) {
      Add(parent, "memory", random_.Between(1, 4));
    }
  }

  // Makes nodes that are all alike but for a few.
  void MakeWide(int cluster, int nodes, int least_cores, int most_cores) {
    const int per_rack = random_.OneIn(2) ? 0 : random_.Between(8, 40);
    plan_.types = {"node"};
    if (per_rack > 0) plan_.types.emplace_back("rack");
    plan_.types.emplace_back("cluster");
    const int cores = random_.Between(least_cores, most_cores);
    const bool memory = random_.OneIn(2);
    const bool gpus = random_.OneIn(3);
    int above = cluster;
    for (int n = 0; n < nodes; ++n) {
      if (per_rack > 0 && n % per_rack == 0) above = Add(cluster, "rack");
      const int node = Add(above, "node");
      const int more = random_.OneIn(20) ? 1 : 0;
      for (int i = 0; i < cores + more; ++i) Add(node, "core");
      if (memory) Add(node, "memory", 8);
      if (gpus && n % 3 == 0) Add(node, "gpu");
    }
  }

  Random& random_;
  const GraphSize size_;
  bool child_ranks_ = false;
  bool fickle_ = false;
  std::map<std::string, Ids> ids_;
  std::map<std::string, int> numbers_;
  std::map<std::pair<int, std::string>, int> places_;
  int rank_ = 0;
  GraphPlan plan_;
};

}  // namespace

ResourceGraph GraphPlan::Make() const {
  ResourceGraph graph;
  for (const Entry& entry : entries) {
    const VertexIndex v = graph.AddVertex(entry.vertex);
    if (entry.parent < 0) {
      graph.SetRoot(v);
    } else {
      graph.AddEdge(entry.parent, v);
    }
  }
  return graph;
}

std::string GraphPlan::Show() const {
  std::string text;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Vertex& vertex = entries[i].vertex;
    text += std::to_string(i) + " in " + std::to_string(entries[i].parent) +
            ": " + vertex.name + " id " + std::to_string(vertex.id);
    if (vertex.rank >= 0) text += " rank " + std::to_string(vertex.rank);
    if (vertex.size != 1) text += " size " + std::to_string(vertex.size);
    if (!vertex.up) text += " down";
    for (const auto& [key, value] : vertex.properties) {
      text += " +" + key + (value.empty() ? "" : "=" + value);
    }
    text += "\n";
  }
  return text;
}

GraphPlan RandomGraph(Random& random, GraphSize size) {
  return Drawing(random, size).Make();
}

}  // namespace fluxnetes::matcher
