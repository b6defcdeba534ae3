#include "workers/jobspecs/node_terms.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "cluster/files/field_check.h"
#include "cluster/text/quote.h"
#include "matcher/jobspec/jobspec.h"
#include "matcher/rules/node_fields.h"

namespace fluxnetes::workers {
namespace {

using cluster::NodeRequirement;
using cluster::NodeSelectorTerm;
using ConstraintKind = matcher::Constraint::Kind;
// One of the terms must hold: none can, and an empty one always does.
using AnyTerm = std::vector<NodeSelectorTerm>;

constexpr const char* kConstraints = "attributes.system.constraints";

[[noreturn]] void RefuseTerms(const std::string& wrong) {
  throw matcher::JobspecError(std::string(kConstraints) + ": " + wrong);
}

void CheckTerms(const AnyTerm& terms) {
  std::size_t values = 0;
  for (const NodeSelectorTerm& term : terms) {
    for (const NodeRequirement& each : term) values += 1 + each.values.size();
  }
  if (terms.size() > kMaxNodeTerms || values > kMaxNodeValues)
    RefuseTerms(fmt::format(
        "makes {} terms with {} labels and names of nodes; at most {} and {} "
        "are right. A property of these nodes says the same in one",
        terms.size(), values, kMaxNodeTerms, kMaxNodeValues));
}

AnyTerm BothTerms(const AnyTerm& a, const AnyTerm& b) {
  if (a.size() * b.size() > kMaxNodeTerms)
    RefuseTerms(fmt::format("makes {} terms; at most {} are right",
                            a.size() * b.size(), kMaxNodeTerms));
  AnyTerm both;
  for (const NodeSelectorTerm& first : a) {
    for (const NodeSelectorTerm& second : b) {
      both.push_back(first);
      both.back().insert(both.back().end(), second.begin(), second.end());
    }
  }
  CheckTerms(both);
  return both;
}

AnyTerm Either(AnyTerm a, const AnyTerm& b) {
  a.insert(a.end(), b.begin(), b.end());
  CheckTerms(a);
  return a;
}

NodeRequirement RequirementOf(const std::string& property, bool absent) {
  const std::size_t equals = property.find('=');
  std::string key = property.substr(0, equals);
  const bool bare =
      equals == std::string::npos && key.find('/') == std::string::npos;
  if (bare) key.insert(0, kPropertyPrefix);
  const std::string value =
      equals == std::string::npos ? "" : property.substr(equals + 1);
  if (!cluster::IsQualifiedName(key) || !cluster::IsLabelValue(value))
    RefuseTerms("the property " + cluster::Quote(property) +
                " is no label of a node; a name, the key of a label, or "
                "KEY=VALUE is right");
  if (equals == std::string::npos)
    return {key, absent ? "DoesNotExist" : "Exists", {}, false};
  return {key, absent ? "NotIn" : "In", {value}, false};
}

class TermReader {
 public:
  explicit TermReader(const matcher::Constraint& constraint)
      : constraint_(constraint) {}

  // `holds` false: the terms that hold where the operator does not. Recurses
  // as deep as the constraint, which its reader bounds.
  AnyTerm Read(const matcher::Constraint::Node& node, bool holds) const {
    switch (node.kind) {
      case ConstraintKind::kAnd:
        return All(node, holds, holds);
      case ConstraintKind::kNot:
        return All(node, !holds, !holds);
      case ConstraintKind::kOr:
        return All(node, holds, !holds);
      case ConstraintKind::kProperties:
        return Properties(node, holds);
      case ConstraintKind::kHosts:
        return {{Hosts(node, holds)}};
      case ConstraintKind::kRanks:
        return {{Ranks(node, holds)}};
    }
    return {};
  }

 private:
  // Joins the operands, each as `holds` says: by `and`, or by `or`.
  AnyTerm All(const matcher::Constraint::Node& node, bool holds,
              bool by_and) const {
    AnyTerm terms;
    if (by_and) terms.emplace_back();
    for (int i = node.first; i < node.last; ++i) {
      const AnyTerm operand =
          Read(constraint_.nodes[static_cast<std::size_t>(i)], holds);
      terms = by_and ? BothTerms(terms, operand)
                     : Either(std::move(terms), operand);
    }
    return terms;
  }

  static AnyTerm Properties(const matcher::Constraint::Node& node, bool holds) {
    AnyTerm terms;
    if (holds) terms.emplace_back();
    for (const auto& property : node.properties) {
      const AnyTerm one = {
          {RequirementOf(property.key, property.absent == holds)}};
      terms = holds ? BothTerms(terms, one) : Either(std::move(terms), one);
    }
    return terms;
  }

  static NodeRequirement Hosts(const matcher::Constraint::Node& node,
                               bool holds) {
    NodeRequirement in = {"metadata.name", holds ? "In" : "NotIn", {}, true};
    for (const matcher::HostList& list : node.hosts)
      Add(list.Hosts(kMaxNodeValues), in);
    return in;
  }

  static NodeRequirement Ranks(const matcher::Constraint::Node& node,
                               bool holds) {
    NodeRequirement in = {
        matcher::kLogicalIdField, holds ? "In" : "NotIn", {}, true};
    for (const matcher::IdSet& set : node.ranks) {
      const auto ids = set.Ids(kMaxNodeValues);
      std::optional<std::vector<std::string>> texts;
      if (ids) texts.emplace();
      for (std::size_t i = 0; ids && i < ids->size(); ++i)
        texts->push_back(std::to_string((*ids)[i]));
      Add(texts, in);
    }
    return in;
  }

  static void Add(const std::optional<std::vector<std::string>>& values,
                  NodeRequirement& in) {
    if (!values || in.values.size() + values->size() > kMaxNodeValues)
      RefuseTerms(
          fmt::format("names more than {} nodes; a property of these "
                      "nodes says the same",
                      kMaxNodeValues));
    for (const std::string& value : *values) {
      if (!cluster::IsSubdomain(value))
        RefuseTerms(cluster::Quote(value) + " is no name of a node");
      in.values.push_back(value);
    }
  }

  const matcher::Constraint& constraint_;
};

}  // namespace

AnyTerm TermsOf(const matcher::Constraint& constraint) {
  if (constraint.empty()) return {};
  AnyTerm terms =
      TermReader(constraint).Read(constraint.nodes.front(), /*holds=*/true);
  if (terms.empty()) RefuseTerms("holds on no node");
  for (const NodeSelectorTerm& term : terms) {
    if (term.empty()) return {};
  }
  return terms;
}

AnyTerm BothOf(const AnyTerm& a, const AnyTerm& b) {
  if (a.empty()) return b;
  return b.empty() ? a : BothTerms(a, b);
}

}  // namespace fluxnetes::workers
