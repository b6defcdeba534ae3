// The structures of nodes, and what is told of tasks.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "matcher/graph/text_sets.h"
#include "matcher/inside/node_interior_state.h"

namespace fluxnetes::matcher {

StructureId NodeInterior::State::TakeStructure(const ResourceGraph& graph) {
  const VertexIndex top = NodeStructure::NodeOf(graph);
  std::string signature = NodeStructure::SignatureOf(graph, top);
  const auto known = by_signature.find(signature);
  if (known != by_signature.end()) {
    ++structures[known->second]->nodes;
    return known->second;
  }
  auto added = std::make_unique<Structure>(graph, top, options.policy);
  const auto unused = std::ranges::find_if(
      structures, [](const auto& structure) { return structure == nullptr; });
  const auto id = static_cast<StructureId>(unused - structures.begin());
  if (unused == structures.end()) structures.emplace_back();
  added->nodes = 1;
  added->epoch = ++next_epoch;
  added->signature =
      &by_signature.emplace(std::move(signature), id).first->first;
  structures[id] = std::move(added);
  ++structures_in_use;
  return id;
}

void NodeInterior::State::GiveStructure(StructureId id) {
  if (id == kNoStructure || --structures[id]->nodes > 0) return;
  former_searches += structures[id]->states.searches();
  by_signature.erase(by_signature.find(*structures[id]->signature));
  structures[id] = nullptr;
  --structures_in_use;
}

// What tasks hold is read again from the paths under which it was booked.
void NodeInterior::State::Restructure(Node& node, StructureId to) {
  Unlook(node);
  ForgetLeft(node);
  const StructureId from = std::exchange(node.structure, to);
  for (Hold& hold : node.holds) {
    const PartsId former = hold.parts;
    const std::string text = parts.Text(former, StructureOf(from));
    hold.parts = parts.Read(to, StructureOf(to), text);
    parts.Give(former);
  }
  node.seen = Seen{};
  node.given_anew = node.given != nullptr;
  GiveStructure(from);
}

void NodeInterior::Set(NodeIndex node, const ResourceGraph& inside) {
  State& state = *state_;
  State::Node& at = state.NodeAt(node);
  const StructureId to = state.TakeStructure(inside);
  if (to == at.structure) {
    state.GiveStructure(to);
  } else {
    state.Restructure(at, to);
  }
}

void NodeInterior::Unset(NodeIndex node) {
  State::Node& at = state_->NodeAt(node);
  if (at.structure != kNoStructure) state_->Restructure(at, kNoStructure);
}

const ResourceGraph* NodeInterior::StructureOf(NodeIndex node) const {
  const State& state = *state_;
  if (node < 0 || static_cast<std::size_t>(node) >= state.nodes.size()) {
    return nullptr;
  }
  const NodeStructure* structure =
      state.StructureOf(state.nodes[node].structure);
  return structure == nullptr ? nullptr : &structure->graph();
}

std::vector<InsideDomain> NodeInterior::State::Structure::DomainsOf(
    const NodeStructure& structure, std::string_view type) {
  const ResourceGraph& graph = structure.graph();
  std::vector<InsideDomain> found;
  for (VertexIndex top = 0; top < structure.size(); ++top) {
    if (graph.TypeName(top) != type) continue;
    InsideDomain domain{structure.Path(top), {}};
    for (VertexIndex v = top; v < structure.end(top); ++v)
      if (graph.TypeName(v) == "numa") domain.numa.push_back(graph.id(v));
    if (!domain.numa.empty()) found.push_back(std::move(domain));
  }
  return found;
}

const std::vector<InsideDomain>& NodeInterior::DomainsOf(NodeIndex node,
                                                         Align align) const {
  static const std::vector<InsideDomain> kNoDomains;
  const StructureId id = state_->NodeAt(node).structure;
  if (id == kNoStructure) return kNoDomains;
  const State::Structure& structure = *state_->structures[id];
  if (align == Align::kNuma) return structure.numa;
  return align == Align::kSocket ? structure.sockets : kNoDomains;
}

std::string NodeInterior::PartsOf(JobId job, int task) const {
  NodeIndex node = -1;
  const State::Hold* hold = state_->Find(job, task, &node);
  if (hold == nullptr) return "";
  return state_->parts.Text(hold->parts,
                            state_->StructureOf(state_->nodes[node].structure));
}

std::vector<VertexIndex> NodeInterior::VerticesOf(JobId job, int task) const {
  const State::Hold* hold = state_->Find(job, task);
  if (hold == nullptr) return {};
  return state_->parts[hold->parts].vertices;
}

std::string NodeInterior::ResourceSetOf(JobId job, int task,
                                        std::string_view node,
                                        std::int64_t rank) const {
  NodeIndex at = -1;
  const State::Hold* hold = state_->Find(job, task, &at);
  if (hold == nullptr) return "";
  const ResourceGraph* graph = StructureOf(at);
  std::string children;
  for (const auto& [type, name] :
       {std::pair(types::kCore, "core"), std::pair(types::kGpu, "gpu")}) {
    std::vector<std::int64_t> ids;
    for (const VertexIndex v : state_->parts[hold->parts].vertices) {
      if (graph->type(v) == type) ids.push_back(graph->id(v));
    }
    if (ids.empty()) continue;
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    children += fmt::format("{}\"{}\": \"", children.empty() ? "" : ", ", name);
    AppendIdSet(ids, children);
    children += '"';
  }
  return fmt::format(
      "{{\"version\": 1, \"execution\": {{\"R_lite\": [{{\"rank\": \"{}\", "
      "\"children\": {{{}}}}}], \"nodelist\": [{}], \"starttime\": {}, "
      "\"expiration\": {}}}}}",
      rank, children, JsonQuoted(node), hold->start,
      hold->end == kForever ? 0 : hold->end);
}

std::string NodeInterior::Describe() const {
  std::string text;
  for (std::size_t n = 0; n < state_->nodes.size(); ++n) {
    std::vector<State::Hold> holds = state_->nodes[n].holds;
    std::ranges::sort(holds, [](const State::Hold& a, const State::Hold& b) {
      return std::tie(a.job, a.task) < std::tie(b.job, b.task);
    });
    const NodeStructure* structure =
        state_->StructureOf(state_->nodes[n].structure);
    for (const State::Hold& hold : holds) {
      if (!State::IsOfTask(hold)) continue;
      text += fmt::format("node {}: job {} task {} [{}, {}) {}\n", n, hold.job,
                          hold.task, hold.start, hold.end,
                          state_->parts.Text(hold.parts, structure));
    }
  }
  return text;
}

std::vector<std::string> NodeInterior::DescribeOn(NodeIndex node) const {
  std::vector<std::string> lines;
  if (node < 0 || static_cast<std::size_t>(node) >= state_->nodes.size()) {
    return lines;
  }
  const State::Node& at = state_->nodes[node];
  for (const State::Hold& hold : at.holds) {
    if (!State::IsOfTask(hold)) continue;
    lines.push_back(fmt::format(
        "{} [{},{}) {}", hold.job, hold.start, hold.end,
        state_->parts.Text(hold.parts, state_->StructureOf(at.structure))));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::int64_t NodeInterior::searches() const {
  std::int64_t searches = state_->former_searches;
  for (const auto& structure : state_->structures) {
    if (structure) searches += structure->states.searches();
  }
  return searches;
}

}  // namespace fluxnetes::matcher
