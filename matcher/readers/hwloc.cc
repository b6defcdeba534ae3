#include "matcher/readers/hwloc.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "matcher/readers/json_place.h"
#include "matcher/readers/xml_document.h"

namespace fluxnetes::matcher {
namespace {

using Object = pugi::xml_node;

constexpr std::size_t kMaxObjectDepth = 256;
constexpr int kBlockDevice = 0;
constexpr int kGpuDevice = 1;
constexpr int kCoprocessor = 5;

std::string TypeOf(const Object& object) {
  return object.attribute("type").value();
}

std::string InfoOf(const Object& object, std::string_view name) {
  for (const Object& info : object.children("info")) {
    if (info.attribute("name").value() == name) {
      return info.attribute("value").value();
    }
  }
  return "";
}

// Devices come after other objects, as in hwloc's own walk.
bool IsDevice(const Object& object) {
  const std::string type = TypeOf(object);
  return type == "Bridge" || type == "PCIDev" || type == "OSDev" ||
         type == "Misc";
}

// True for a group or NUMA node around a single object of the same processors.
bool IsWrapper(const Object& object) {
  const std::string type = TypeOf(object);
  if (type != "Group" && type != "NUMANode") return false;
  Object inner;
  for (const Object& child : object.children("object")) {
    if (IsDevice(child)) continue;
    if (inner) return false;
    inner = child;
  }
  return inner && std::string_view(inner.attribute("cpuset").value()) ==
                      object.attribute("cpuset").value();
}

class HwlocReader {
 public:
  HwlocReader(const std::set<std::string>& wanted, std::int64_t rank)
      : wanted_(wanted), rank_(rank) {}

  ResourceGraph Read(const Object& top);

 private:
  struct Step {
    Object object;
    VertexIndex parent;
    std::size_t depth;
    std::vector<Object> devices;  // devices besides its own children
  };

  void Push(const Step& step, VertexIndex at);
  std::optional<Vertex> VertexOf(const Object& object);
  void FillNode(const Object& object, Vertex& vertex) const;
  bool FillDevice(const Object& object, std::int64_t index,
                  Vertex& vertex) const;
  bool FillCache(const Object& object, const std::string& type,
                 Vertex& vertex) const;
  VertexIndex Add(Vertex vertex, VertexIndex parent);

