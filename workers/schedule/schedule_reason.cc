#include "workers/schedule/schedule_reason.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cluster/text/resource_words.h"
#include "matcher/inside/node_interior.h"
#include "matcher/node_devices/node_devices.h"
#include "workers/labels/inside_labels.h"
#include "workers/pods/topology_labels.h"
#include "workers/schedule/wait_explanation.h"

namespace fluxnetes::workers {
namespace {

// Numbers in reasons are looked at again after so many seconds.
constexpr matcher::Time kExplainAgain = 60;

using matcher::NodeIndex;
using Nodes = std::vector<NodeIndex>;

template <typename Keep>
Nodes Those(const Nodes& nodes, const Keep& keep) {
  Nodes kept;
  std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(kept), keep);
  return kept;
}

// Nothing: each pool has as much in all as is needed of it.
std::optional<std::string> WhyNotInPools(const ScheduleGraph& graph,
                                         const PendingLine& line) {
  for (const auto& [name, amount] : PoolsOf(line)) {
    const Pool* pool = graph.FindPool(name);
    if (pool == nullptr)
      return fmt::format(
          "there is no pool {} (fluxnetes pool set {} --total N)", name, name);
    if (pool->total < amount)
      return fmt::format("pool {} has {} in all", name, pool->total);
  }
  return std::nullopt;
}

// Which pool has too little free now, if one has: by its number.
std::optional<int> LackingPool(const ScheduleGraph& graph,
                               const PendingLine& line, matcher::Time now) {
  int number = 0;
  for (const auto& [name, amount] : PoolsOf(line)) {
    if (graph.FindPool(name) != nullptr && graph.FreeOf(name, now) < amount)
      return number;
    ++number;
  }
  return std::nullopt;
}

// "2 of 10 of pool matlab are free", of all pools that have too little.
std::string FreeOfPools(const ScheduleGraph& graph, const PendingLine& line,
                        matcher::Time now) {
  std::string text;
  for (const auto& [name, amount] : PoolsOf(line)) {
    const Pool* pool = graph.FindPool(name);
    if (pool == nullptr) continue;
    const std::int64_t free =
        std::max<std::int64_t>(graph.FreeOf(name, now), 0);
    if (free >= amount) continue;
    text += fmt::format("{}{} of {} of pool {} {} free, it needs {}",
                        text.empty() ? "" : "; ", free, pool->total, name,
                        free == 1 ? "is" : "are", amount);
  }
  return text;
}

// Nothing: some node would hold one of them.
std::optional<std::string> WhyTooBig(const ScheduleGraph& graph,
                                     const Nodes& nodes,
                                     const matcher::TaskGroup& task) {
  for (std::size_t r = 0; r < task.amounts.size(); ++r) {
    if (task.amounts[r] == 0) continue;
    std::int64_t most = 0;
    for (const NodeIndex node : nodes) {
      most = std::max(most, graph.WithoutHeld(node)[r]);
    }
    if (most < task.amounts[r]) {
      const std::string& name = graph.graph().resources()[r];
      std::string why =
          fmt::format("no node that it may use has {}, the most is {}",
                      cluster::AmountInWords(name, task.amounts[r]),
                      most == 0 ? "none" : cluster::AmountInWords(name, most));
      const std::string behind = graph.graph().devices().ClassBehind(name);
      if (!behind.empty()) {
        why += fmt::format(
            "; the DeviceClass {} has devices for this resource, which are "
            "given to ResourceClaims only: let the pods claim them",
            behind);
      }
      return why;
    }
  }
  const bool some =
      std::any_of(nodes.begin(), nodes.end(), [&](NodeIndex node) {
        const auto most = graph.WithoutHeld(node);
        for (std::size_t r = 0; r < task.amounts.size(); ++r) {
          if (most[r] < task.amounts[r]) return false;
        }
        return true;
      });
  if (some) return std::nullopt;
  return "no node has all of it at once";
}

// Nothing: some node would hold one of them inside.
std::optional<std::string> WhyNeverInside(const ScheduleGraph& graph,
                                          const Nodes& nodes,
                                          const matcher::TaskGroup& task,
                                          const cluster::PodRequest& request,
                                          matcher::Policy policy) {
  if (task.inside == matcher::kNoShape) return std::nullopt;
  matcher::Gang one{{task}, 1};
  one.groups[0].count = 1;
  if (graph.graph().Satisfiable(one, policy)) return std::nullopt;
  one.groups[0].devices = matcher::kNoDevices;
  if (graph.graph().Satisfiable(one, policy)) return std::nullopt;
  one.groups[0].devices = task.devices;
  one.groups[0].inside = matcher::kNoShape;
  if (!graph.graph().Satisfiable(one, policy)) return std::nullopt;
  const matcher::NodeInterior& interior = graph.graph().interior();
  const auto unknown = std::ranges::count_if(nodes, [&](NodeIndex node) {
    return interior.StructureOf(node) == nullptr;
  });
  const std::string place = InsideInWords(request);
  if (unknown == std::ssize(nodes))
    return fmt::format(
        "it asks for a place {}, and what the nodes that it may use have "
        "inside is not known",
        place);
  std::string why =
      fmt::format("no node that it may use has ({}) {}, even empty",
                  cluster::Format(request.resources), place);
  if (unknown > 0)
    why += fmt::format("; of {} nodes the inside is not known", unknown);
  return why;
}

// Nothing: some node would have the devices for one of them.
std::optional<std::string> WhyNeverDevices(const ScheduleGraph& graph,
                                           const matcher::TaskGroup& task,
                                           const cluster::PodRequest& request,
                                           matcher::Policy policy) {
  if (task.devices == matcher::kNoDevices) return std::nullopt;
  matcher::Gang one{{task}, 1};
  one.groups[0].count = 1;
  if (graph.graph().Satisfiable(one, policy)) return std::nullopt;
  one.groups[0].devices = matcher::kNoDevices;
  if (!graph.graph().Satisfiable(one, policy)) return std::nullopt;
  const auto why = graph.graph().ExplainNoDevices(task);
  if (why) return why->text;
  return fmt::format(
      "no node that it may use has the devices of its claims{}, even if no pod "
      "held any",
      AlignedInWords(request.rules->inside));
}

std::string WhyTooMany(const ScheduleGraph& graph, const PendingLine& line,
                       matcher::Policy policy) {
  for (std::size_t g = 0; g < line.gang.groups.size(); ++g) {
    matcher::Gang alone{{line.gang.groups[g]}, 1};
    alone.whole_nodes = line.gang.whole_nodes;
    int fits = 0;
    int too_many = alone.groups[0].count + 1;
    while (fits + 1 < too_many) {
      alone.groups[0].count = fits + (too_many - fits) / 2;
      (graph.graph().Satisfiable(alone, policy) ? fits : too_many) =
          alone.groups[0].count;
    }
    if (fits < line.gang.groups[g].count) {
      const bool looks = graph.graph().LooksAtTasks(line.gang.groups[g].rules);
      return fmt::format("all nodes that it may use, empty{}, hold {} × ({}){}",
                         alone.whole_nodes ? " of other pods" : "", fits,
                         cluster::Format(line.requests[g].first->resources),
                         looks ? " by its rules about other pods" : "");
    }
  }
  return "the nodes that it may use do not hold all of it, even empty";
}

// How many tasks of a gang of one shape fit together on empty nodes.
int MostTogether(const ScheduleGraph& graph, matcher::Gang gang,
                 matcher::Policy policy) {
  int fits = 0;
  int too_many = gang.groups[0].count;
  while (fits + 1 < too_many) {
    gang.groups[0].count = fits + (too_many - fits) / 2;
    (graph.graph().Satisfiable(gang, policy) ? fits : too_many) =
        gang.groups[0].count;
  }
  return fits;
}

// Nothing: it is not that all of it must be together.
std::optional<std::string> WhyNeverTogether(const ScheduleGraph& graph,
                                            const PendingLine& line,
                                            matcher::Policy policy) {
  if (!line.gang.together_required) return std::nullopt;
  matcher::Gang anywhere = line.gang;
  anywhere.together.clear();
  anywhere.together_required = false;
  anywhere.beside.clear();
  if (!graph.graph().Satisfiable(anywhere, policy)) return std::nullopt;
  const std::string& key = line.gang.together.back();
  const auto has_label = [&](NodeIndex node) {
    const cluster::Node* known = graph.NodeAt(node);
    return known != nullptr && known->labels.contains(key);
  };
  if (std::ranges::none_of(graph.KnownNodes(), has_label))
    return fmt::format("all pods must be in one {}, and no node has the label",
                       DomainCalled(key));
  if (!line.beside.empty() && std::ranges::none_of(line.beside, has_label))
    return fmt::format(
        "all pods must be in one {}, and the nodes of those that have a place "
        "lack the label",
        DomainCalled(key));
  int pods = 0;
  for (const auto& task : line.gang.groups) pods += task.count;
  std::string text =
      line.beside.empty()
          ? fmt::format(
                "no {} has room for {}", DomainCalled(key),
                pods == 1 ? "the pod" : fmt::format("all {} pods", pods))
          : fmt::format("the {} of the group's other pods has no room",
                        DomainCalled(key));
  text += ", even empty";
  if (line.gang.groups.size() == 1 && pods > 1)
    text += fmt::format("; {} could take {}",
                        line.beside.empty() ? "the largest" : "it",
                        MostTogether(graph, line.gang, policy));
  return text;
}

// Nothing: it is not for its levels or its number of pods on each node.
std::optional<std::string> WhyNeverSo(const ScheduleGraph& graph,
                                      const PendingLine& line,
                                      matcher::Policy policy) {
  const cluster::GroupTopology topology = TopologyOf(line.requests);
  if (line.gang.required == 0 && line.gang.per_node.tasks == 0)
    return std::nullopt;
  matcher::Gang anyhow = line.gang;
  anyhow.levels.clear();
  anyhow.required = 0;
  anyhow.per_node = {};
  if (!graph.graph().Satisfiable(anyhow, policy)) return std::nullopt;
  return fmt::format("no nodes have room for it so, even empty: {}",
                     TopologyInWords(topology));
}

struct ImpossibleRequest {
  std::string cause;
  const cluster::PodRequest* request = nullptr;  // null: none alone
};

ImpossibleRequest Cause(const ScheduleGraph& graph, const PendingLine& line,
                        const QueueSettings& queue) {
  if (auto cause = WhyNotInPools(graph, line)) return {*cause};
  const Nodes open = Those(graph.KnownNodes(),
                           [&](NodeIndex node) { return graph.Open(node); });
  if (open.empty() && queue.node_selector.empty()) return {"no node is open"};
  const Nodes nodes = Those(open, [&](NodeIndex node) {
    return cluster::Selects(queue.node_selector, *graph.NodeAt(node));
  });
  if (nodes.empty()) {
    return {fmt::format("no open node has the labels of queue {}: {}",
                        queue.name, FormatLabels(queue.node_selector))};
  }
  for (std::size_t g = 0; g < line.gang.groups.size(); ++g) {
    const matcher::TaskGroup& task = line.gang.groups[g];
    const Nodes eligible =
        Those(nodes, [&](NodeIndex node) { return graph.MayUse(task, node); });
    const cluster::PodRequest* request = line.requests[g].first;
    if (eligible.empty())
      return {WhyNoneSuits(graph, nodes, *request), request};
    if (const auto cause = WhyTooBig(graph, eligible, task)) {
      return {*cause, request};
    }
    if (auto cause =
            WhyNeverInside(graph, eligible, task, *request, queue.match_policy))
      return {*std::move(cause), request};
    if (auto cause = WhyNeverDevices(graph, task, *request, queue.match_policy))
      return {*std::move(cause), request};
  }
  if (auto cause = WhyNeverTogether(graph, line, queue.match_policy))
    return {*cause};
  if (auto cause = WhyNeverSo(graph, line, queue.match_policy)) return {*cause};
  return {WhyTooMany(graph, line, queue.match_policy)};
}

}  // namespace

