#include "tests/matcher/plain/plain_jobspec.h"

#include <algorithm>

#include "tests/matcher/plain/plain_matcher.h"

namespace fluxnetes::matcher {
namespace {

// A jobspec as a tree.
struct Branch {
  JobResource resource;
  std::vector<Branch> with;
};

Branch BranchOf(const Jobspec& spec, int r) {
  Branch branch{spec.resources[r], {}};
  for (int c = spec.resources[r].first; c < spec.resources[r].last; ++c) {
    branch.with.push_back(BranchOf(spec, c));
  }
  return branch;
}

void Append(const std::vector<Branch>& level, int parent, Jobspec& spec) {
  const auto first = static_cast<int>(spec.resources.size());
  for (const Branch& branch : level) {
    spec.resources.push_back(branch.resource);
    spec.resources.back().parent = parent;
  }
  for (std::size_t i = 0; i < level.size(); ++i) {
    const int r = first + static_cast<int>(i);
    const auto below = static_cast<int>(spec.resources.size());
    Append(level[i].with, r, spec);
    const int count = static_cast<int>(level[i].with.size());
    spec.resources[r].first = count == 0 ? 0 : below;
    spec.resources[r].last = count == 0 ? 0 : below + count;
  }
}

using Branches = std::vector<Branch>;

// Returns all ways to fill a level: with one of its xor_slots, and all of its
// other resources. The first resource varies last.
std::vector<Branches> Fill(const Branches& level) {
  std::vector<Branches> ways = {{}};
  const auto extend = [&ways](const std::vector<Branch>& choices) {
    std::vector<Branches> longer;
    for (const Branches& way : ways) {
      for (const Branch& choice : choices) {
        longer.push_back(way);
        longer.back().push_back(choice);
      }
    }
    ways = longer;
  };
  std::vector<Branch> alternatives;
  for (const Branch& branch : level) {
    std::vector<Branch> forms;
    for (const Branches& with : Fill(branch.with)) {
      forms.push_back({branch.resource, with});
    }
    if (branch.resource.type == "xor_slot") {
      for (Branch& form : forms) {
        form.resource.type = "slot";
        alternatives.push_back(form);
      }
    } else {
      extend(forms);
    }
  }
  if (!alternatives.empty()) extend(alternatives);
  return ways;
}

}  // namespace

std::uint64_t PlainTake(const Count& count, std::uint64_t available) {
  const std::uint64_t most = std::min<std::uint64_t>(available, count.max);
  if (count.min == 0 || count.min > most) return 0;
  if (count.op == '+') return most - (most - count.min) % count.operand;
  std::uint64_t take = count.min;
  while (true) {
    unsigned __int128 next = take;
    const std::uint64_t times = count.op == '*' ? 2 : count.operand;
    for (std::uint64_t i = 1; i < times && next <= most; ++i) {
      next *= count.op == '*' ? count.operand : take;
    }
    if (next > most || next == take) return take;
    take = static_cast<std::uint64_t>(next);
  }
}

std::vector<Jobspec> PlainMatcher::Variants(const Jobspec& jobspec) const {
  Branches top;
  for (int r = 0; r < jobspec.top; ++r) top.push_back(BranchOf(jobspec, r));
  std::vector<Jobspec> variants;
  for (const Branches& way : Fill(top)) {
    Jobspec variant = jobspec;
    variant.resources.clear();
    variant.top = static_cast<int>(way.size());
    Append(way, -1, variant);
    variants.push_back(variant);
  }
  return variants;
}

void PlainMatcher::Understand(const Jobspec& jobspec) {
  spec_ = &jobspec;
  types_.clear();
  with_.clear();
  top_.clear();
  whole_types_.clear();
  if (policy_.node_exclusive) whole_types_.insert(types::kNode);
  for (int r = 0; r < static_cast<int>(jobspec.resources.size()); ++r) {
    const JobResource& resource = jobspec.resources[r];
    types_.push_back(*graph_.type_names().Find(resource.type));
    if (resource.exclusive == true) whole_types_.insert(types_.back());
    with_.emplace_back();
    for (int c = resource.first; c < resource.last; ++c) {
      with_.back().push_back(c);
    }
    if (r < jobspec.top) top_.push_back(r);
  }
  needs_.clear();
  for (const Level& with : with_) needs_.push_back(Needs(with));
}

// Returns the needs that a filter can know. Of alternative slots, takes the
// least of each; nothing if one of them needs nothing.
PlainMatcher::Counts PlainMatcher::Needs(const Level& level) const {
  Counts needs;
  std::vector<Counts> alternatives;
  for (const int r : level) {
    const std::int64_t min = spec_->resources[r].count.min;
    Counts of_resource;
    if (Tracked(types_[r])) of_resource[types_[r]] += min;
    for (const auto& [type, count] : Needs(with_[r])) {
      of_resource[type] += min * count;
    }
    if (options_.flexible && types_[r] == types::kSlot) {
      alternatives.push_back(of_resource);
      continue;
    }
    for (const auto& [type, count] : of_resource) needs[type] += count;
  }
  if (std::any_of(alternatives.begin(), alternatives.end(),
                  [](const Counts& counts) { return counts.empty(); })) {
    return needs;
  }
  Counts least;
  for (const Counts& all : alternatives) {
    for (const auto& [type, unused] : all) {
      std::int64_t units = unused;
      for (const Counts& counts : alternatives) {
        const auto found = counts.find(type);
        units = std::min(units, found == counts.end() ? 0 : found->second);
      }
      least[type] = units;
    }
  }
  for (const auto& [type, count] : least) needs[type] += count;
  return needs;
}

// Returns what to look for to make slots: their parts; of alternative slots,
// the largest part of each type.
PlainMatcher::Level PlainMatcher::Parts(const Level& slots) const {
  if (slots.size() == 1) return with_[slots.front()];
  Level parts;
  for (const int slot : slots) {
    for (const int r : with_[slot]) {
      bool known = false;
      for (int& part : parts) {
        if (types_[part] != types_[r]) continue;
        known = true;
        if (spec_->resources[r].count.min > spec_->resources[part].count.min) {
          part = r;
        }
      }
      if (!known) parts.push_back(r);
    }
  }
  return parts;
}

bool PlainMatcher::Fulfils(VertexIndex v) const {
  return spec_->constraint.nodes.empty() || Fulfils(v, spec_->constraint, 0);
}

bool PlainMatcher::Fulfils(VertexIndex v, const Constraint& constraint,
                           int node) const {
  using Kind = Constraint::Kind;
  const Constraint::Node& of = constraint.nodes[node];
  bool all = true;
  bool any = false;
  for (int i = of.first; i < of.last; ++i) {
    const bool holds = Fulfils(v, constraint, i);
    all = all && holds;
    any = any || holds;
  }
  const Properties* has = graph_.PropertiesOf(v);
  for (const auto& property : of.properties) {
    const bool there = has != nullptr && has->contains(property.key);
    all = all && there != property.absent;
  }
  for (const HostList& hosts : of.hosts) {
    any = any || hosts.Contains(graph_.Name(v));
  }
  for (const IdSet& ranks : of.ranks) {
    any = any || ranks.Contains(graph_.rank(v));
  }
  if (of.kind == Kind::kAnd || of.kind == Kind::kProperties) return all;
  return of.kind == Kind::kNot ? !all : any;
}

}  // namespace fluxnetes::matcher
