#include "matcher/gangs/node_graph.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <stdexcept>

#include "matcher/devices/devices_text.h"
#include "matcher/gangs/node_graph_state.h"
#include "matcher/inside/parts_text.h"
#include "matcher/nodes/shortfall.h"

namespace fluxnetes::matcher {
namespace {

// The job's part of a span. A job with whole nodes is their holder, unless it
// names another.
Span SpanOf(JobId job, const Seating& seating) {
  Span span;
  span.job = job;
  span.aside = seating.aside;
  if (seating.whole_nodes)
    span.holder = seating.holder != 0 ? seating.holder : job;
  return span;
}

}  // namespace

void CheckTime(Time time) {
  if (time < 0 || time == kForever) {
    throw std::invalid_argument("a time is not 0 or more, or is without end");
  }
}

NodeGraph::NodeGraph(std::vector<std::string> resources)
    : state_(std::make_unique<State>(std::move(resources))) {}
NodeGraph::~NodeGraph() = default;
NodeGraph::NodeGraph(NodeGraph&&) noexcept = default;
NodeGraph& NodeGraph::operator=(NodeGraph&&) noexcept = default;

const std::vector<std::string>& NodeGraph::resources() const {
  return state_->resources;
}

void NodeGraph::AddResource(std::string name) {
  state_->resources.push_back(std::move(name));
  state_->nodes.AddResource();
}

void NodeGraph::State::CheckNode(NodeIndex node) const {
  if (!nodes.Known(node)) {
    throw std::invalid_argument("no node has index " + std::to_string(node));
  }
}

NodeIndex NodeGraph::AddNode(std::string name, std::int64_t id,
                             std::span<const std::int64_t> totals) {
  const NodeIndex node = state_->nodes.Add(std::move(name), id, totals);
  state_->devices.SetNode(node, state_->nodes.Name(node));
  return node;
}

void NodeGraph::RemoveNode(NodeIndex node) {
  state_->CheckNode(node);
  state_->interior.Unset(node);
  state_->interior.ForgetGiven(node);
  state_->interior.SetKubelet(node, TasksOfKubelet::kAny);
  state_->devices.RemoveNode(node);
  if (state_->nodes.Present(node)) state_->nodes.Remove(node);
}

void NodeGraph::SetTotals(NodeIndex node,
                          std::span<const std::int64_t> totals) {
  state_->CheckNode(node);
  state_->nodes.SetTotals(node, totals);
}

void NodeGraph::SetOpen(NodeIndex node, bool open) {
  state_->CheckNode(node);
  state_->nodes.SetOpen(node, open);
}

void NodeGraph::SetClass(NodeIndex node, std::int64_t performance_class) {
  state_->CheckNode(node);
  if (performance_class < 0 || performance_class > kWorstClass)
    throw std::invalid_argument("a performance class is not 0 to 9999");
  state_->nodes.SetClass(node, performance_class);
}

void NodeGraph::SetUnit(int resource, std::int64_t unit) {
  if (resource < 0 || resource >= state_->nodes.Amounts() || unit < 0)
    throw std::invalid_argument("a unit is negative, or of no resource");
  state_->nodes.SetUnit(resource, unit);
}

void NodeGraph::SetUnmanaged(NodeIndex node,
                             std::span<const std::int64_t> amounts,
                             std::span<const RulesId> tasks, int occupants) {
  state_->CheckNode(node);
  state_->CheckRules(tasks);
  if (occupants < 0) throw std::invalid_argument("occupants are below 0");
  state_->nodes.SetUnmanaged(node, amounts);
  state_->nodes.SetOccupants(node, occupants);
  state_->nodes.book().SetUnmanaged(node, tasks);
}

void NodeGraph::SetLabels(NodeIndex node, const Labels& labels,
                          const std::vector<Taint>& taints) {
  state_->CheckNode(node);
  if (!state_->nodes.Present(node)) return;
  state_->nodes.SetLabels(node, labels, taints);
  state_->devices.SetNode(node, state_->nodes.Name(node));
}

void NodeGraph::State::CheckRules(std::span<const RulesId> rules) const {
  for (const RulesId each : rules) {
    if (each != kNoRules && !nodes.book().Known(each)) {
      throw std::invalid_argument("rules were not taken");
    }
  }
}

RulesId NodeGraph::TakeRules(const TaskRules& rules) {
  return state_->nodes.book().Take(rules);
}

void NodeGraph::GiveRules(RulesId rules) {
  if (!state_->nodes.book().Known(rules)) {
    throw std::invalid_argument("rules were not taken");
  }
  state_->nodes.book().Give(rules);
}

bool NodeGraph::Allows(RulesId rules, NodeIndex node) const {
  state_->CheckNode(node);
  state_->CheckRules({&rules, 1});
  if (rules == kNoRules) return true;
  TaskBook& book = state_->nodes.book();
  return book.shapes()[book[rules].shape].allowed.Contains(node);
}

bool NodeGraph::LooksAtTasks(RulesId rules) const {
  state_->CheckRules({&rules, 1});
  return rules != kNoRules && !state_->nodes.book()[rules].Alone();
}

std::uint64_t NodeGraph::AffinityVersion(RulesId rules) const {
  state_->CheckRules({&rules, 1});
  if (rules == kNoRules) return 0;
  TaskBook& book = state_->nodes.book();
  const BookedRules& booked = book[rules];
  std::uint64_t sum = 0;
  for (const auto* trackers : {&booked.blocked_by, &booked.needs}) {
    for (const TrackerId id : *trackers) {
      sum += book.At(id).At(Stage::kNow).changes() +
             book.At(id).At(Stage::kEver).changes();
    }
  }
  for (const SpreadId id : booked.spreads) {
    sum += book.SpreadAt(id).At(Stage::kNow).lifts();
  }
  return sum;
}

std::uint64_t NodeGraph::AffinityArrivals(RulesId rules) const {
  state_->CheckRules({&rules, 1});
  if (rules == kNoRules) return 0;
  TaskBook& book = state_->nodes.book();
  const BookedRules& booked = book[rules];
  std::uint64_t sum = 0;
  for (const TrackerId id : booked.needs)
    sum += book.At(id).At(Stage::kNow).arrivals();
  for (const SpreadId id : booked.spreads)
    sum += book.SpreadAt(id).At(Stage::kNow).arrivals();
  return sum;
}

std::optional<NodeIndex> NodeGraph::Find(std::string_view name) const {
  return state_->nodes.Find(name);
}

const std::string& NodeGraph::Name(NodeIndex node) const {
  state_->CheckNode(node);
  return state_->nodes.Name(node);
}

PlanBasis NodeGraph::State::BasisNow(Time duration, Policy policy) {
  nodes.Refresh();
  const View view = duration == kForever ? View::kEver : View::kNow;
  PlanBasis basis;
  basis.columns = &nodes.At(view);
  basis.order = PolicyOrder(policy);
  basis.own = plan.own() != nullptr;
  basis.limits = basis.own ? nullptr : &nodes.limits();
  basis.view = view;
  basis.blocking = view == View::kNow ? Stage::kNow : Stage::kEver;
  basis.over_time = view == View::kNow;
  basis.from = nodes.now();
  basis.end = EndOf(nodes.now(), duration);
  return basis;
}

PlanBasis NodeGraph::State::BasisEmpty(Policy policy) {
  nodes.Refresh();
  PlanBasis basis;
  basis.columns = &nodes.At(View::kEmpty);
  basis.order = PolicyOrder(policy);
  basis.limits = &nodes.limits();
  basis.view = View::kEmpty;
  basis.present = basis.blocking = Stage::kEmpty;
  return basis;
}

const Gang& NodeGraph::State::Seated(const Gang& gang, Policy policy) {
  if (!policy.node_exclusive || gang.whole_nodes || gang.aside) return gang;
  seated = gang;
  seated.whole_nodes = true;
  return seated;
}

bool NodeGraph::State::PlaceNow(JobId job, const Gang& gang, Policy policy,
                                Time now) {
  CheckTime(now);
  nodes.ComeTo(now);
  plan.SetGang(Seated(gang, policy), job);
  return plan.Place(BasisNow(gang.duration, policy));
}

void NodeGraph::State::HoldRun(const Span& run,
                               std::span<const std::int64_t> amounts,
                               Job& job) {
  const SpanId span = nodes.Hold(run, amounts);
  job.tasks.insert(job.tasks.end(), run.tasks, span);
  job.live += run.tasks;
}

Placement NodeGraph::State::Book(JobId id, Time start, Time duration) {
  Placement placement{start, {}};
  if (plan.tasks() == 0) return placement;
  Job& job = jobs[id];
  const int first = static_cast<int>(job.tasks.size());
  placement.nodes.reserve(plan.tasks());
  job.tasks.reserve(job.tasks.size() + plan.tasks());
  Span span = SpanOf(id, plan.seating());
  span.start = start;
  span.end = EndOf(start, duration);
  for (const Run& run : plan.runs()) {
    if (plan.pool(run.group) >= 0) {
      const TaskGroup& need = plan.group(run.group);
      HoldPool({run.node, need.amounts.back()}, span, job);
      continue;
    }
    span.node = run.node;
    span.tasks = run.tasks;
    span.rules = plan.group(run.group).rules;
    HoldRun(span, plan.group(run.group).amounts, job);
    placement.nodes.insert(placement.nodes.end(), run.tasks, run.node);
  }
  if (plan.LooksInside() || plan.LooksAtDevices())
    BookInside(id, first, placement, span.end);
  return placement;
}

MatchResult NodeGraph::Allocate(JobId job, const Gang& gang, Policy policy,
                                Time now) {
  State& state = *state_;
  if (state.PlaceNow(job, gang, policy, now)) {
    return state.Book(job, now, gang.duration);
  }
  const bool ever = state.plan.Place(state.BasisEmpty(policy));
  return ever ? NoFit::kNow : NoFit::kNever;
}

std::optional<Placement> NodeGraph::TryAllocate(JobId job, const Gang& gang,
                                                Policy policy, Time now) {
  State& state = *state_;
  if (!state.PlaceNow(job, gang, policy, now)) return std::nullopt;
  return state.Book(job, now, gang.duration);
}

std::optional<Time> NodeGraph::State::FindEarliest(Time duration, Time before,
                                                   Policy policy) {
  return earliest.Find(duration, before, PolicyOrder(policy));
}

MatchResult NodeGraph::AllocateOrReserve(JobId job, const Gang& gang,
                                         Policy policy, Time now, Time before,
                                         Shortfall* shortfall) {
  State& state = *state_;
  if (shortfall != nullptr) shortfall->Clear();
  if (state.PlaceNow(job, gang, policy, now)) {
    return state.Book(job, now, gang.duration);
  }
  // A start shows that a plain gang fits on empty nodes, too; so this is
  // checked only if there is none.
  const bool plain = state.plan.IsPlain();
  if (!plain && !state.plan.Place(state.BasisEmpty(policy)))
    return NoFit::kNever;
  const auto start = state.plan.IsKept()
                         ? std::nullopt
                         : state.FindEarliest(gang.duration, before, policy);
  if (shortfall != nullptr) *shortfall = state.earliest.shortfall().Short();
  if (start) return state.Book(job, *start, gang.duration);
  return !plain || state.plan.Place(state.BasisEmpty(policy)) ? NoFit::kNoTime
                                                              : NoFit::kNever;
}

std::optional<Placement> NodeGraph::MoveEarlier(JobId job, const Gang& gang,
                                                const Placement& own,
                                                Policy policy, Time now,
                                                Shortfall& shortfall) {
  CheckTime(now);
  State& state = *state_;
  state.nodes.ComeTo(now);
  state.nodes.Refresh();
  const Gang& asked = state.Seated(gang, policy);
  state.plan.SetGang(asked, job);
  state.leaving.Set(asked, own, state.nodes, job);
  const auto start = state.earliest.FindEarlier(
      state.leaving, own.start, gang.duration, PolicyOrder(policy));
  shortfall = state.earliest.shortfall().Short();
  if (!start) return std::nullopt;
  if (*start == now) return Placement{now, {}};
  Cancel(job);
  return state.Book(job, *start, gang.duration);
}

bool NodeGraph::Satisfiable(const Gang& gang, Policy policy) const {
  state_->plan.SetGang(state_->Seated(gang, policy));
  return state_->plan.Place(state_->BasisEmpty(policy));
}

int NodeGraph::CountFits(const TaskGroup& group, Time duration, Time now,
                         int limit, const Seating& seating) const {
  CheckTime(now);
  state_->nodes.ComeTo(now);
  state_->plan.SetGroup(group, seating);
  return state_->plan.Count(state_->BasisNow(duration, Policy::kLonode), limit);
}

void NodeGraph::Restore(JobId id, Time start, Time end,
                        std::span<const NodeIndex> nodes,
                        std::span<const std::vector<std::int64_t>> amounts,
                        std::span<const RulesId> rules, const Seating& seating,
                        std::span<const std::string> parts,
                        std::span<const PoolNeed> pools,
                        std::span<const ShapeId> insides,
                        std::span<const std::string> devices) {
  if (start == kForever) throw std::invalid_argument("start is without end");
  if (nodes.size() != amounts.size())
    throw std::invalid_argument("not as many amounts as nodes");
  if (!rules.empty() && rules.size() != nodes.size())
    throw std::invalid_argument("not as many rules as nodes");
  if (!parts.empty() && parts.size() != nodes.size())
    throw std::invalid_argument("not as many parts as nodes");
  if (!insides.empty() && insides.size() != parts.size())
    throw std::invalid_argument("not as many insides as parts");
  if (!devices.empty() && devices.size() != nodes.size())
    throw std::invalid_argument("not as many devices as nodes");
  state_->CheckRules(rules);
  state_->CheckPools(pools);
  for (const std::string& text : parts) ReadParts(text, nullptr);
  for (const std::string& text : devices) ReadDevices(text);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    state_->CheckNode(nodes[i]);
    const bool fit =
        amounts[i].size() <= state_->resources.size() &&
        std::all_of(amounts[i].begin(), amounts[i].end(),
                    [](auto a) { return a >= 0 && a <= kMaxAmount; });
    if (!fit) throw std::invalid_argument("amounts do not suit the graph");
  }
  if (seating.whole_nodes && seating.aside)
    throw std::invalid_argument("a gang aside has no whole nodes");
  if (nodes.empty() && pools.empty()) return;
  if (seating.whole_nodes) state_->nodes.CountSeats();
  State::Job& job = state_->jobs[id];
  const int first = static_cast<int>(job.tasks.size());
  Span span = SpanOf(id, seating);
  span.start = start;
  span.end = std::max(end, start + 1);
  const auto rules_of = [&](std::size_t i) {
    return rules.empty() ? kNoRules : rules[i];
  };
  for (std::size_t i = 0, next = 0; i < nodes.size(); i = next) {
    for (next = i + 1; next < nodes.size() && nodes[next] == nodes[i] &&
                       amounts[next] == amounts[i] &&
                       rules_of(next) == rules_of(i);) {
      ++next;
    }
    span.node = nodes[i];
    span.tasks = static_cast<int>(next - i);
    span.rules = rules_of(i);
    state_->HoldRun(span, amounts[i], job);
  }
  for (const PoolNeed& need : pools) state_->HoldPool(need, span, job);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) continue;
    const bool known = !insides.empty() && insides[i] != kNoShape;
    state_->interior.Restore(
        id, first + static_cast<int>(i), nodes[i], parts[i], start, end,
        known ? state_->interior.DemandOf(insides[i]) : KubeletDemand{});
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (!devices[i].empty())
      state_->devices.Restore(id, first + static_cast<int>(i), nodes[i],
                              devices[i], start, end);
  }
}

