#include <algorithm>
#include <unordered_set>

#include "matcher/fluxion/matcher_state.h"

namespace fluxnetes::matcher {

void Matcher::State::Resize() {
  ++shape;
  bookings.Resize(graph.size(), graph.edges());
  filters.Resize(graph.size());
  const Below none{std::vector<std::int64_t>(graph.type_names().size()), false,
                   0};
  levels.assign(kMaxGraphDepth + 2, none);
  selection.ForgetGraph();
  prepared.clear();
}

void Matcher::State::Prime() {
  filters.Build(graph, 0, kForever);
  Resize();
  nodes_up = NodesUpBelow(graph.root());
  const auto reached = graph.PostOrder(graph.root());
  std::size_t ways = 1;
  edges_in_order = true;
  for (const VertexIndex v : reached) {
    EdgeIndex last = kNoEdge;
    for (EdgeIndex e = graph.FirstOut(v); e != kNoEdge; e = graph.NextOut(e)) {
      ++ways;
      edges_in_order = edges_in_order && last < e;
      last = e;
    }
  }
  is_tree = ways == reached.size() && graph.dominant() == kContainment;
}

// Returns 0 if a vertex above is down.
std::int64_t Matcher::State::NodesUpBelow(VertexIndex top) const {
  if (top == kNoVertex) return 0;
  for (VertexIndex v = graph.parent(top); v != kNoVertex; v = graph.parent(v)) {
    if (!graph.up(v)) return 0;
  }
  std::int64_t nodes = 0;
  const auto order = graph.PostOrder(top);
  std::unordered_set<VertexIndex> down;
  for (auto v = order.rbegin(); v != order.rend(); ++v) {
    if (!graph.up(*v) || down.contains(graph.parent(*v))) {
      down.insert(*v);
    } else if (graph.type(*v) == types::kNode) {
      ++nodes;
    }
  }
  return nodes;
}

// True if everything that was added forms trees below vertices from before;
// then filters and node count include it.
bool Matcher::State::Extend(int vertices, int edges) {
  if (!is_tree) return false;
  std::vector<VertexIndex> tops;
  for (EdgeIndex e = edges; e < graph.edges(); ++e) {
    if (graph.subsystem(e) != graph.dominant()) continue;
    const VertexIndex v = graph.target(e);
    if (v < vertices || graph.FirstIn(v) != e) return false;
    if (graph.source(e) < vertices) tops.push_back(v);
  }
  for (const VertexIndex top : tops) {
    if (!filters.Add(graph, top)) return false;
    nodes_up += NodesUpBelow(top);
  }
  return true;
}

void Matcher::State::CutOff(VertexIndex top) {
  UncoverAround(top);
  const VertexIndex above = graph.parent(top);
  if (!is_tree || above == kNoVertex) {
    graph.Detach(top);
    Prime();
    return;
  }
  nodes_up -= NodesUpBelow(top);
  filters.Drop(graph, top);
  graph.Detach(top);
  // The new leaf may be of a type that no filter tracks.
  if (graph.IsLeaf(above) && !filters.Tracks(graph.type(above))) Prime();
}

bool Matcher::SetUp(std::string_view path, bool up) {
  ResourceGraph& graph = state_->graph;
  const auto vertices = graph.FindAll(path);
  for (const VertexIndex v : vertices) {
    if (graph.up(v) == up) continue;
    graph.SetUp(v, true);
    const std::int64_t nodes = state_->NodesUpBelow(v);
    graph.SetUp(v, up);
    state_->nodes_up += up ? nodes : -nodes;
  }
  if (!state_->is_tree) {
    state_->nodes_up = state_->NodesUpBelow(graph.root());
  }
  state_->selection.ForgetStatus();
  return !vertices.empty();
}

bool Matcher::SetProperty(std::string_view path, const std::string& key,
                          const std::string& value) {
  const auto vertices = state_->graph.FindAll(path);
  for (const VertexIndex v : vertices) {
    state_->graph.SetProperty(v, key, value);
  }
  state_->selection.ForgetGraph();
  return !vertices.empty();
}

void Matcher::Grow(const std::function<void(ResourceGraph&)>& change) {
  ResourceGraph& graph = state_->graph;
  const int before = graph.size();
  const int edges = graph.edges();
  try {
    change(graph);
  } catch (...) {
    for (VertexIndex v = before; v < graph.size(); ++v) graph.DetachAlone(v);
    state_->Prime();
    throw;
  }
  state_->Resize();
  for (VertexIndex v = before; v < graph.size(); ++v) {
    state_->UncoverAbove(v, before);
  }
  if (!state_->Extend(before, edges)) state_->Prime();
}

bool Matcher::Remove(std::string_view path) {
  const auto vertices = state_->graph.FindAll(path);
  const VertexIndex root = state_->graph.root();
  if (vertices.empty() ||
      std::find(vertices.begin(), vertices.end(), root) != vertices.end()) {
    return false;
  }
  for (const VertexIndex v : vertices) {
    state_->CutOff(v);
  }
  state_->Resize();
  return true;
}

bool Matcher::RemoveRanks(const std::vector<std::int64_t>& ranks) {
  ResourceGraph& graph = state_->graph;
  for (const std::int64_t rank : ranks) {
    const auto& on_rank = graph.OfRank(rank);
    if (on_rank.empty() || std::find(on_rank.begin(), on_rank.end(),
                                     graph.root()) != on_rank.end()) {
      return false;
    }
  }
  for (const std::int64_t rank : ranks) {
    for (const VertexIndex v : graph.OfRank(rank)) {
      state_->UncoverAround(v);
    }
  }
  for (auto job = state_->jobs.begin(); job != state_->jobs.end();) {
    const auto next = std::next(job);
    std::vector<VertexIndex> vertices;
    for (const std::int64_t rank : ranks) {
      for (const VertexIndex v : graph.OfRank(rank)) {
        if (job->second.bookings.Find(v) != nullptr) vertices.push_back(v);
      }
    }
    if (!vertices.empty()) state_->ReleasePart(job->first, vertices);
    job = next;
  }
  for (const std::int64_t rank : ranks) {
    while (!graph.OfRank(rank).empty()) {
      VertexIndex top = graph.OfRank(rank).front();
      for (VertexIndex up = graph.parent(top);
           up != kNoVertex && graph.rank(up) == rank; up = graph.parent(up)) {
        top = up;
      }
      state_->CutOff(top);
    }
  }
  state_->Resize();
  return true;
}

}  // namespace fluxnetes::matcher