cluster::GroupTopology TopologyOf(const RequestCounts& requests) {
  for (const auto& [request, count] : requests) {
    if (request->rules.Any()) return cluster::OfGroup(request->rules->topology);
  }
  return {};
}

std::string Needs(const RequestCounts& requests) {
  std::string text;
  for (const auto& [request, count] : requests) {
    text += fmt::format("{}{} × ({})", text.empty() ? "" : " + ", count,
                        cluster::Format(request->resources));
  }
  return text;
}

std::string Needs(const PendingLine& line) {
  std::string text = Needs(line.requests);
  for (const auto& [name, amount] : PoolsOf(line))
    text += fmt::format(", {} of pool {}", amount, name);
  return text;
}

void SayUnsatisfiable(const ScheduleGraph& graph, const QueueSettings& queue,
                      PendingLine& line) {
  const ImpossibleRequest found = Cause(graph, line, queue);
  line.unsatisfiable = fmt::format("needs {}; {}", Needs(line), found.cause);
  line.impossible = line.requests.size() > 1 ? found.request : nullptr;
}

Shortage FindShortage(const ScheduleGraph& graph, const PendingLine& line,
                      matcher::Time now) {
  bool all = true;
  for (std::size_t g = 0; g < line.gang.groups.size(); ++g) {
    const matcher::TaskGroup& task = line.gang.groups[g];
    const int fits = graph.graph().CountFits(task, 1, now, task.count,
                                             matcher::SeatingOf(line.gang));
    if (fits == 0) return {Shortage::Kind::kNoPlace, static_cast<int>(g)};
    all = all && fits == task.count;
  }
  if (all) {
    if (const auto pool = LackingPool(graph, line, now))
      return {Shortage::Kind::kPool, *pool};
  }
  const matcher::Gang& gang = line.gang;
  if (all &&
      (gang.together_required || gang.required > 0 || gang.per_node.tasks > 0))
    return {Shortage::Kind::kNotTogether, 0};
  if (all && NodesInMaintenance(graph, line, now) > 0)
    return {Shortage::Kind::kMaintenance, 0};
  if (all && line.gang.groups.size() == 1) return {Shortage::Kind::kKept, 0};
  return {Shortage::Kind::kSomePlaces, 0};
}

