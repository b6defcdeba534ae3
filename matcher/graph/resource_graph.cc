#include "matcher/graph/resource_graph.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace fluxnetes::matcher {

ResourceGraph::ResourceGraph() {
  for (const char* type : {"cluster", "core", "socket", "gpu", "node", "rack",
                           "slot", "xor_slot", "ssd", "storage_node"}) {
    AddType(type);
  }
  AddSubsystem("containment");
}

SubsystemId ResourceGraph::AddSubsystem(std::string_view name) {
  const SubsystemId subsystem = subsystems_.Intern(name);
  if (subsystem >= kMaxSubsystems) {
    throw std::invalid_argument("there are more than " +
                                std::to_string(kMaxSubsystems) + " subsystems");
  }
  if (subsystem == static_cast<int>(links_.size())) links_.emplace_back();
  return subsystem;
}

VertexIndex ResourceGraph::AddVertex(const Vertex& vertex) {
  if (size() >= kMaxVertices) {
    throw std::invalid_argument("there are more than " +
                                std::to_string(kMaxVertices) + " vertices");
  }
  // Usually the string of the vertex before.
  const auto intern = [](Names& names, const std::string& text,
                         const std::vector<NameId>& before) {
    const bool same = !before.empty() && names[before.back()] == text;
    return same ? before.back() : names.Intern(text);
  };
  const VertexIndex v = size();
  types_.push_back(intern(type_names_, vertex.type, types_));
  names_of_.push_back(names_.Intern(vertex.name));
  basenames_.push_back(intern(names_, vertex.basename, basenames_));
  units_.push_back(intern(names_, vertex.unit, units_));
  ids_.push_back(vertex.id);
  uniq_ids_.push_back(vertex.uniq_id);
  ranks_.push_back(static_cast<std::int32_t>(vertex.rank));
  sizes_.push_back(vertex.size);
  up_.push_back(vertex.up ? 1 : 0);
  detached_.push_back(0);
  if (!vertex.properties.empty()) properties_[v] = vertex.properties;
  first_in_.push_back(kNoEdge);
  if (vertex.rank < 0) {
    ++unranked_;
  } else {
    by_rank_[vertex.rank].push_back(v);
  }
  return v;
}

EdgeIndex ResourceGraph::AddEdge(VertexIndex source, VertexIndex target,
                                 SubsystemId subsystem) {
  if (FindEdge(source, target) != kNoEdge) {
    throw std::invalid_argument("there is an edge from " + Name(source) +
                                " to " + Name(target) + " already");
  }
  const EdgeIndex e = edges();
  sources_.push_back(source);
  targets_.push_back(target);
  subsystem_of_.push_back(subsystem);
  next_out_.push_back(kNoEdge);
  next_in_.push_back(kNoEdge);
  LinkOut(e);
  EdgeIndex* in = &first_in_[target];
  while (*in != kNoEdge) in = &next_in_[*in];
  *in = e;
  indexed_ = std::min(indexed_, target);
  return e;
}

// Keeps the edges of a vertex in order of index, the order in which they were
// made.
void ResourceGraph::LinkOut(EdgeIndex e) {
  Links& links = links_[subsystem_of_[e]];
  const VertexIndex v = sources_[e];
  if (links.first_out.size() <= static_cast<std::size_t>(v)) {
    links.first_out.resize(types_.size(), kNoEdge);
    links.last_out.resize(types_.size(), kNoEdge);
  }
  EdgeIndex* at = &links.first_out[v];
  const EdgeIndex last = links.last_out[v];
  if (last != kNoEdge && last < e) at = &next_out_[last];
  while (*at != kNoEdge && *at < e) at = &next_out_[*at];
  next_out_[e] = *at;
  *at = e;
  links.last_out[v] = std::max(last, e);
}

