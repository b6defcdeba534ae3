#include <algorithm>

#include "matcher/matcher_state.h"

namespace fluxnetes::matcher {

bool Matcher::SetUp(std::string_view path, bool up) {
  const auto vertices = state_->graph.FindAll(path);
  for (const VertexIndex v : vertices) state_->graph.SetUp(v, up);
  if (!vertices.empty()) state_->CountUp();
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
  try {
    change(graph);
  } catch (...) {
    for (VertexIndex v = before; v < graph.size(); ++v) graph.DetachAlone(v);
    state_->Prime();
    throw;
  }
  state_->bookings.Resize(graph.size(), graph.edges());
  state_->filters.Resize(graph.size());
  for (VertexIndex v = before; v < graph.size(); ++v) {
    state_->UncoverAbove(v, before);
  }
  state_->Prime();
}

bool Matcher::Remove(std::string_view path) {
  const auto vertices = state_->graph.FindAll(path);
  const VertexIndex root = state_->graph.root();
  if (vertices.empty() ||
      std::find(vertices.begin(), vertices.end(), root) != vertices.end()) {
    return false;
  }
  for (const VertexIndex v : vertices) {
    state_->UncoverAround(v);
    state_->graph.Detach(v);
  }
  state_->Prime();
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
        if (job->second.Find(v) != nullptr) vertices.push_back(v);
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
      graph.Detach(top);
    }
  }
  state_->Prime();
  return true;
}

}  // namespace fluxnetes::matcher
