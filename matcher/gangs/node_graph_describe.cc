#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "matcher/gangs/node_graph_state.h"

namespace fluxnetes::matcher {
namespace {

// Returns the resources in order of name, so that the order in which they were
// added does not matter.
std::vector<int> ByName(const std::vector<std::string>& resources) {
  std::vector<int> order(resources.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return resources[a] < resources[b]; });
  return order;
}

template <typename Amount>
std::string Amounts(const std::vector<std::string>& resources,
                    const Amount& amount) {
  std::string text;
  for (const int r : ByName(resources)) {
    if (amount(r) != 0) text += fmt::format(" {}={}", resources[r], amount(r));
  }
  return text;
}

struct Line {
  JobId job;
  Time start;
  Time end;
  std::string amounts;
  std::string rules;
  std::string seating;
  std::int64_t tasks;

  auto Key() const {
    return std::tie(job, start, end, amounts, rules, seating);
  }
};

std::string RulesOf(const NodeGraph::State& state, RulesId rules) {
  if (rules == kNoRules) return "";
  return " by " + state.nodes.book()[rules].key;
}

std::string LabelsOf(const NodeGraph::State& state, NodeIndex node,
                     bool with_rules) {
  std::string text;
  for (const auto& [key, value] : state.nodes.labels().LabelsOf(node)) {
    text += fmt::format(" {}:{}", key, value);
  }
  for (const Taint& taint : state.nodes.labels().Taints(node)) {
    text += fmt::format(" taint {}={}/{}", taint.key, taint.value,
                        static_cast<int>(taint.effect));
  }
  if (!with_rules) return text;
  std::vector<std::string> unmanaged;
  for (const RulesId rules : state.nodes.book().Unmanaged(node)) {
    unmanaged.push_back(RulesOf(state, rules));
  }
  std::sort(unmanaged.begin(), unmanaged.end());
  for (const std::string& each : unmanaged) text += " unmanaged" + each;
  return text;
}

std::string SeatingOf(const Span& span) {
  if (span.aside) return " aside";
  if (span.holder == 0) return "";
  return fmt::format(" whole for {}", span.holder);
}

std::string SpansOf(const NodeGraph::State& state, NodeIndex node,
                    bool with_rules) {
  const SpanStore& spans = state.nodes.spans();
  std::vector<Line> lines;
  for (SpanId id = spans.First(node); id >= 0; id = spans[id].next) {
    const auto amounts = spans.Amounts(id);
    lines.push_back(
        {spans[id].job, spans[id].start, spans[id].end,
         Amounts(state.resources, [&](int r) { return amounts[r]; }),
         with_rules ? RulesOf(state, spans[id].rules) : "",
         SeatingOf(spans[id]), spans[id].tasks});
  }
  std::sort(lines.begin(), lines.end(),
            [](const Line& a, const Line& b) { return a.Key() < b.Key(); });
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Line& line = lines[i];
    if (i + 1 < lines.size() && lines[i + 1].Key() == line.Key()) {
      lines[i + 1].tasks += line.tasks;
      continue;
    }
    const std::string end =
        line.end == kForever ? "ever" : std::to_string(line.end);
    text += fmt::format(" | {} [{},{}) {}x{}{}{}", line.job, line.start, end,
                        line.tasks, line.amounts, line.rules, line.seating);
  }
  return text;
}

}  // namespace

std::string NodeGraph::Describe(bool with_rules) const {
  const NodeColumns& nodes = state_->nodes;
  std::vector<NodeIndex> order;
  for (NodeIndex node = 0; node < nodes.size(); ++node) {
    if (nodes.Known(node)) order.push_back(node);
  }
  std::sort(order.begin(), order.end(), [&](NodeIndex a, NodeIndex b) {
    return nodes.Name(a) < nodes.Name(b);
  });
  std::string text;
  for (const NodeIndex node : order) {
    const auto total = [&](int r) { return nodes.Total(node, r); };
    const auto unmanaged = [&](int r) { return nodes.Unmanaged(node, r); };
    const std::string others = Amounts(state_->resources, unmanaged);
    text += nodes.Name(node);
    if (nodes.Present(node)) {
      text += fmt::format(" #{}{}{}", nodes.Id(node),
                          nodes.Open(node) ? "" : " closed",
                          Amounts(state_->resources, total));
      if (!others.empty()) text += " unmanaged" + others;
      if (nodes.Occupants(node) > 0)
        text += fmt::format(" occupants={}", nodes.Occupants(node));
      text += LabelsOf(*state_, node, with_rules);
    } else {
      text += " removed";
    }
    text += SpansOf(*state_, node, with_rules);
    for (const std::string& line : state_->interior.DescribeOn(node))
      text += " | inside " + line;
    for (const std::string& line : state_->devices.DescribeOn(node))
      text += " | device " + line;
    text += '\n';
  }
  return text;
}

std::string NodeGraph::DescribeCounts() const {
  return state_->nodes.book().Describe();
}

}  // namespace fluxnetes::matcher