  const std::set<std::string>& wanted_;
  const std::int64_t rank_;
  ResourceGraph graph_;
  std::vector<Step> open_;                       // the next one is last
  std::map<std::string, std::int64_t> indices_;  // next index, by hwloc's type
};

VertexIndex HwlocReader::Add(Vertex vertex, VertexIndex parent) {
  vertex.uniq_id = graph_.size();
  const VertexIndex v = graph_.AddVertex(vertex);
  if (parent != kNoVertex) graph_.AddEdge(parent, v);
  return v;
}

void HwlocReader::FillNode(const Object& object, Vertex& vertex) const {
  vertex.type = "node";
  vertex.name = vertex.basename = InfoOf(object, "HostName");
  vertex.rank = rank_;
  const std::string_view digits = TrailingDigits(vertex.name);
  vertex.id = ParseInteger(digits).value_or(-1);
  if (digits.size() < vertex.name.size()) {
    vertex.basename.resize(vertex.name.size() - digits.size());
  }
}

bool HwlocReader::FillCache(const Object& object, const std::string& type,
                            Vertex& vertex) const {
  std::string level = object.attribute("depth").value();
  if (type.size() > 2 && type[0] == 'L') level = type.substr(1, 1);
  if (level != "1" && level != "2" && level != "3") return false;
  // Instruction caches are left out.
  if (std::string_view(object.attribute("cache_type").value()) == "2") {
    return false;
  }
  vertex.type = "cache";
  vertex.basename = "L" + level + "cache";
  const auto bytes =
      ParseInteger(object.attribute("cache_size").value()).value_or(0);
  vertex.size = std::clamp<std::int64_t>(bytes / 1024, 0, 0xffffffff);
  return true;
}

bool HwlocReader::FillDevice(const Object& object, std::int64_t index,
                             Vertex& vertex) const {
  const std::string name = object.attribute("name").value();
  const int kind = object.attribute("osdev_type").as_int(-1);
  if (kind == kBlockDevice) {
    vertex.type = vertex.basename = "storage";
    vertex.id = index;
    const auto bytes = ParseInteger(InfoOf(object, "Size")).value_or(0);
    vertex.size = std::clamp<std::int64_t>(bytes / 1'000'000, 0, 0xffffffff);
    const std::string device = InfoOf(object, "LinuxDeviceID");
    vertex.properties["LinuxDeviceID"] = device.empty() ? "-1" : device;
    return true;
  }
  const bool gpu =
      kind == kCoprocessor || (kind == kGpuDevice && name.starts_with("rsmi"));
  const bool known = name.starts_with("cuda") || name.starts_with("rsmi") ||
                     name.starts_with("opencl");
  if (!gpu || !known) return false;
  vertex.type = vertex.basename = "gpu";
  vertex.id = ParseInteger(TrailingDigits(name)).value_or(-1);
  return vertex.id >= 0;
}

// Returns the vertex of an object; nothing if the object is left out.
std::optional<Vertex> HwlocReader::VertexOf(const Object& object) {
  const std::string type = TypeOf(object);
  if (type == "Group" && IsWrapper(object)) return std::nullopt;
  Vertex vertex;
  const std::int64_t index = indices_[type]++;
  vertex.id = index;
  if (type == "Machine") {
    FillNode(object, vertex);
    if (vertex.name.empty()) return std::nullopt;
  } else if (type == "Package" || type == "Socket") {
    vertex.type = vertex.basename = "socket";
  } else if (type == "Core") {
    vertex.type = vertex.basename = "core";
  } else if (type == "PU") {
    vertex.type = vertex.basename = "pu";
  } else if (type == "Group") {
    vertex.type = vertex.basename = "group";
  } else if (type == "NUMANode") {
    vertex.type = vertex.basename = "numanode";
  } else if (type == "Cache" || type.ends_with("Cache")) {
    if (!FillCache(object, type, vertex)) return std::nullopt;
  } else if (type == "OSDev") {
    if (!FillDevice(object, index, vertex)) return std::nullopt;
  } else {
    return std::nullopt;
  }
  if (!wanted_.empty() && !wanted_.contains(vertex.type)) return std::nullopt;
  if (vertex.name.empty()) {
    vertex.name = vertex.basename + std::to_string(vertex.id);
  }
  return vertex;
}

// hwloc 1 puts the objects near a NUMA node inside of it, hwloc 2 beside it; a
// group around a single object gets no vertex. The devices of such a wrapper go
// to its single child. All other objects in a NUMA node go to what contains it.
void HwlocReader::Push(const Step& step, VertexIndex at) {
  std::vector<Object> objects;
  std::vector<Object> devices = step.devices;
  for (const Object& child : step.object.children("object")) {
    (IsDevice(child) ? devices : objects).push_back(child);
  }
  const bool hands_down = IsWrapper(step.object);
  const std::size_t first = open_.size();
  for (const Object& child : objects) {
    open_.push_back({child, at, step.depth + 1,
                     hands_down ? devices : std::vector<Object>{}});
  }
  if (!hands_down) {
    for (const Object& device : devices) {
      open_.push_back({device, at, step.depth + 1, {}});
    }
  }
  std::reverse(open_.begin() + static_cast<std::ptrdiff_t>(first), open_.end());
}

ResourceGraph HwlocReader::Read(const Object& top) {
  Vertex cluster;
  cluster.type = cluster.basename = "cluster";
  cluster.name = "cluster0";
  cluster.id = 0;
  const VertexIndex root = Add(cluster, kNoVertex);
  graph_.SetRoot(root);
  open_.push_back({top, root, 0, {}});
  while (!open_.empty()) {
    const Step step = open_.back();
    open_.pop_back();
    if (step.depth > kMaxObjectDepth) {
      throw GraphError("the objects are nested too deeply");
    }
    const auto vertex = VertexOf(step.object);
    VertexIndex at = step.parent;
    if (vertex) {
      const VertexIndex v = Add(*vertex, step.parent);
      if (vertex->type != "numanode") at = v;
    }
    Push(step, at);
  }
  graph_.CheckShape();
  return std::move(graph_);
}

}  // namespace

ResourceGraph ReadHwloc(std::string_view text,
                        const std::set<std::string>& wanted,
                        std::int64_t rank) {
  pugi::xml_document document;
  ParseXml(text, document);
  const Object top = document.child("topology").child("object");
  if (!top) throw GraphError("line 1: there is no <topology> with an <object>");
  try {
    return HwlocReader(wanted, rank).Read(top);
  } catch (const std::invalid_argument& error) {
    throw GraphError(error.what());
  }
}

}  // namespace fluxnetes::matcher
