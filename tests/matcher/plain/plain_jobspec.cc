#include "tests/matcher/plain/plain_jobspec.h"

#include <algorithm>

#include "tests/matcher/plain/plain_matcher.h"

namespace fluxnetes::matcher {
namespace {

// A jobspec as a tree.
struct Branch {
  JobResource resource;
  int origin = 0;
  std::vector<Branch> with;
};

Branch BranchOf(const Jobspec& spec, int r) {
  Branch branch{spec.resources[r], r, {}};
  for (int c = spec.resources[r].first; c < spec.resources[r].last; ++c) {
    branch.with.push_back(BranchOf(spec, c));
  }
  return branch;
}

void Append(const std::vector<Branch>& level, int parent, Jobspec& spec,
            std::vector<int>& origins) {
  const auto first = static_cast<int>(spec.resources.size());
  for (const Branch& branch : level) {
    spec.resources.push_back(branch.resource);
    spec.resources.back().parent = parent;
    origins.push_back(branch.origin);
  }
  for (std::size_t i = 0; i < level.size(); ++i) {
    const int r = first + static_cast<int>(i);
    const auto below = static_cast<int>(spec.resources.size());
    Append(level[i].with, r, spec, origins);
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
      forms.push_back({branch.resource, branch.origin, with});
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

std::vector<PlainMatcher::Way> PlainMatcher::WaysOf(
    const Jobspec& jobspec) const {
  Branches top;
  for (int r = 0; r < jobspec.top; ++r) top.push_back(BranchOf(jobspec, r));
  std::vector<Way> ways;
  const auto add = [&](const Branches& level) {
    Way way{jobspec, {}};
    way.spec.resources.clear();
    way.spec.top = static_cast<int>(level.size());
    Append(level, -1, way.spec, way.origins);
    ways.push_back(way);
  };
  if (!options_.flexible) {
    add(top);
    return ways;
  }
  for (const Branches& level : Fill(top)) add(level);
  return ways;
}

// The needs of all ways count for each of them, and what one of them takes
// whole the others take whole too.
void PlainMatcher::UnderstandWays(const Jobspec& jobspec) {
  Understand(jobspec);
  needs_of_all_ = needs_;
  total_ = Needs(top_);
  whole_of_any_ = whole_types_;
  ways_ = WaysOf(jobspec);
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

// Returns the needs that a filter can know. Each alternative bounds what came
// before it: to the same as itself at most, to nothing if it does not need it.
PlainMatcher::Counts PlainMatcher::Needs(const Level& level) const {
  Counts needs;
  for (const int r : level) {
    const std::int64_t min = spec_->resources[r].count.min;
    Counts own;
    if (Tracked(types_[r])) own[types_[r]] += min;
    for (const auto& [type, count] : Needs(with_[r])) own[type] += min * count;
    const std::string& type_name = spec_->resources[r].type;
    const bool alternative = options_.flexible && type_name.ends_with("slot");
    for (auto& [type, count] : needs) {
      const auto also = own.find(type);
      if (!alternative) {
        count += also == own.end() ? 0 : also->second;
      } else {
        count = also == own.end() ? 0 : std::min(count, also->second);
      }
    }
    needs.merge(own);
  }
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
