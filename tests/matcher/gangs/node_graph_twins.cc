#include "tests/matcher/gangs/node_graph_twins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace fluxnetes::matcher {
namespace {

long Setting(const char* name, long otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atol(value);
}

void Compare(const MatchResult& fast, const MatchResult& plain) {
  ASSERT_EQ(fast.index(), plain.index());
  if (const auto* no_fit = std::get_if<NoFit>(&fast)) {
    ASSERT_EQ(*no_fit, std::get<NoFit>(plain));
    return;
  }
  ASSERT_EQ(std::get<0>(fast).start, std::get<0>(plain).start);
  ASSERT_EQ(std::get<0>(fast).nodes, std::get<0>(plain).nodes);
}

}  // namespace

NodeIndex NodeGraphTwins::PickNode() {
  return Pick(0, static_cast<int>(plain_.nodes().size()) - 1);
}

Seating NodeGraphTwins::PickSeating() {
  if (!whole_nodes_) return {};
  const bool whole = Chance(35);
  return {whole, Chance(30) ? Pick(1, 3) : 0, !whole && Chance(15)};
}

void NodeGraphTwins::PickSeating(Gang& gang) {
  const Seating seating = PickSeating();
  gang.whole_nodes = seating.whole_nodes;
  gang.holder = seating.holder;
  gang.aside = seating.aside;
}

JobId NodeGraphTwins::PickJob() {
  if (plain_.tasks().empty() || Chance(5)) return Pick(1, 9);
  return plain_.tasks()[Pick(0, static_cast<int>(plain_.tasks().size()) - 1)]
      .job;
}

const NodeSet* NodeGraphTwins::PickSet(int nodes, int percent) {
  sets_.push_back(std::make_unique<NodeSet>());
  for (NodeIndex n = 0; n < nodes; ++n) {
    if (Chance(percent)) sets_.back()->Insert(n);
  }
  return sets_.back().get();
}

void NodeGraphTwins::PassTime() {
  if (Chance(40)) now_ += Pick(0, 6);
  if (Chance(2)) now_ = std::max<Time>(0, now_ - Pick(0, 20));
}

NodeIndex NodeGraphTwins::AddNode(int id,
                                  const std::vector<std::int64_t>& totals) {
  const std::string name = "n" + std::to_string(next_name_++);
  const NodeIndex node = fast_.AddNode(name, id, totals);
  if (node == static_cast<NodeIndex>(plain_.nodes().size())) {
    plain_.nodes().emplace_back();
    plain_.labelled().emplace_back();
  }
  EXPECT_FALSE(plain_.Holds(node));
  plain_.nodes().at(node) = {
      id, true, true, totals, std::vector<std::int64_t>(kResources), {}};
  plain_.labelled().at(node) = {name, true, {}, {}};
  return node;
}

void NodeGraphTwins::ToggleOpen(NodeIndex node) {
  bool& open = plain_.nodes()[node].open;
  open = !open;
  fast_.SetOpen(node, open);
}

void NodeGraphTwins::SetTotals(NodeIndex node,
                               const std::vector<std::int64_t>& totals) {
  plain_.nodes()[node].totals = totals;
  fast_.SetTotals(node, totals);
}

void NodeGraphTwins::SetUnmanaged(NodeIndex node,
                                  const std::vector<std::int64_t>& amounts,
                                  const std::vector<RulesId>& tasks,
                                  int occupants) {
  plain_.nodes()[node].occupants = occupants;
  plain_.nodes()[node].unmanaged = amounts;
  plain_.nodes()[node].unmanaged_tasks = tasks;
  fast_.SetUnmanaged(node, amounts, tasks, occupants);
}

void NodeGraphTwins::SetClass(NodeIndex node, std::int64_t performance_class) {
  plain_.nodes()[node].performance_class = performance_class;
  fast_.SetClass(node, performance_class);
}

Policy NodeGraphTwins::PickPolicy() {
  static constexpr Policy kPolicies[] = {Policy::kFirst,    Policy::kFirstnodex,
                                         Policy::kLow,      Policy::kHigh,
                                         Policy::kLonode,   Policy::kHinode,
                                         Policy::kLonodex,  Policy::kHinodex,
                                         Policy::kLocality, Policy::kVariation};
  Policy policy = kPolicies[Pick(0, std::size(kPolicies) - 1)];
  policy.node_exclusive = policy.node_exclusive && whole_nodes_;
  return policy;
}

void NodeGraphTwins::RemoveNode(NodeIndex node) {
  auto& plain = plain_.nodes()[node];
  plain.present = false;
  plain.unmanaged.assign(kResources, 0);
  plain.unmanaged_tasks.clear();
  plain.occupants = 0;
  plain_.labelled()[node] = {"", false, {}, {}};
  fast_.RemoveNode(node);
}

void NodeGraphTwins::Ask(bool reserve) {
  const Gang gang = PickGang();
  const auto policy = PickPolicy();
  const bool known = Chance(10);
  const JobId job = known ? PickJob() : next_job_++;
  EXPECT_EQ(fast_.Satisfiable(gang, policy), plain_.Satisfiable(gang, policy));
  if (reserve && !known && Chance(30)) {
    ReserveBefore(job, gang, policy, now_ + Pick(0, 12));
  } else if (reserve) {
    Compare(fast_.AllocateOrReserve(job, gang, policy, now_),
            plain_.AllocateOrReserve(job, gang, policy, now_));
  } else if (Chance(50)) {
    Compare(fast_.Allocate(job, gang, policy, now_),
            plain_.Allocate(job, gang, policy, now_));
  } else {
    const auto placed = fast_.TryAllocate(job, gang, policy, now_);
    const MatchResult plain = plain_.Allocate(job, gang, policy, now_);
    ASSERT_EQ(placed.has_value(), std::holds_alternative<Placement>(plain));
    if (placed) Compare(*placed, plain);
  }
}