void ResourceGraph::UnlinkOut(EdgeIndex e) {
  Links& links = links_[subsystem_of_[e]];
  const VertexIndex v = sources_[e];
  EdgeIndex before = kNoEdge;
  for (EdgeIndex at = links.first_out[v]; at != e; at = next_out_[at]) {
    before = at;
  }
  (before == kNoEdge ? links.first_out[v] : next_out_[before]) = next_out_[e];
  if (links.last_out[v] == e) links.last_out[v] = before;
  next_out_[e] = kNoEdge;
}

void ResourceGraph::UnlinkIn(EdgeIndex e) {
  EdgeIndex* at = &first_in_[targets_[e]];
  while (*at != e) at = &next_in_[*at];
  *at = next_in_[e];
  next_in_[e] = kNoEdge;
}

void ResourceGraph::MoveEdge(EdgeIndex edge, SubsystemId subsystem) {
  UnlinkOut(edge);
  subsystem_of_[edge] = subsystem;
  LinkOut(edge);
  indexed_ = std::min(indexed_, targets_[edge]);
}

void ResourceGraph::SetRoot(VertexIndex root, SubsystemId subsystem) {
  links_[subsystem].root = root;
}

EdgeIndex ResourceGraph::FindEdge(VertexIndex source,
                                  VertexIndex target) const {
  EdgeIndex e = first_in_[target];
  while (e != kNoEdge && sources_[e] != source) e = next_in_[e];
  return e;
}

const Properties* ResourceGraph::PropertiesOf(VertexIndex v) const {
  const auto found = properties_.find(v);
  return found == properties_.end() ? nullptr : &found->second;
}

void ResourceGraph::SetProperty(VertexIndex v, const std::string& key,
                                std::string value) {
  properties_[v][key] = std::move(value);
}

int ResourceGraph::Depth(VertexIndex v) const {
  int depth = 0;
  while ((v = parent(v)) != kNoVertex && depth < kMaxGraphDepth) ++depth;
  return depth;
}

bool ResourceGraph::HasChildOfType(VertexIndex v, TypeId type) const {
  for (EdgeIndex e = FirstOut(v); e != kNoEdge; e = NextOut(e)) {
    if (types_[targets_[e]] == type) return true;
  }
  return false;
}

std::vector<VertexIndex> ResourceGraph::Detach(VertexIndex top) {
  std::vector<VertexIndex> gone = PostOrder(top, kContainment);
  for (const VertexIndex v : gone) DetachAlone(v);
  return gone;
}

void ResourceGraph::DetachAlone(VertexIndex v) {
  while (first_in_[v] != kNoEdge) {
    UnlinkOut(first_in_[v]);
    UnlinkIn(first_in_[v]);
  }
  for (SubsystemId s = 0; s < subsystems_.size(); ++s) {
    for (EdgeIndex e = FirstOut(v, s); e != kNoEdge; e = FirstOut(v, s)) {
      UnlinkIn(e);
      UnlinkOut(e);
    }
    if (links_[s].root == v) links_[s].root = kNoVertex;
    links_[s].paths.erase(v);
  }
  detached_[v] = 1;
  if (ranks_[v] < 0) {
    --unranked_;
    return;
  }
  const auto rank = by_rank_.find(ranks_[v]);
  auto& same = rank->second;
  same.erase(std::lower_bound(same.begin(), same.end(), v));
  if (same.empty()) by_rank_.erase(rank);
}

const std::vector<VertexIndex>& ResourceGraph::OfRank(std::int64_t rank) const {
  static const std::vector<VertexIndex> kNone;
  const auto found = by_rank_.find(rank);
  return found == by_rank_.end() ? kNone : found->second;
}

void ResourceGraph::SetPath(VertexIndex v, SubsystemId subsystem,
                            std::string path) {
  if (path == Path(v, subsystem)) return;
  links_[subsystem].paths[v] = std::move(path);
  indexed_ = std::min(indexed_, v);
}

std::string ResourceGraph::Path(VertexIndex v, SubsystemId subsystem) const {
  const Links& links = links_[subsystem];
  std::vector<VertexIndex> way;
  std::string path;
  for (; v != kNoVertex; v = parent(v, subsystem)) {
    if (const auto set = links.paths.find(v); set != links.paths.end()) {
      path = set->second;
      break;
    }
    way.push_back(v);
    if (v == links.root) break;
    if (way.size() > kMaxGraphDepth) return "";
  }
  if (v == kNoVertex) return "";
  for (auto at = way.rbegin(); at != way.rend(); ++at) path += "/" + Name(*at);
  return path;
}

