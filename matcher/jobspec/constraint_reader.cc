#include <deque>

#include "matcher/jobspec/yaml_reader.h"

namespace fluxnetes::matcher {
namespace {

using ConstraintKind = Constraint::Kind;

constexpr int kMaxOperators = 1'000;
constexpr int kMaxDepth = 32;

// An operator that has not been read yet.
struct OpenConstraint {
  YamlPlace place;
  int node = 0;
  int depth = 0;
};

Constraint::Property ReadProperty(const YamlPlace& place) {
  const std::string_view text = place.Text();
  // Fluxion requires quotes.
  if (place.plain()) place.Fail("a property must be quoted");
  Constraint::Property property;
  property.absent = text.starts_with('^');
  property.key = text.substr(property.absent ? 1 : 0);
  if (property.key.empty()) place.Fail("a property must not be empty");
  if (property.key.find_first_of("!&'\"^`|()") != std::string::npos) {
    place.Fail("a property must have none of ! & ' \" ^ ` | ( )");
  }
  return property;
}

ConstraintKind KindOf(const YamlPlace& place, std::string_view name) {
  if (name == "properties") return ConstraintKind::kProperties;
  if (name == "hostlist") return ConstraintKind::kHosts;
  if (name == "ranks") return ConstraintKind::kRanks;
  if (name == "and") return ConstraintKind::kAnd;
  if (name == "or") return ConstraintKind::kOr;
  if (name == "not") return ConstraintKind::kNot;
  place.Fail(
      "has an unknown operator; known are properties, hostlist, ranks, "
      "and, or, not");
}

void ReadValue(const YamlPlace& place, Constraint::Node& node) {
  if (node.kind == ConstraintKind::kProperties) {
    node.properties.push_back(ReadProperty(place));
  } else if (node.kind == ConstraintKind::kHosts) {
    auto hosts = HostList::Parse(place.Text());
    if (!hosts) place.Fail("is not a list of hosts like node[0-3]");
    node.hosts.push_back(*std::move(hosts));
  } else {
    auto ranks = IdSet::Parse(place.Text());
    if (!ranks) place.Fail("is not a set of ranks like 0-3,7");
    node.ranks.push_back(*std::move(ranks));
  }
}

void Read(const OpenConstraint& open, Constraint& constraint,
          std::deque<OpenConstraint>& queue) {
  open.place.RequireMap();
  if (open.depth > kMaxDepth) open.place.Fail("is nested too deeply");
  if (open.place.size() > 1) {
    open.place.Fail("must have one operator only");
  }
  if (open.place.size() == 0) return;  // `and` of nothing: holds
  const auto name = open.place.KeyAt(0);
  if (!name) open.place.Fail("has no operator");
  Constraint::Node node;
  node.kind = KindOf(open.place, *name);
  const YamlPlace operands = open.place.ValueAt(0);
  operands.RequireSequence();
  const std::size_t count = operands.size();
  if (constraint.nodes.size() + count > kMaxOperators) {
    operands.Fail("has too many operands");
  }
  const bool values = node.kind == ConstraintKind::kProperties ||
                      node.kind == ConstraintKind::kHosts ||
                      node.kind == ConstraintKind::kRanks;
  node.first = node.last = static_cast<int>(constraint.nodes.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (values) {
      ReadValue(operands.At(i), node);
    } else {
      queue.push_back({operands.At(i), node.last++, open.depth + 1});
      constraint.nodes.emplace_back();
    }
  }
  constraint.nodes[open.node] = std::move(node);
}

}  // namespace

Constraint ReadConstraint(const YamlPlace& place) {
  Constraint constraint;
  if (place.IsNull()) return constraint;
  place.RequireMap();
  if (place.size() == 0) return constraint;
  constraint.nodes.emplace_back();
  std::deque<OpenConstraint> queue = {{place, 0, 0}};
  for (; !queue.empty(); queue.pop_front()) {
    Read(OpenConstraint(queue.front()), constraint, queue);
  }
  return constraint;
}

}  // namespace fluxnetes::matcher