std::string Describe(const Shortage& shortage, const PendingLine& line) {
  const RequestCounts& requests = line.requests;
  std::string missing;
  switch (shortage.kind) {
    case Shortage::Kind::kNone:
      return "";
    case Shortage::Kind::kNoPlace:
      missing = "no place is free";
      if (requests.size() > 1) {
        const auto& needs = requests[shortage.request].first->resources;
        missing += fmt::format(" for ({})", cluster::Format(needs));
      }
      break;
    case Shortage::Kind::kSomePlaces:
      missing = "some of the places are free, not all";
      break;
    case Shortage::Kind::kNotTogether:
      missing = "its places are free, but not together";
      break;
    case Shortage::Kind::kKept:
      missing = "what is free is kept for a group before it";
      break;
    case Shortage::Kind::kMaintenance:
      missing = "nodes are kept free for maintenance";
      break;
    case Shortage::Kind::kPool:
      missing = fmt::format(
          "too little of pool {} is free",
          std::next(PoolsOf(line).begin(), shortage.request)->first);
      break;
  }
  return fmt::format("needs {}; {}", Needs(line), missing);
}

bool SayShortage(const ScheduleGraph& graph, PendingLine& line,
                 matcher::Policy policy, matcher::Time now, bool explain) {
  if (!graph.wants_reasons()) return false;
  const Shortage shortage = FindShortage(graph, line, now);
  const bool same = shortage == line.shortage;
  const bool old = !line.explained || now - *line.explained >= kExplainAgain ||
                   now < *line.explained;
  if (same && !old) return false;
  line.shortage = shortage;
  if (shortage.kind == Shortage::Kind::kKept || !explain) {
    if (!same || !line.explained) line.why_short = Describe(shortage, line);
    line.explained.reset();
    return false;
  }
  line.explained = now;
  const std::string pools = FreeOfPools(graph, line, now);
  if (shortage.kind == Shortage::Kind::kPool) {
    line.why_short = fmt::format("needs {}; {}", Needs(line), pools);
    return false;
  }
  line.why_short = fmt::format("needs {}; {}{}{}", Needs(line), pools,
                               pools.empty() ? "" : "; ",
                               ExplainWaiting(graph, line, policy, now));
  return true;
}

