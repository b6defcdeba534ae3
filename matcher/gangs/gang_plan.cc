#include "matcher/gangs/gang_plan.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace fluxnetes::matcher {

void GangPlan::SetGang(const Gang& gang, JobId job) {
  if (gang.duration < 1) throw std::invalid_argument("duration is below 1");
  if (gang.whole_nodes && gang.aside)
    throw std::invalid_argument("a gang aside has no whole nodes");
  gang_ = &gang;
  task_groups_ = static_cast<int>(gang.groups.size());
  groups_.resize(gang.groups.size() + gang.pools.size());
  tasks_ = counting_ = 0;
  for (const NodeIndex node : gang.beside) {
    if (!nodes_.Known(node))
      throw std::invalid_argument("no node has index " + std::to_string(node));
  }
  for (int g = 0; g < task_groups_; ++g) {
    const TaskGroup& group = gang.groups[g];
    if (group.count < 0 || group.count > kMaxTasks - tasks_) {
      throw std::invalid_argument("tasks of a gang are not 0 to " +
                                  std::to_string(kMaxTasks));
    }
    tasks_ += group.count;
    counting_ += group.uncounted ? 0 : group.count;
    groups_[g].counts_tasks = !group.uncounted;
    groups_[g].asked = &group;
    groups_[g].pool = -1;
  }
  SetPools(gang);
  SetLevels(gang);
  Seating seating = SeatingOf(gang);
  if (gang.holder == 0) seating.holder = job;
  SetSeating(seating);
  Compile();
}

void GangPlan::SetSeating(const Seating& seating) {
  seating_ = seating;
  own_ = nullptr;
  if (!seating.whole_nodes) return;
  nodes_.CountSeats();
  if (seating.holder != 0) own_ = nodes_.HeldWhole(seating.holder);
}

void GangPlan::SetGroup(const TaskGroup& group, const Seating& seating) {
  gang_ = nullptr;
  per_node_ = {};
  held_.clear();
  SetSeating(seating);
  groups_.resize(1);
  task_groups_ = 1;
  groups_[0].asked = &group;
  groups_[0].pool = -1;
  groups_[0].counts_tasks = true;
  Compile();
}

void GangPlan::Compile() {
  aligned_.Sweep();
  for (Group& group : groups_) CompileNeeds(group);
  CompileRules();
  given_.resize(task_groups_);
  std::iota(given_.begin(), given_.end(), 0);
  FollowersLast(given_);
}

void GangPlan::CompileNeeds(Group& group) {
  const auto& amounts = group.asked->amounts;
  if (static_cast<int>(amounts.size()) > nodes_.Amounts()) {
    throw std::invalid_argument("more amounts than the graph has resources");
  }
  group.needs.clear();
  for (int r = 0; r < static_cast<int>(amounts.size()); ++r) {
    if (amounts[r] < 0 || amounts[r] > kMaxAmount) {
      throw std::invalid_argument("an amount is not 0 to 2^62");
    }
    if (amounts[r] > 0) group.needs.push_back({r, amounts[r]});
  }
  group.amounts = amounts;
  const bool seated = group.pool < 0 && !seating_.aside;
  if (nodes_.seats() >= 0 && seated) CompileSeats(group);
  const RulesId rules = group.asked->rules;
  if (rules != kNoRules && !nodes_.book().Known(rules)) {
    throw std::invalid_argument("rules were not taken");
  }
  const ShapeId inside = group.asked->inside;
  if (inside != kNoShape && !interior_.Knows(inside)) {
    throw std::invalid_argument("the inside was not taken");
  }
  const DevicesId devices = group.asked->devices;
  if (devices != kNoDevices && !devices_.Knows(devices)) {
    throw std::invalid_argument("the devices were not taken");
  }
  const bool inside_counts = inside != kNoShape && interior_.Counts(inside);
  group.inside = inside_counts ? inside : kNoShape;
  group.aligned = aligned_.Binds({group.inside, devices});
  group.rules = rules == kNoRules ? nullptr : &nodes_.book()[rules];
  group.alone = group.rules == nullptr || group.rules->Alone();
}

void GangPlan::CompileSeats(Group& group) {
  const std::int64_t seats = seating_.whole_nodes ? NodeColumns::kSeats : 1;
  group.needs.push_back({nodes_.seats(), seats, seating_.whole_nodes});
  group.with_seats = group.asked->amounts;
  group.with_seats.resize(nodes_.resources());
  group.with_seats[nodes_.seats()] = seats;
  group.amounts = group.with_seats;
}

void GangPlan::Watch(const BookedRules& rules) {
  const auto tracker = [&](TrackerId id) {
    if (watches_[id] == 0) trackers_.push_back(id);
    watches_[id] = 1;
  };
  const auto spread = [&](SpreadId id) {
    if (watches_spread_[id] == 0) spreads_.push_back(id);
    watches_spread_[id] = 1;
  };
  for (const TrackerId id : rules.blocked_by) tracker(id);
  for (const TrackerId id : rules.needs) tracker(id);
  for (const auto& each : rules.preferred) tracker(each.first);
  for (const SpreadId id : rules.spreads) spread(id);
  for (const SpreadId id : rules.soft_spreads) spread(id);
  if (!rules.needs.empty() || !rules.spreads.empty()) needs_others_ = true;
}

