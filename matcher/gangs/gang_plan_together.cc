#include <algorithm>
#include <set>
#include <utility>

#include "matcher/gangs/gang_plan.h"

namespace fluxnetes::matcher {
namespace {

void Intersect(const std::vector<NodeMask::Word>& a,
               const std::vector<NodeMask::Word>& b,
               std::vector<NodeMask::Word>& both) {
  both.clear();
  auto other = b.begin();
  for (const NodeMask::Word& word : a) {
    while (other != b.end() && other->block < word.block) ++other;
    if (other == b.end()) return;
    if (other->block != word.block || (word.bits & other->bits) == 0) continue;
    both.push_back({word.block, word.bits & other->bits});
  }
}

}  // namespace

// Counts the tasks of a run for the rules of the gang, until TakeBack().
void GangPlan::CountRun(const PlanBasis& basis, NodeIndex node, int group,
                        int tasks) {
  TaskBook& book = nodes_.book();
  for (const TrackerId id : groups_[group].counts) {
    const Stage stage = book.At(id).blocks ? basis.blocking : basis.present;
    book.CountIn(id, stage, node, tasks);
    counted_.push_back({id, false, stage, node, tasks});
  }
  for (const SpreadId id : groups_[group].counts_spread) {
    book.CountInSpread(id, basis.present, node, tasks);
    counted_.push_back({id, true, basis.present, node, tasks});
  }
}

// Counts what starts before the gang would end: it keeps tasks away too.
void GangPlan::CountAhead(const PlanBasis& basis) {
  TaskBook& book = nodes_.book();
  if (!basis.over_time || nodes_.spans().next_start() >= basis.end) return;
  const auto blocks = [&](TrackerId id) { return book.At(id).blocks; };
  if (std::ranges::none_of(trackers_, blocks)) return;
  for (const auto& moment : nodes_.spans().Starts()) {
    if (moment.time >= basis.end) break;
    const Span& span = nodes_.spans()[moment.span];
    if (!span.ahead || span.rules == kNoRules) continue;
    if (!nodes_.Present(span.node)) continue;
    for (const TrackerId id : book[span.rules].counts) {
      if (!Watches(id) || !book.At(id).blocks) continue;
      book.CountIn(id, basis.blocking, span.node, span.tasks);
      counted_.push_back({id, false, basis.blocking, span.node, span.tasks});
    }
  }
}

void GangPlan::TakeBack(std::size_t counted) {
  TaskBook& book = nodes_.book();
  while (counted_.size() > counted) {
    const Counted& last = counted_.back();
    if (last.spread) {
      book.CountInSpread(last.id, last.stage, last.node, -last.tasks);
    } else {
      book.CountIn(last.id, last.stage, last.node, -last.tasks);
    }
    counted_.pop_back();
  }
}

// Returns -1 if no node has the label.
KeyId GangPlan::FindKey(const std::string& key) {
  if (nodes_.labels().texts().Find(key) < 0) return -1;
  const auto [place, added] = keys_.try_emplace(key, -1);
  if (!added) return place->second;
  const KeyId id = nodes_.labels().TakeKey(key);
  if (nodes_.labels().domains(id) > 0) return place->second = id;
  nodes_.labels().GiveKey(id);
  keys_.erase(place);
  return -1;
}

// True if a node of `beside` is in the domain, or `beside` is empty.
bool GangPlan::Counts(KeyId key, DomainId domain) const {
  const std::vector<NodeIndex>& beside = gang_->beside;
  return beside.empty() || std::ranges::any_of(beside, [&](NodeIndex node) {
           return nodes_.labels().Domain(key, node) == domain;
         });
}

bool GangPlan::MayBeTogether(NodeIndex node) {
  if (gang_ == nullptr || gang_->together.empty() || !gang_->together_required)
    return true;
  const KeyId key = FindKey(gang_->together.back());
  const DomainId domain = key < 0 ? -1 : nodes_.labels().Domain(key, node);
  return domain >= 0 && Counts(key, domain);
}

bool GangPlan::PlaceSomewhere(const PlanBasis& basis) {
  within_ = nullptr;
  if (gang_ != nullptr && !gang_->levels.empty()) return PlaceByLevels(basis);
  if (gang_ == nullptr || gang_->together.empty()) {
    return PlaceInOrders(basis);
  }
  const bool required = gang_->together_required;
  const KeyId outer = required ? FindKey(gang_->together.back()) : -1;
  if (required && outer < 0) return false;
  for (const std::string& name : gang_->together) {
    const KeyId key = FindKey(name);
    const bool placed = key >= 0 && PlaceTogether(basis, key, outer);
    within_ = nullptr;
    if (placed) return true;
  }
  return !required && PlaceInOrders(basis);
}

// `outer`: a key for which all nodes must have one value too; -1: none.
bool GangPlan::PlaceTogether(const PlanBasis& basis, KeyId key, KeyId outer) {
  for (const Domain& domain : Tightest(basis, key)) {
    NodeMask& mask = nodes_.labels().Mask(key, domain.id);
    if (outer >= 0 && outer != key) {
      if (PlaceInParts(basis, mask, outer)) return true;
      continue;
    }
    within_ = &mask.At(basis.order.by_id, nodes_.orders());
    if (PlaceInOrders(basis)) return true;
  }
  return false;
}

// Tries each part of the domain with one value of `outer`: a rack may have
// nodes of several zones, or several racks may share a name.
bool GangPlan::PlaceInParts(const PlanBasis& basis, NodeMask& domain,
                            KeyId outer) {
  NodeLabels& labels = nodes_.labels();
  std::set<std::pair<std::string, DomainId>> parts;
  for (const NodeIndex node : domain.nodes()) {
    const DomainId part = labels.Domain(outer, node);
    if (part >= 0 && Counts(outer, part))
      parts.emplace(labels.DomainName(outer, part), part);
  }
  for (const auto& [name, part] : parts) {
    Intersect(domain.At(basis.order.by_id, nodes_.orders()),
              labels.Mask(outer, part).At(basis.order.by_id, nodes_.orders()),
              part_);
    within_ = &part_;
    if (PlaceInOrders(basis)) return true;
  }
  return false;
}

// Returns the domains that have enough in total, least free first. Each
// resource counts as its share of the total of the open nodes.
std::vector<GangPlan::Domain> GangPlan::Tightest(const PlanBasis& basis,
                                                 KeyId key) {
  std::vector<DomainSums::Sum> sums;
  const std::vector<Need> needs = NeededOfAll(sums);
  const std::vector<DomainSums::Sum> free = FreeIn(basis, key, needs);
  std::vector<Domain> found;
  for (DomainId id = 0; id < nodes_.labels().domains(key); ++id) {
    if (nodes_.labels().Mask(key, id).nodes().empty()) continue;
    if (!Counts(key, id)) continue;
    Domain domain{id, 0};
    bool enough = true;
    for (std::size_t i = 0; i < needs.size(); ++i) {
      const auto here = free[static_cast<std::size_t>(id) * needs.size() + i];
      enough = enough && here >= sums[i];
      const auto total =
          static_cast<double>(nodes_.OpenTotal(needs[i].resource));
      domain.free += static_cast<double>(here) / std::max(total, 1.0);
    }
    if (enough || keep_most_) found.push_back(domain);
  }
  const NodeLabels& labels = nodes_.labels();
  std::sort(found.begin(), found.end(), [&](const Domain& a, const Domain& b) {
    if (a.free != b.free) return a.free < b.free;
    return labels.DomainName(key, a.id) < labels.DomainName(key, b.id);
  });
  return found;
}

// Returns the resources that some task needs, and in `sums` what all tasks
// need.
std::vector<Need> GangPlan::NeededOfAll(
    std::vector<DomainSums::Sum>& sums) const {
  std::vector<DomainSums::Sum> all(nodes_.resources());
  for (const Group& group : std::span(groups_).first(task_groups_)) {
    for (const Need& need : group.needs) {
      if (need.resource == nodes_.seats()) continue;
      all[need.resource] += DomainSums::Sum{need.amount} * group.asked->count;
    }
  }
  std::vector<Need> needs;
  for (int r = 0; r < nodes_.resources(); ++r) {
    if (all[r] == 0) continue;
    needs.push_back({r, 0});
    sums.push_back(all[r]);
  }
  return needs;
}

std::vector<DomainSums::Sum> GangPlan::FreeIn(const PlanBasis& basis, KeyId key,
                                              std::span<const Need> needs) {
  const auto domains = static_cast<std::size_t>(nodes_.labels().domains(key));
  std::vector<DomainSums::Sum> free(domains * needs.size());
  const bool starts =
      basis.over_time && nodes_.spans().next_start() < basis.end;
  if (basis.limits != nullptr && !starts) {
    const DomainSums& sums = nodes_.Sums(key);
    for (std::size_t i = 0; i < free.size(); ++i) {
      free[i] = sums.At(basis.view, static_cast<DomainId>(i / needs.size()),
                        needs[i % needs.size()].resource);
    }
    return free;
  }
  std::vector<std::int64_t> least(nodes_.resources());
  for (NodeIndex node = 0; node < nodes_.size(); ++node) {
    const DomainId domain = nodes_.labels().Domain(key, node);
    if (domain < 0 || !nodes_.TakesTasks(node)) continue;
    const bool looks = starts && nodes_.StartsBefore(node, basis.end);
    if (looks) nodes_.Profile(node).Least(nodes_.now(), basis.end, least);
    for (std::size_t i = 0; i < needs.size(); ++i) {
      const int r = needs[i].resource;
      const std::int64_t here = looks ? least[r] : (*basis.columns)[r][node];
      if (here > 0) free[domain * needs.size() + i] += here;
    }
  }
  return free;
}

}  // namespace fluxnetes::matcher