void SayRefusal(const ScheduleGraph& graph, const std::string& account,
                const Quotas::Refusal& refusal, matcher::Time now,
                PendingLine& line) {
  if (!graph.wants_reasons()) return;
  const auto& before = line.refusal;
  const bool same = before && before->account == refusal.account &&
                    before->resource == refusal.resource &&
                    before->limit == refusal.limit &&
                    before->behind == refusal.behind;
  if (same && now - line.refused_at < kExplainAgain && now >= line.refused_at)
    return;
  line.refusal = refusal;
  line.refused_at = now;
  const auto amount = [&](std::int64_t of) {
    return of == 0 ? "nothing"
                   : cluster::AmountInWords(
                         graph.graph().resources()[refusal.resource], of);
  };
  const std::int64_t wanted = refusal.resource < line.amounts.size()
                                  ? line.amounts[refusal.resource]
                                  : 0;
  if (wanted > refusal.limit) {
    line.why_refused =
        fmt::format("needs {}, more than all of the quota of account {} ({})",
                    amount(wanted), account, amount(refusal.limit));
  } else if (refusal.behind) {
    line.why_refused = fmt::format(
        "behind a group that waits for more of the quota of account {} ({})",
        account, amount(refusal.limit));
  } else {
    line.why_refused = fmt::format(
        "needs {}; of the quota of account {} ({}) {} is used or reserved",
        amount(wanted), account, amount(refusal.limit), amount(refusal.used));
  }
}

void WaitReasons::Say(Whom whom, WaitReason::Kind kind,
                      const std::string& reason) {
  const auto place = reasons_.try_emplace(next_, std::move(whom));
  next_ = std::next(place);
  Reason& known = place->second;
  if (known.spoken) return;
  known.spoken = true;
  known.kind = kind;
  if (known.now != reason) known.now = reason;
}

void WaitReasons::Keep(const Whom& whom) {
  const auto known = reasons_.find(whom);
  if (known != reasons_.end()) known->second.spoken = true;
}

std::vector<WaitReason> WaitReasons::TakeChanges() {
  std::vector<WaitReason> changes;
  for (auto it = reasons_.begin(); it != reasons_.end();) {
    auto& [key, reason] = *it;
    if (!reason.spoken) reason.now.clear();
    if (reason.now != reason.said) {
      changes.push_back({key.queue, key.shape, reason.kind, reason.now,
                         key.namespace_name, key.account});
      reason.said = reason.now;
    }
    reason.spoken = false;
    it = reason.said.empty() ? reasons_.erase(it) : std::next(it);
  }
  next_ = reasons_.begin();
  return changes;
}

}  // namespace fluxnetes::workers