void GangPlan::CompileRules() {
  for (const TrackerId id : trackers_) watches_[id] = 0;
  for (const SpreadId id : spreads_) watches_spread_[id] = 0;
  trackers_.clear();
  spreads_.clear();
  watches_.resize(nodes_.book().trackers());
  watches_spread_.resize(nodes_.book().spreads());
  needs_others_ = false;
  for (const Group& group : groups_) {
    if (!group.alone) Watch(*group.rules);
  }
  for (Group& group : groups_) {
    group.counts.clear();
    group.counts_spread.clear();
    if (group.rules == nullptr) continue;
    for (const TrackerId id : group.rules->counts) {
      if (watches_[id] != 0) group.counts.push_back(id);
    }
    for (const SpreadId id : group.rules->counts_spread) {
      if (watches_spread_[id] != 0) group.counts_spread.push_back(id);
    }
  }
}

bool GangPlan::Watches(TrackerId id) const {
  return static_cast<std::size_t>(id) < watches_.size() && watches_[id] != 0;
}

bool GangPlan::WatchesSpread(SpreadId id) const {
  return static_cast<std::size_t>(id) < watches_spread_.size() &&
         watches_spread_[id] != 0;
}

// Moves groups that must follow other tasks behind those that need not.
void GangPlan::FollowersLast(std::vector<int>& order) const {
  std::stable_partition(order.begin(), order.end(), [&](int g) {
    const BookedRules* rules = groups_[g].rules;
    return rules == nullptr || rules->needs.empty() || rules->may_start;
  });
}

void GangPlan::Clear() {
  for (const Run& run : runs_) last_run_[run.node] = -1;
  runs_.clear();
  last_run_.resize(nodes_.size(), -1);
  least_.resize(nodes_.resources());
}

// The columns of a node that takes nothing are below every need, so the node
// must be asked only for a group without needs.
bool GangPlan::MayTake(NodeIndex node, int group) const {
  const Group& asks = groups_[group];
  const NodeSet* eligible = asks.asked->eligible;
  return (eligible == nullptr || eligible->Contains(node)) &&
         (!asks.needs.empty() ||
          (nodes_.TakesTasks(node) && !nodes_.IsPool(node))) &&
         (asks.rules == nullptr ||
          nodes_.book().shapes()[asks.rules->shape].allowed.Contains(node));
}

bool GangPlan::IsPlain() const {
  return task_groups_ == 1 && groups_[0].alone && gang_ != nullptr &&
         gang_->together.empty() && gang_->levels.empty() &&
         per_node_.tasks == 0;
}

bool GangPlan::LooksAtAll() const {
  const bool together = gang_ != nullptr && !gang_->together.empty();
  return together || std::ranges::any_of(groups_, [](const Group& group) {
           return group.needs.empty();
         });
}

// Adds tasks that fit there.
void GangPlan::AddRun(const PlanBasis& basis, NodeIndex node, int group,
                      int tasks) {
  if (!groups_[group].aligned) {
    AddRun(node, group, tasks, TaskOf(group));
    return;
  }
  FitAligned(basis, node, group, tasks);
  for (const AlignedTasks::Task& way : ways_) AddRun(node, group, 1, way);
}

void GangPlan::AddRun(NodeIndex node, int group, int tasks,
                      const AlignedTasks::Task& takes) {
  if (!runs_.empty() && runs_.back().node == node &&
      runs_.back().group == group && runs_.back().takes == takes) {
    runs_.back().tasks += tasks;
    return;
  }
  const auto order = static_cast<std::int32_t>(runs_.size());
  runs_.push_back({node, group, tasks, last_run_[node], order, takes});
  last_run_[node] = static_cast<int>(runs_.size()) - 1;
}

int GangPlan::Fill(const PlanBasis& basis, int group, int count) {
  return basis.order.score == PolicyOrder::Score::kNone
             ? FillInOrder(basis, group, count)
             : FillByScore(basis, group, count);
}

// Places the tasks of a group with rules on other tasks one by one; of any
// other group, as many at a time as the node takes.
int GangPlan::FillInOrder(const PlanBasis& basis, int group, int count) {
  const bool alone = groups_[group].alone;
  int placed = 0;
  while (placed < count) {
    const NodeIndex node = scan_.Next();
    if (node < 0) break;
    const int fit = Fit(basis, node, group, alone ? count - placed : 1);
    if (fit == 0) {
      scan_.Pass();
      continue;
    }
    AddRun(basis, node, group, fit);
    CountRun(basis, node, group, fit);
    placed += fit;
    scan_.Placed();
    if (alone) scan_.Pass();
  }
  return placed;
}