bool NodeGraph::Release(JobId id, int task) {
  const auto found = state_->jobs.find(id);
  if (found == state_->jobs.end()) return false;
  State::Job& job = found->second;
  if (task < 0 || task >= static_cast<int>(job.tasks.size()) ||
      job.tasks[task] < 0) {
    return false;
  }
  state_->nodes.Release(job.tasks[task], 1);
  state_->interior.Release(id, task);
  state_->devices.Release(id, task);
  job.tasks[task] = -1;
  if (--job.live == 0) {
    state_->ReleasePools(job);
    state_->jobs.erase(found);
  }
  return true;
}

bool NodeGraph::Cancel(JobId id) {
  const auto found = state_->jobs.find(id);
  if (found == state_->jobs.end()) return false;
  for (const SpanId span : found->second.tasks) {
    if (span >= 0) state_->nodes.Release(span, 1);
  }
  state_->ReleasePools(found->second);
  state_->interior.Cancel(id);
  state_->devices.Cancel(id);
  state_->jobs.erase(found);
  return true;
}

std::uint64_t NodeGraph::Releases() const { return state_->nodes.releases(); }

std::vector<std::int64_t> NodeGraph::Free(NodeIndex node, Time now) const {
  state_->CheckNode(node);
  CheckTime(now);
  state_->nodes.ComeTo(now);
  std::vector<std::int64_t> free(state_->resources.size());
  for (int r = 0; r < state_->nodes.Amounts(); ++r) {
    free[r] = state_->nodes.FreeNow(node, r);
  }
  return free;
}

}  // namespace fluxnetes::matcher
