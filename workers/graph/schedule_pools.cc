// Pools of the whole cluster in the graph: see schedule_graph.h.
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "workers/graph/schedule_graph.h"

namespace fluxnetes::workers {
namespace {

// Jobs of groups, reservations and maintenance have other numbers.
matcher::JobId ElsewhereJob(std::int64_t group) {
  return std::numeric_limits<matcher::JobId>::min() / 4 + group;
}

}  // namespace

matcher::NodeIndex ScheduleGraph::AddPool(const std::string& name) {
  pool_indices_.push_back(graph_.AddPool(kPoolPrefix + name, 0));
  return pool_indices_.back();
}

ScheduleGraph::GraphPool& ScheduleGraph::PoolInGraph(const std::string& name) {
  GraphPool& pool = pools_[name];
  if (pool.index >= 0) return pool;
  pool.pool.name = name;
  pool.index = AddPool(name);
  return pool;
}

const Pool* ScheduleGraph::FindPool(const std::string& name) const {
  const auto found = pools_.find(name);
  return found == pools_.end() || !found->second.known ? nullptr
                                                       : &found->second.pool;
}

std::int64_t ScheduleGraph::FreeOf(const std::string& pool,
                                   matcher::Time now) const {
  const matcher::NodeIndex index = pools_.at(pool).index;
  return graph_.Free(index, now).at(graph_.ResourceOfPool(index));
}

std::vector<matcher::PoolNeed> ScheduleGraph::NeedsOf(
    const cluster::PoolAmounts& pools) {
  std::vector<matcher::PoolNeed> needs;
  for (const auto& [name, amount] : pools) {
    if (FindPool(name) == nullptr) {
      if (no_pool_ < 0) no_pool_ = AddPool("");
      return {{no_pool_, 1}};
    }
    needs.push_back({pools_.at(name).index, amount});
  }
  return needs;
}

std::vector<matcher::PoolNeed> ScheduleGraph::HeldOf(
    const cluster::PoolAmounts& pools) {
  std::vector<matcher::PoolNeed> held;
  for (const auto& [name, amount] : pools)
    held.push_back({PoolInGraph(name).index, amount});
  return held;
}

void ScheduleGraph::NotePool(const GraphPool& pool) {
  capacity_.reset();
  evictions_.NoteChange();
  Grow(pool.index);
  changes_.changed.push_back(pool.index);
  changes_.capacity = true;
}

bool ScheduleGraph::SetPools(const std::vector<Pool>& pools) {
  bool others = false;
  std::set<std::string> names;
  const auto set = [&](GraphPool& known, std::int64_t total, bool exists) {
    others = others || known.known != exists;
    if (known.known == exists && known.pool.total == total) return;
    known.known = exists;
    known.pool.total = total;
    graph_.SetPool(known.index, total);
    NotePool(known);
  };
  for (const Pool& pool : pools) {
    names.insert(pool.name);
    set(PoolInGraph(pool.name), pool.total, true);
  }
  for (auto& [name, known] : pools_)
    if (!names.contains(name)) set(known, 0, false);
  return others;
}

void ScheduleGraph::Book(const PoolHold& hold) {
  graph_.Restore(ElsewhereJob(hold.group), hold.start,
                 hold.end.value_or(matcher::kForever), {}, {}, {}, {}, {},
                 HeldOf(hold.pools));
}

void ScheduleGraph::SetPoolsElsewhere(std::vector<PoolHold> holds) {
  std::ranges::sort(holds);
  std::vector<PoolHold> gone, come;
  std::ranges::set_difference(pools_elsewhere_, holds,
                              std::back_inserter(gone));
  std::ranges::set_difference(holds, pools_elsewhere_,
                              std::back_inserter(come));
  for (const PoolHold& hold : gone) graph_.Cancel(ElsewhereJob(hold.group));
  for (const PoolHold& hold : come) Book(hold);
  for (const auto* changed : {&gone, &come}) {
    for (const PoolHold& hold : *changed) {
      for (const auto& [name, amount] : hold.pools) {
        evictions_.NoteChange();
        Grow(PoolInGraph(name).index);
        changes_.changed.push_back(PoolInGraph(name).index);
      }
    }
  }
  pools_elsewhere_ = std::move(holds);
}

void ScheduleGraph::HidePoolsElsewhere() {
  for (const PoolHold& hold : pools_elsewhere_)
    graph_.Cancel(ElsewhereJob(hold.group));
}

void ScheduleGraph::ShowPoolsElsewhere() {
  for (const PoolHold& hold : pools_elsewhere_) Book(hold);
}

void ScheduleGraph::LeavePools(const Held& held, matcher::Time until) {
  for (const matcher::PoolNeed& need : HeldOf(held.pools)) {
    const std::size_t resources = graph_.resources().size();
    if (changes_.more.size() == changes_.grown.size() * resources) {
      changes_.more.resize((changes_.grown.size() + 1) * resources);
      changes_.more[changes_.grown.size() * resources +
                    graph_.ResourceOfPool(need.pool)] = need.amount;
    }
    Grow(need.pool, until);
  }
}

}  // namespace fluxnetes::workers