bool ResourceGraph::HasPath(VertexIndex v, SubsystemId subsystem) const {
  const Links& links = links_[subsystem];
  for (int depth = 0; v != kNoVertex && depth <= kMaxGraphDepth; ++depth) {
    if (v == links.root || links.paths.contains(v)) return true;
    v = parent(v, subsystem);
  }
  return false;
}

void ResourceGraph::IndexPaths() const {
  for (; indexed_ < size(); ++indexed_) {
    if (detached(indexed_)) continue;
    for (SubsystemId s = 0; s < subsystems_.size(); ++s) {
      const std::string path = Path(indexed_, s);
      if (!path.empty()) {
        by_path_.emplace(std::hash<std::string>{}(path), indexed_);
      }
    }
  }
}

std::vector<VertexIndex> ResourceGraph::FindAll(std::string_view path) const {
  IndexPaths();
  std::vector<VertexIndex> found;
  const auto [first, last] =
      by_path_.equal_range(std::hash<std::string_view>{}(path));
  for (auto at = first; at != last; ++at) {
    const VertexIndex v = at->second;
    if (detached(v)) continue;
    for (SubsystemId s = 0; s < subsystems_.size(); ++s) {
      if (Path(v, s) != path) continue;
      found.push_back(v);
      break;
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::optional<VertexIndex> ResourceGraph::Find(std::string_view path) const {
  const auto found = FindAll(path);
  if (found.empty()) return std::nullopt;
  return found.front();
}

std::vector<VertexIndex> ResourceGraph::PostOrder(VertexIndex top,
                                                  SubsystemId subsystem) const {
  std::vector<VertexIndex> order;
  if (top == kNoVertex) return order;
  std::vector<char> seen(size());
  std::vector<std::pair<VertexIndex, EdgeIndex>> way;  // with the next edge
  const auto enter = [&](VertexIndex v) {
    seen[v] = 1;
    way.emplace_back(v, FirstOut(v, subsystem));
  };
  for (enter(top); !way.empty();) {
    auto& [v, e] = way.back();
    if (e == kNoEdge) {
      order.push_back(v);
      way.pop_back();
      continue;
    }
    const VertexIndex child = targets_[e];
    e = next_out_[e];
    if (seen[child] == 0) enter(child);
  }
  return order;
}

// Computes heights from the leaves up: a vertex is done when all that it leads
// to are done.
void ResourceGraph::CheckShape() const {
  for (SubsystemId s = 0; s < subsystems_.size(); ++s) {
    std::vector<std::int32_t> open(size());
    std::vector<std::int32_t> heights(size(), 1);
    std::vector<VertexIndex> done;
    for (VertexIndex v = 0; v < size(); ++v) {
      for (EdgeIndex e = FirstOut(v, s); e != kNoEdge; e = next_out_[e]) {
        ++open[v];
      }
      if (open[v] == 0) done.push_back(v);
    }
    for (std::size_t i = 0; i < done.size(); ++i) {
      const VertexIndex v = done[i];
      if (heights[v] > kMaxGraphDepth) {
        throw std::invalid_argument("the graph has more than " +
                                    std::to_string(kMaxGraphDepth) + " levels");
      }
      for (EdgeIndex e = first_in_[v]; e != kNoEdge; e = next_in_[e]) {
        if (subsystem_of_[e] != s) continue;
        const VertexIndex above = sources_[e];
        heights[above] = std::max(heights[above], heights[v] + 1);
        if (--open[above] == 0) done.push_back(above);
      }
    }
    if (static_cast<int>(done.size()) == size()) continue;
    throw std::invalid_argument("edges of the subsystem " + subsystems_[s] +
                                " close a cycle");
  }
}

}  // namespace fluxnetes::matcher
