// Plans by levels of the topology, and by the number of tasks on each node: see
// Gang. Levels make a tree of parts: the nodes with one value of the outermost
// level, in these those with one value of the next, and so on. How many tasks
// each innermost part takes is found by filling it; a part takes what the parts
// in it take, in multiples of their level.
#include <algorithm>
#include <bit>
#include <stdexcept>
#include <unordered_map>

#include "matcher/gangs/gang_plan.h"

namespace fluxnetes::matcher {
namespace {

// What is missing to the next multiple.
int Lacks(int held, int tasks) {
  return held % tasks == 0 ? 0 : tasks - held % tasks;
}

}  // namespace

void GangPlan::SetLevels(const Gang& gang) {
  per_node_ = gang.per_node;
  if (per_node_.tasks < 0 || gang.required < 0 ||
      gang.required > std::ssize(gang.levels))
    throw std::invalid_argument("tasks on a node, or levels, are below 0");
  int inner = 1;
  for (const TopologyLevel& level : gang.levels) {
    if (level.tasks < 0 || (level.tasks > 0 && level.tasks % inner != 0))
      throw std::invalid_argument("a level is no multiple of the one before");
    if (level.tasks > 0) inner = level.tasks;
  }
  held_.clear();
  pinned_.clear();
  if (gang.levels.empty() && per_node_.tasks == 0) return;
  for (const NodeIndex node : gang.beside) ++held_[node];
  pinned_.insert(gang.uncounted_beside.begin(), gang.uncounted_beside.end());
}

int GangPlan::TasksOn(NodeIndex node) const {
  const auto held = held_.find(node);
  int tasks = held == held_.end() ? 0 : held->second;
  for (std::int32_t i = last_run_[node]; i >= 0; i = runs_[i].next)
    tasks += groups_[runs_[i].group].counts_tasks ? runs_[i].tasks : 0;
  return tasks;
}

bool GangPlan::IsWithin(const PlanBasis& basis, NodeIndex node) const {
  if (within_ == nullptr) return true;
  const int place = nodes_.Order(basis.order.by_id).PositionOf(node);
  const auto word = std::ranges::lower_bound(
      *within_, place / NodeOrder::kBlock, {}, &NodeMask::Word::block);
  return word != within_->end() && word->block == place / NodeOrder::kBlock &&
         (word->bits >> (place % NodeOrder::kBlock) & 1) != 0;
}

// Groups whose rules look at other tasks are placed task by task, and whether
// each node has its number is seen in the end.
bool GangPlan::FillsNodes() const {
  return per_node_.tasks > 0 && !per_node_.at_most &&
         std::ranges::all_of(groups_, &Group::alone);
}

bool GangPlan::NodesAreFull() const {
  if (per_node_.tasks == 0 || per_node_.at_most) return true;
  int lacking = 0;
  for (const auto& [node, tasks] : held_)
    lacking += Lacks(tasks, per_node_.tasks);
  const bool all = counting_ > lacking;
  std::set<NodeIndex> open;  // new nodes with fewer tasks
  for (const Run& run : runs_) {
    if (!groups_[run.group].counts_tasks) continue;
    const int tasks = TasksOn(run.node);
    if (tasks > per_node_.tasks) return false;
    const bool known = held_.contains(run.node);
    if (!known && !all) return false;
    if (!known && tasks < per_node_.tasks) open.insert(run.node);
  }
  if (!all) return true;
  for (const auto& [node, tasks] : held_)
    if (TasksOn(node) % per_node_.tasks != 0) return false;
  return open.size() <=
         ((counting_ - lacking) % per_node_.tasks == 0 ? 0U : 1U);
}

// Places so many tasks of what is left on one node, or none.
int GangPlan::PutOn(const PlanBasis& basis, std::span<const int> order,
                    NodeIndex node, int tasks) {
  const std::size_t runs = runs_.size();
  const std::size_t counted = counted_.size();
  int placed = 0;
  for (const int g : order) {
    const int most = std::min(left_[g], tasks - placed);
    const int fit = most == 0 ? 0 : Fit(basis, node, g, most);
    if (fit == 0) continue;
    AddRun(basis, node, g, fit);
    CountRun(basis, node, g, fit);
    left_[g] -= fit;
    placed += fit;
  }
  if (placed == tasks) return placed;
  for (std::size_t i = runs; i < runs_.size(); ++i)
    left_[runs_[i].group] += runs_[i].tasks;
  UndoRuns(runs, counted);
  return 0;
}

// Nodes that lack tasks get theirs first; only then others are used.
int GangPlan::FillNodes(const PlanBasis& basis, std::span<const int> order,
                        int tasks) {
  const int full = per_node_.tasks;
  int placed = 0;
  bool lacking = false;
  for (const auto& [node, held] : held_) {
    const int lacks = std::min(Lacks(held, full), tasks - placed);
    if (lacks == 0 || !IsWithin(basis, node)) continue;
    const int put = PutOn(basis, order, node, lacks);
    placed += put;
    lacking = lacking || put == 0;
  }
  if (lacking) return placed;
  std::vector<int> others(order.begin(), order.end());
  for (auto lead = others.begin(); lead != others.end(); ++lead) {
    if (left_[*lead] == 0 || placed == tasks) continue;
    const Group& asks = groups_[*lead];
    scan_.Begin(basis, asks.needs, asks.rules, within_);
    while (left_[*lead] > 0 && placed < tasks) {
      const NodeIndex node = scan_.Next();
      if (node < 0) break;
      if (TasksOn(node) == 0)
        placed += PutOn(basis, {lead, others.end()}, node,
                        std::min(full, tasks - placed));
      scan_.Pass();
    }
  }
  return placed;
}

int GangPlan::Take(const PlanBasis& basis, std::span<const int> order,
                   int tasks) {
  if (FillsNodes()) return FillNodes(basis, order, tasks);
  int placed = 0;
  for (const int g : order) {
    const int most = std::min(left_[g], tasks - placed);
    const int here = most == 0 ? 0 : PlaceGroup(basis, g, most);
    left_[g] -= here;
    placed += here;
  }
  return placed;
}

void GangPlan::LeaveAll() {
  left_.resize(groups_.size());
  for (int g = 0; g < task_groups_; ++g) left_[g] = groups_[g].asked->count;
}

std::vector<int> GangPlan::Counting(std::span<const int> order) const {
  std::vector<int> counting;
  for (const int g : order)
    if (groups_[g].counts_tasks) counting.push_back(g);
  return counting;
}

bool GangPlan::PlaceUncounted(const PlanBasis& basis) {
  if (counting_ == tasks_) return true;
  return std::ranges::all_of(given_, [&](int g) {
    return groups_[g].counts_tasks ||
           PlaceGroup(basis, g, left_[g]) == left_[g];
  });
}

bool GangPlan::PlaceFull(const PlanBasis& basis, std::span<const int> order) {
  Clear();
  LeaveAll();
  const std::size_t counted = counted_.size();
  const int placed = Take(basis, Counting(order), counting_);
  const bool all = placed == counting_ && PlaceUncounted(basis);
  TakeBack(counted);
  NoteMost(all ? tasks_ : placed);
  return all;
}

void GangPlan::NoteMost(int placed) {
  if (!keep_most_ || placed <= most_sum_) return;
  most_sum_ = placed;
  for (int g = 0; g < task_groups_; ++g) {
    most_[g] = std::min(placed, groups_[g].asked->count);
    placed -= most_[g];
  }
}

// Divides nodes by the values of a key; null: all nodes.
std::vector<GangPlan::Part> GangPlan::Divided(
    const PlanBasis& basis, KeyId key,
    const std::vector<NodeMask::Word>* among) {
  NodeLabels& labels = nodes_.labels();
  const NodeOrder& order = nodes_.Order(basis.order.by_id);
  std::vector<Part> parts;
  std::unordered_map<DomainId, std::size_t> places;
  const auto part_of = [&](DomainId domain) -> Part& {
    const auto [place, added] = places.try_emplace(domain, parts.size());
    if (added) {
      parts.emplace_back();
      parts.back().name = labels.DomainName(key, domain);
    }
    return parts[place->second];
  };
  const auto add = [&](int block, std::uint64_t bits) {
    for (; bits != 0; bits &= bits - 1) {
      const int bit = std::countr_zero(bits);
      const NodeIndex node = order.At(block * NodeOrder::kBlock + bit);
      const DomainId domain = labels.Domain(key, node);
      if (domain < 0) continue;
      Part& part = part_of(domain);
      if (part.nodes.empty() || part.nodes.back().block != block)
        part.nodes.push_back({block, 0});
      part.nodes.back().bits |= std::uint64_t{1} << bit;
      const auto held = held_.find(node);
      if (held != held_.end()) part.held += held->second;
      part.pinned =
          part.pinned || held != held_.end() || pinned_.contains(node);
    }
  };
  if (among != nullptr) {
    for (const NodeMask::Word& word : *among) add(word.block, word.bits);
  } else {
    const std::uint64_t* having =
        labels.Having(key).At(basis.order.by_id, nodes_.orders());
    for (int block = 0; having != nullptr && block < nodes_.orders().blocks();
         ++block)
      add(block, having[block]);
  }
  return parts;
}

// How many more tasks a part of this level takes of its room.
int GangPlan::Usable(const Part& part, int tasks) const {
  if (tasks == 0) return part.room;
  const int lacks = Lacks(part.held, tasks);
  if (part.room <= lacks) return part.room;
  if (counting_ < tasks && lacks == 0) return part.room;
  return lacks + (part.room - lacks) / tasks * tasks;
}

// `level`: of the part; -1: all nodes.
void GangPlan::FindRoom(const PlanBasis& basis,
                        std::span<const TopologyLevel> levels,
                        std::span<const int> order, std::size_t level,
                        Part& part) {
  if (level == 0) {
    LeaveAll();
    // Of one shape, more than are asked for shows which part is the tightest.
    const bool one = order.size() == 1;
    if (one) left_[order.front()] *= 2;
    const std::size_t runs = runs_.size();
    const std::size_t counted = counted_.size();
    within_ = &part.nodes;
    part.room = Take(basis, order, one ? 2 * counting_ : counting_);
    UndoRuns(runs, counted);
    return;
  }
  const TopologyLevel& inside = levels[level - 1];
  const KeyId key = FindKey(inside.key);
  if (key < 0) return;
  part.inside =
      Divided(basis, key, level == levels.size() ? nullptr : &part.nodes);
  if (inside.tasks == 0 &&
      std::ranges::any_of(part.inside, [](auto& each) { return each.pinned; }))
    std::erase_if(part.inside, [](auto& each) { return !each.pinned; });
  for (Part& each : part.inside) {
    FindRoom(basis, levels, order, level - 1, each);
    const int usable = Usable(each, inside.tasks);
    part.room = inside.tasks == 0 ? std::max(part.room, usable)
                                  : std::min(part.room + usable, 2 * counting_);
  }
}

// Decides how many of the tasks each part takes: those that lack some first,
// then as few parts as can be, of these the last the tightest that will do.
bool GangPlan::Share(std::vector<Part>& parts, int level, int tasks) const {
  std::ranges::sort(parts, {}, &Part::name);
  std::ranges::stable_sort(parts, std::ranges::greater(), &Part::held);
  int lacking = 0;
  for (Part& part : parts) {
    part.take = 0;
    lacking += Lacks(part.held, level);
  }
  const bool all = tasks > lacking;
  for (Part& part : parts) {
    const int lacks = std::min(Lacks(part.held, level), tasks);
    if (part.room < lacks && all) return false;
    part.take = std::min(lacks, part.room);
    tasks -= part.take;
  }
  if (!all) return tasks == 0;
  while (tasks > 0) {
    const int wanted = (tasks + level - 1) / level;
    Part* best = nullptr;
    int of_best = 0;
    for (Part& part : parts) {
      const int left = part.room - part.take;
      const int takes = tasks < level && left >= tasks ? 1 : left / level;
      if (takes == 0) continue;
      const bool better = best == nullptr ? true
                          : of_best < wanted
                              ? takes > of_best
                              : takes >= wanted && takes < of_best;
      if (!better) continue;
      best = &part;
      of_best = takes;
    }
    if (best == nullptr) return false;
    const int taken = std::min(tasks, of_best * level);
    best->take += taken;
    tasks -= taken;
  }
  return true;
}

bool GangPlan::PlaceInPart(const PlanBasis& basis,
                           std::span<const TopologyLevel> levels,
                           std::span<const int> order, std::size_t level,
                           Part& part, int tasks) {
  if (level == 0) {
    within_ = &part.nodes;
    return Take(basis, order, tasks) == tasks;
  }
  std::vector<Part>& inside = part.inside;
  if (const int number = levels[level - 1].tasks; number > 0) {
    return Share(inside, number, tasks) &&
           std::ranges::all_of(inside, [&](Part& each) {
             return each.take == 0 || PlaceInPart(basis, levels, order,
                                                  level - 1, each, each.take);
           });
  }
  // Of several levels that hold all tasks the innermost says where those go
  // that do not count.
  const bool innermost = level == 1 || levels[level - 2].tasks > 0;
  std::ranges::sort(inside, {}, &Part::name);
  std::ranges::stable_sort(inside, {}, &Part::room);
  const std::size_t runs = runs_.size();
  const std::size_t counted = counted_.size();
  const std::vector<int> left = left_;
  for (Part& each : inside) {
    if (each.room < tasks) continue;
    if (PlaceInPart(basis, levels, order, level - 1, each, tasks)) {
      within_ = &each.nodes;
      if (!innermost || PlaceUncounted(basis)) return true;
    }
    UndoRuns(runs, counted);
    left_ = left;
  }
  return false;
}

// How many values of the level take their number of tasks, inside of the part.
int GangPlan::CountFound(std::span<const TopologyLevel> levels,
                         std::size_t level, std::size_t wanted,
                         const Part& part) const {
  if (level == 0) return 0;
  const int tasks = levels[level - 1].tasks;
  int found = 0;
  for (const Part& each : part.inside) {
    const int here = level - 1 == wanted
                         ? each.room / std::max(tasks, 1)
                         : CountFound(levels, level - 1, wanted, each);
    found = tasks == 0 ? std::max(found, here) : found + here;
  }
  return found;
}

bool GangPlan::PlaceByLevels(const PlanBasis& basis,
                             std::span<const TopologyLevel> levels,
                             std::span<const int> all_groups) {
  const std::vector<int> order = Counting(all_groups);
  Clear();
  const std::size_t counted = counted_.size();
  Part all;
  FindRoom(basis, levels, order, levels.size(), all);
  within_ = nullptr;
  NoteMost(std::min(all.room, counting_));
  if (keep_most_) {
    found_.clear();
    for (std::size_t i = 0; i < levels.size(); ++i)
      found_.push_back(CountFound(levels, levels.size(), i, all));
  }
  LeaveAll();
  bool placed =
      all.room >= counting_ &&
      PlaceInPart(basis, levels, order, levels.size(), all, counting_);
  within_ = nullptr;
  if (levels.back().tasks > 0) placed = placed && PlaceUncounted(basis);
  TakeBack(counted);
  return placed && NodesAreFull();
}

bool GangPlan::PlaceByLevels(const PlanBasis& basis) {
  const std::vector<TopologyLevel>& all = gang_->levels;
  const std::size_t must = all.size() - gang_->required;
  for (std::size_t first = 0; first <= must; ++first) {
    std::vector<TopologyLevel> levels;
    bool whole = false;  // all tasks are in one value already
    for (std::size_t i = first; i < all.size(); ++i) {
      if (!whole || all[i].tasks == 0) levels.push_back(all[i]);
      whole = whole || all[i].tasks == 0;
    }
    if (levels.empty()) break;
    bool placed = PlaceByLevels(basis, levels, given_);
    if (!placed && task_groups_ > 1) {
      const std::vector<int> hardest_first = HardestFirst();
      placed = hardest_first != given_ &&
               PlaceByLevels(basis, levels, hardest_first);
    }
    // What is found is told of required levels alone.
    if (first < must) found_.clear();
    if (placed) return true;
  }
  return gang_->required == 0 && PlaceInOrders(basis);
}

}  // namespace fluxnetes::matcher