// A series of tasks that must stay together starts in the domain where its
// first task goes. If that domain has no room for all of them, it tries the
// next.
int GangPlan::PlaceGroup(const PlanBasis& basis, int group, int count) {
  const Group& asks = groups_[group];
  scan_.Begin(basis, asks.needs, asks.rules, within_);
  if (!scan_.StartsSeries()) return Fill(basis, group, count);
  const KeyId key = nodes_.book().At(asks.rules->needs[0]).key;
  const std::size_t runs = runs_.size();
  const std::size_t counted = counted_.size();
  DomainId best = -1;
  int most = 0;
  for (;;) {
    const int placed = Fill(basis, group, count);
    if (placed == count) return placed;
    if (placed == 0) break;
    const DomainId domain = nodes_.labels().Domain(key, runs_[runs].node);
    if (placed > most) {
      most = placed;
      best = domain;
    }
    UndoRuns(runs, counted);
    scan_.LeaveOut(key, domain);
  }
  if (best < 0) return 0;
  scan_.StayIn(key, best);
  return Fill(basis, group, count);
}

void GangPlan::UndoRuns(std::size_t runs, std::size_t counted) {
  while (runs_.size() > runs) {
    last_run_[runs_.back().node] = runs_.back().next;
    runs_.pop_back();
  }
  TakeBack(counted);
}

bool GangPlan::PlaceInOrder(const PlanBasis& basis,
                            std::span<const int> order) {
  if (FillsNodes()) return PlaceFull(basis, order) && NodesAreFull();
  Clear();
  const std::size_t counted = counted_.size();
  int placed = 0;
  std::vector<int> counts(keep_most_ ? groups_.size() : 0);
  bool all = true;
  for (const int group : order) {
    const int count = groups_[group].asked->count;
    const int here = PlaceGroup(basis, group, count);
    placed += here;
    all = all && here == count;
    if (keep_most_) {
      counts[group] = here;
    } else if (!all) {
      break;
    }
  }
  TakeBack(counted);
  if (keep_most_ && placed > most_sum_) {
    most_sum_ = placed;
    most_ = std::move(counts);
  }
  return all && NodesAreFull();
}

bool GangPlan::PlaceInOrders(const PlanBasis& basis) {
  if (PlaceInOrder(basis, given_)) return true;
  if (task_groups_ < 2) return false;
  const std::vector<int> hardest_first = HardestFirst();
  return hardest_first != given_ && PlaceInOrder(basis, hardest_first);
}

bool GangPlan::MayFit(const PlanBasis& basis) const {
  if (basis.limits == nullptr) return true;
  for (const Group& group : groups_) {
    const int count = group.asked->count;
    if (group.needs.empty() || count == 0) continue;
    const NodeBits* allowed =
        group.rules == nullptr
            ? nullptr
            : &nodes_.book().shapes()[group.rules->shape].allowed;
    const FitLimits::Entry& limit = basis.limits->Of(basis.view, group.needs);
    if (!limit.Reaches(count, group.asked->eligible, allowed)) return false;
  }
  return true;
}

bool GangPlan::Place(const PlanBasis& basis) {
  if (!keep_most_ && (!MayFit(basis) || !PoolsFit(basis))) return false;
  CountAhead(basis);
  const bool placed = PlaceSomewhere(basis);
  TakeBack(0);
  if (placed) TakePools();
  if (placed) SortRuns();
  return placed;
}

std::vector<int> GangPlan::CountMost(const PlanBasis& basis) {
  keep_most_ = true;
  most_sum_ = -1;
  found_.clear();
  most_.assign(groups_.size(), 0);
  Place(basis);
  keep_most_ = false;
  return most_;
}

int GangPlan::Count(const PlanBasis& basis, int limit) {
  Clear();
  CountAhead(basis);
  const int placed = PlaceGroup(basis, 0, limit);
  TakeBack(0);
  return placed;
}

// Orders groups by room, least first. Room is the number of tasks that the
// nodes a group may use would hold if each were as large as all open nodes
// together.
std::vector<int> GangPlan::HardestFirst() const {
  const int open = nodes_.open().Count();
  std::vector<double> room(task_groups_);
  for (int g = 0; g < task_groups_; ++g) {
    const Group& group = groups_[g];
    double share = 0;
    for (const Need& need : group.needs) {
      if (need.resource == nodes_.seats()) continue;
      const auto total = static_cast<double>(nodes_.OpenTotal(need.resource));
      share = std::max(share,
                       static_cast<double>(need.amount) / std::max(total, 1.0));
    }
    const NodeSet* eligible = group.asked->eligible;
    int nodes = eligible == nullptr ? open : eligible->Count();
    if (group.rules != nullptr) {
      nodes = CountCommon(nodes_.open(),
                          nodes_.book().shapes()[group.rules->shape].allowed,
                          eligible);
    }
    room[g] = nodes / std::max(share, 1e-300);
  }
  std::vector<int> order(task_groups_);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return room[a] < room[b]; });
  FollowersLast(order);
  return order;
}

void GangPlan::SortRuns() {
  std::stable_sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) {
    return a.group < b.group;
  });
  // The links between runs no longer hold, so nothing may be placed after this.
}

}  // namespace fluxnetes::matcher
