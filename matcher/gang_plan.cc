#include "matcher/gang_plan.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace fluxnetes::matcher {

void GangPlan::SetGang(const Gang& gang) {
  if (gang.duration < 1) throw std::invalid_argument("duration is below 1");
  groups_.clear();
  tasks_ = 0;
  for (const TaskGroup& group : gang.groups) {
    if (group.count < 0 || group.count > kMaxTasks - tasks_) {
      throw std::invalid_argument("tasks of a gang are not 0 to " +
                                  std::to_string(kMaxTasks));
    }
    tasks_ += group.count;
    groups_.push_back(&group);
  }
  Compile();
}

void GangPlan::SetGroup(const TaskGroup& group) {
  groups_ = {&group};
  Compile();
}

void GangPlan::Compile() {
  needs_.resize(groups_.size());
  for (int g = 0; g < groups(); ++g) {
    const auto& amounts = groups_[g]->amounts;
    if (static_cast<int>(amounts.size()) > nodes_.resources()) {
      throw std::invalid_argument("more amounts than the graph has resources");
    }
    needs_[g].clear();
    for (int r = 0; r < static_cast<int>(amounts.size()); ++r) {
      if (amounts[r] < 0 || amounts[r] > kMaxAmount) {
        throw std::invalid_argument("an amount is not 0 to 2^62");
      }
      if (amounts[r] > 0) needs_[g].push_back({r, amounts[r]});
    }
  }
  given_.resize(groups_.size());
  std::iota(given_.begin(), given_.end(), 0);
}

void GangPlan::Clear() {
  for (const Run& run : runs_) last_run_[run.node] = -1;
  runs_.clear();
  last_run_.resize(nodes_.size(), -1);
  least_.resize(nodes_.resources());
}

// `free` gives what is free of a resource; the runs linked from `last_run` come
// off it.
template <typename Free>
int GangPlan::Divide(int group, int limit, std::int32_t last_run,
                     const Free& free) const {
  for (const Need& need : needs_[group]) {
    std::int64_t left = free(need.resource);
    if (left < need.amount) return 0;
    for (std::int32_t i = last_run; i >= 0; i = runs_[i].next) {
      const auto& amounts = groups_[runs_[i].group]->amounts;
      if (need.resource >= static_cast<int>(amounts.size())) continue;
      left -= runs_[i].tasks * amounts[need.resource];
    }
    if (left < need.amount) return 0;
    if (limit > 1) {
      limit =
          static_cast<int>(std::min<std::int64_t>(limit, left / need.amount));
    }
  }
  return limit;
}

// The columns of a node that takes nothing are below every need; who needs
// nothing has to ask.
bool GangPlan::MayTake(NodeIndex node, int group) const {
  const NodeSet* eligible = groups_[group]->eligible;
  return (eligible == nullptr || eligible->Contains(node)) &&
         (!needs_[group].empty() || nodes_.TakesTasks(node));
}

int GangPlan::CountAlone(const Columns& columns, NodeIndex node, int group,
                         int limit) const {
  if (!MayTake(node, group)) return 0;
  return Divide(group, limit, -1, [&](int r) { return columns[r][node]; });
}

int GangPlan::Fit(const Ground& ground, NodeIndex node, int group, int limit) {
  if (!MayTake(node, group)) return 0;
  const std::int32_t last_run = last_run_[node];
  const int fit = Divide(group, limit, last_run,
                         [&](int r) { return (*ground.columns)[r][node]; });
  if (fit == 0 || !ground.over_time) return fit;
  if (!nodes_.StartsBefore(node, ground.end)) return fit;
  nodes_.Profile(node).Least(nodes_.now(), ground.end, least_);
  return Divide(group, fit, last_run, [&](int r) { return least_[r]; });
}

int GangPlan::PlaceInBlock(const Ground& ground, int block, int group,
                           int count) {
  const int begin = block * FitIndex::kBlock;
  const int size = std::min(FitIndex::kBlock, ground.order->size() - begin);
  int placed = 0;
  for (int i = 0; i < size && placed < count; ++i) {
    const NodeIndex node =
        ground.order->At(begin + (ground.descending ? size - 1 - i : i));
    const int fit = Fit(ground, node, group, count - placed);
    if (fit == 0) continue;
    runs_.push_back({node, group, fit, last_run_[node]});
    last_run_[node] = static_cast<int>(runs_.size()) - 1;
    placed += fit;
  }
  return placed;
}

int GangPlan::PlaceGroup(const Ground& ground, int group, int count) {
  const int blocks =
      (ground.order->size() + FitIndex::kBlock - 1) / FitIndex::kBlock;
  int placed = 0;
  for (int i = 0; i < blocks && placed < count; ++i) {
    const int block = ground.descending ? blocks - 1 - i : i;
    if (ground.index != nullptr &&
        !ground.index->MayHold(block, needs_[group])) {
      continue;
    }
    const int here = PlaceInBlock(ground, block, group, count - placed);
    if (here == 0 && ground.index != nullptr) ground.index->Tighten(block);
    placed += here;
  }
  return placed;
}

bool GangPlan::PlaceInOrder(const Ground& ground, std::span<const int> order) {
  Clear();
  return std::all_of(order.begin(), order.end(), [&](int group) {
    const int count = groups_[group]->count;
    return PlaceGroup(ground, group, count) == count;
  });
}

bool GangPlan::Place(const Ground& ground) {
  if (PlaceInOrder(ground, given_)) return true;
  if (groups() < 2) return false;
  const std::vector<int> hardest_first = HardestFirst();
  if (hardest_first == given_ || !PlaceInOrder(ground, hardest_first)) {
    return false;
  }
  SortRuns();
  return true;
}

// Room is the part of the empty cluster that one task takes, inverted: how
// many of them the nodes it may use would hold if they were one.
std::vector<int> GangPlan::HardestFirst() const {
  std::vector<double> totals(nodes_.resources());
  int open = 0;
  for (NodeIndex node = 0; node < nodes_.size(); ++node) {
    if (!nodes_.TakesTasks(node)) continue;
    ++open;
    for (int r = 0; r < nodes_.resources(); ++r) {
      totals[r] += static_cast<double>(nodes_.Total(node, r));
    }
  }
  std::vector<double> room(groups());
  for (int g = 0; g < groups(); ++g) {
    double share = 0;
    for (const Need& need : needs_[g]) {
      share = std::max(share, static_cast<double>(need.amount) /
                                  std::max(totals[need.resource], 1.0));
    }
    const NodeSet* eligible = groups_[g]->eligible;
    const int nodes = eligible == nullptr ? open : eligible->Count();
    room[g] = nodes / std::max(share, 1e-300);
  }
  std::vector<int> order = given_;
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return room[a] < room[b]; });
  return order;
}

void GangPlan::SortRuns() {
  std::stable_sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) {
    return a.group < b.group;
  });
  // The links between runs no longer hold; nothing is placed after this.
}

int GangPlan::Count(const Ground& ground, int limit) {
  Clear();
  return PlaceGroup(ground, 0, limit);
}

}  // namespace fluxnetes::matcher
