// Pools of the whole cluster: see node_graph.h.
#include <algorithm>
#include <stdexcept>

#include "matcher/gangs/gang_plan.h"
#include "matcher/gangs/node_graph.h"
#include "matcher/gangs/node_graph_state.h"

namespace fluxnetes::matcher {
namespace {

std::vector<std::int64_t> OfResource(int resource, std::int64_t amount) {
  std::vector<std::int64_t> amounts(resource + 1);
  amounts.back() = amount;
  return amounts;
}

}  // namespace

void GangPlan::SetPools(const Gang& gang) {
  pools_.clear();
  pools_.reserve(gang.pools.size());
  for (const PoolNeed& need : gang.pools) {
    if (!nodes_.Known(need.pool) || !nodes_.IsPool(need.pool))
      throw std::invalid_argument("what a gang needs is no pool");
    if (need.amount < 1 || need.amount > kMaxAmount)
      throw std::invalid_argument("an amount of a pool is not 1 to 2^62");
    Group& group = groups_[task_groups_ + pools_.size()];
    pools_.push_back({OfResource(nodes_.PoolResource(need.pool), need.amount)});
    group.asked = &pools_.back();
    group.pool = need.pool;
    group.counts_tasks = true;
  }
}

bool GangPlan::IsKept() const {
  return gang_ != nullptr && std::ranges::any_of(gang_->pools, &PoolNeed::kept);
}

bool GangPlan::PoolsFit(const PlanBasis& basis) {
  if (task_groups_ == groups()) return true;
  if (IsKept()) return false;
  Clear();
  for (int g = task_groups_; g < groups(); ++g)
    if (Fit(basis, groups_[g].pool, g, 1) == 0) return false;
  return true;
}

void GangPlan::TakePools() {
  for (int g = task_groups_; g < groups(); ++g)
    AddRun(groups_[g].pool, g, 1, {});
}

NodeIndex NodeGraph::AddPool(const std::string& name, std::int64_t total) {
  AddResource(name);
  const int resource = state_->nodes.Amounts() - 1;
  SetUnit(resource, 0);
  const NodeIndex pool = AddNode(name, 0, OfResource(resource, total));
  state_->nodes.MakePool(pool, resource);
  return pool;
}

void NodeGraph::SetPool(NodeIndex pool, std::int64_t total) {
  SetTotals(pool, OfResource(ResourceOfPool(pool), total));
}

int NodeGraph::ResourceOfPool(NodeIndex pool) const {
  state_->CheckNode(pool);
  return state_->nodes.PoolResource(pool);
}

void NodeGraph::State::CheckPools(std::span<const PoolNeed> pools) const {
  for (const PoolNeed& need : pools) {
    CheckNode(need.pool);
    if (!nodes.IsPool(need.pool) || need.amount < 1 || need.amount > kMaxAmount)
      throw std::invalid_argument("what a job holds is no amount of a pool");
  }
}

// `span`: of the job's tasks.
void NodeGraph::State::HoldPool(const PoolNeed& need, Span span, Job& job) {
  span.node = need.pool;
  span.tasks = 1;
  span.rules = kNoRules;
  span.aside = true;  // jobs share a pool, whatever they do with nodes
  span.holder = 0;
  job.pools.push_back(
      nodes.Hold(span, OfResource(nodes.PoolResource(need.pool), need.amount)));
}

void NodeGraph::State::ReleasePools(Job& job) {
  for (const SpanId span : job.pools) nodes.Release(span, 1);
  job.pools.clear();
}

bool NodeGraph::State::HasPools(Time start, Time end,
                                std::span<const PoolNeed> pools) {
  std::vector<std::int64_t> least(nodes.resources());
  return std::ranges::all_of(pools, [&](const PoolNeed& need) {
    if (need.kept || !nodes.TakesTasks(need.pool)) return false;
    nodes.Profile(need.pool).Least(start, end, least);
    return need.amount <= least[nodes.PoolResource(need.pool)];
  });
}

}  // namespace fluxnetes::matcher