void NodeGraphTwins::ReserveBefore(JobId job, const Gang& gang, Policy policy,
                                   Time before) {
  const MatchResult fast =
      fast_.AllocateOrReserve(job, gang, policy, now_, before);
  MatchResult plain = plain_.AllocateOrReserve(job, gang, policy, now_);
  const auto* placed = std::get_if<Placement>(&plain);
  if (placed != nullptr && placed->start > now_ && placed->start >= before) {
    plain_.Cancel(job);
    plain = NoFit::kNoTime;
  }
  Compare(fast, plain);
}

void NodeGraphTwins::Release() {
  const JobId job = PickJob();
  const int task = Pick(0, 6);
  ASSERT_EQ(fast_.Release(job, task), plain_.Release(job, task));
}

void NodeGraphTwins::Cancel() {
  const JobId job = PickJob();
  ASSERT_EQ(fast_.Cancel(job), plain_.Cancel(job));
}

void NodeGraphTwins::Restore() {
  const NodeIndex node = PickNode();
  if (!plain_.nodes()[node].present) return;
  const Time start = now_ + Pick(-10, 10);
  const Time end = start + Pick(1, 15);
  const TaskGroup booked = PickBooked();
  const std::vector<NodeIndex> nodes = {node, node};
  const std::vector<std::vector<std::int64_t>> amounts(2, booked.amounts);
  std::vector<RulesId> rules;
  if (booked.rules != kNoRules) rules.assign(2, booked.rules);
  const Seating seating = PickSeating();
  fast_.Restore(next_job_, start, end, nodes, amounts, rules, seating);
  plain_.Restore(next_job_, start, end, node, amounts, booked.rules, seating);
  ++next_job_;
}

void NodeGraphTwins::Count(int most) {
  const Gang gang = PickGang();
  const int limit = Pick(1, most);
  const Seating seating = SeatingOf(gang);
  EXPECT_EQ(
      fast_.CountFits(gang.groups[0], gang.duration, now_, limit, seating),
      plain_.CountFits(gang.groups[0], gang.duration, now_, limit, seating));
}

void NodeGraphTwins::CancelRestores() {
  const std::string before = Describe();
  const JobId job = next_job_++;
  fast_.AllocateOrReserve(job, PickGang(), Policy::kLonode, now_);
  fast_.Cancel(job);
  ASSERT_EQ(Describe(), before);
}

RulesId NodeGraphTwins::Rebuilt::Take(PlainNodeGraph& plain, RulesId id) {
  if (!ids.contains(id)) ids[id] = graph.TakeRules(plain.rules().at(id));
  return ids.at(id);
}

NodeGraphTwins::Rebuilt NodeGraphTwins::Rebuild() {
  Rebuilt rebuilt{NodeGraph(fast_.resources())};
  NodeGraph& graph = rebuilt.graph;
  std::map<NodeIndex, NodeIndex> index;
  const auto& nodes = plain_.nodes();
  for (NodeIndex n = 0; n < static_cast<int>(nodes.size()); ++n) {
    if (!nodes[n].present && !plain_.Holds(n)) continue;
    index[n] = graph.AddNode(fast_.Name(n), nodes[n].id, nodes[n].totals);
    graph.SetLabels(index[n], plain_.labelled()[n].labels,
                    plain_.labelled()[n].taints);
    std::vector<RulesId> unmanaged;
    for (const RulesId id : nodes[n].unmanaged_tasks) {
      unmanaged.push_back(rebuilt.Take(plain_, id));
    }
    graph.SetUnmanaged(index[n], nodes[n].unmanaged, unmanaged,
                       nodes[n].occupants);
    graph.SetOpen(index[n], nodes[n].open);
  }
  for (const auto& task : plain_.tasks()) {
    const std::vector<NodeIndex> on = {index.at(task.node)};
    const std::vector<std::vector<std::int64_t>> amounts = {task.amounts};
    const std::vector<RulesId> rules = {rebuilt.Take(plain_, task.rules)};
    graph.Restore(task.job, task.start, task.end, on, amounts, rules,
                  task.seating);
  }
  for (const auto& [n, there] : index) {
    if (!nodes[n].present) graph.RemoveNode(there);
  }
  return rebuilt;
}

void RunTwins(
    long steps, int steps_each,
    const std::function<std::unique_ptr<NodeGraphTwins>(std::uint64_t)>& make) {
  steps = Setting("FLUXNETES_STEPS", steps);
  long seed = Setting("FLUXNETES_TEST_SEED", 1);
  for (long done = 0; done < steps; done += steps_each, ++seed) {
    SCOPED_TRACE("FLUXNETES_TEST_SEED=" + std::to_string(seed));
    const auto twins = make(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < steps_each; ++i) {
      twins->Step();
      if (::testing::Test::HasFailure()) {
        FAIL() << "step " << i << "\n" << twins->fast().Describe();
      }
    }
  }
}

}  // namespace fluxnetes::matcher
