#include "workers/schedule/wait_explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "cluster/text/resource_words.h"
#include "matcher/gangs/explanation.h"
#include "matcher/node_devices/node_devices.h"
#include "workers/labels/inside_labels.h"
#include "workers/pods/pod_rules.h"
#include "workers/pods/topology_labels.h"

namespace fluxnetes::workers {
namespace {

using matcher::NodeIndex;
using matcher::Obstacle;

constexpr std::size_t kTaintsNamed = 3;

std::string Name(const cluster::Taint& taint) {
  return fmt::format("{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=",
                     taint.value, taint.effect);
}

// The taints that repel the request, most frequent first.
std::string TaintsAgainst(const ScheduleGraph& graph,
                          const std::vector<NodeIndex>& nodes,
                          const cluster::PodRequest& request) {
  cluster::PodRequest tolerating;
  tolerating.tolerations = request.tolerations;
  std::map<std::string, int> counts;
  for (const NodeIndex index : nodes) {
    const cluster::Node& node = *graph.NodeAt(index);
    for (const cluster::Taint& taint : node.taints) {
      cluster::Node one;
      one.taints = {taint};
      if (!Suits(one, tolerating)) ++counts[Name(taint)];
    }
  }
  std::vector<std::pair<int, std::string>> sorted;
  for (const auto& [name, count] : counts) sorted.emplace_back(-count, name);
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (std::size_t i = 0; i < sorted.size() && i < kTaintsNamed; ++i) {
    text += (text.empty() ? "" : ", ") + sorted[i].second;
  }
  return text + (sorted.size() > kTaintsNamed ? ", ..." : "");
}

std::string LabelsAsked(const cluster::PodRequest& request) {
  std::string text;
  if (!request.node_selector.empty()) {
    text = "node selector " + FormatLabels(request.node_selector);
  }
  if (request.node_affinity.empty()) return text;
  return text.empty() ? "node affinity" : text + " and the node affinity";
}

// " in one rack (topology.kubernetes.io/rack)", if a topology is required.
std::string Where(const PendingLine& line) {
  if (!line.gang.together_required) return "";
  return (line.beside.empty() ? " in one "
                              : " beside its other pods, in one ") +
         DomainCalled(line.gang.together.back());
}

// What is missing to the levels of the topology: "; needs 2 × 16 places, each
// in one rack (topology.kubernetes.io/rack): 1 is free". The innermost counts.
std::string LevelsLacking(const PendingLine& line, int tasks,
                          const std::vector<int>& values) {
  const matcher::Gang& gang = line.gang;
  const std::size_t first = gang.levels.size() - gang.required;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const matcher::TopologyLevel& level = gang.levels[first + i];
    if (level.tasks == 0 || !line.beside.empty()) continue;
    const int wanted = tasks / level.tasks;
    if (values[i] >= wanted) continue;
    return fmt::format(
        "; needs {} × {} places, each in one {}: {} free", wanted, level.tasks,
        DomainCalled(level.key),
        values[i] == 1 ? "1 is" : fmt::format("{} are", values[i]));
  }
  const matcher::TasksPerNode& per_node = gang.per_node;
  if (per_node.tasks == 0) return "";
  return fmt::format("; needs {}{} on each node",
                     per_node.at_most ? "at most " : "", per_node.tasks);
}

std::string NotTogether(const PendingLine& line, bool one) {
  const std::string& key = line.gang.together.back();
  if (!line.beside.empty())
    return (one ? "is of another " : "are of another ") + DomainCalled(key);
  return (one ? "has no label " : "have no label ") + key;
}

bool IsPods(const matcher::Exclusion& exclusion) {
  constexpr int kPodsResource = 3;
  return exclusion.obstacle == Obstacle::kResource &&
         exclusion.resource == kPodsResource;
}

// "request gpu of claim gpus: 8 devices of class gpu, none is free".
std::string Describe(const matcher::DeviceObstacle& obstacle) {
  if (obstacle.claim.empty()) return obstacle.text;
  return fmt::format("{}claim {}: {}",
                     obstacle.request.empty()
                         ? ""
                         : fmt::format("request {} of ", obstacle.request),
                     obstacle.claim, obstacle.text);
}

// For the first node that lacks them: which ones.
std::string WhyNoDevices(const ScheduleGraph& graph, const PendingLine& line,
                         const matcher::TaskGroup& task, matcher::Time now) {
  const matcher::InsideWindow window{
      now, matcher::EndOf(now, line.gang.duration), now};
  for (const NodeIndex node : graph.KnownNodes()) {
    if (!graph.Open(node) || !graph.MayUse(task, node)) continue;
    const auto why = graph.graph().ExplainDevices(node, task, window);
    if (!why) continue;
    return fmt::format(" (node {}: {})", graph.graph().Name(node),
                       Describe(*why));
  }
  return "";
}

std::string InWords(const ScheduleGraph& graph, const PendingLine& line,
                    const matcher::Exclusion& exclusion, std::size_t group,
                    matcher::Time now) {
  const cluster::PodRequest& request = *line.requests[group].first;
  const auto have = [&](const char* one, const char* many) {
    return exclusion.first == 1 ? one : many;
  };
  switch (exclusion.obstacle) {
    case Obstacle::kClosed:
      return have("is closed", "are closed");
    case Obstacle::kNotEligible:
      return have("is not the queue's", "are not the queue's");
    case Obstacle::kLabels:
      return have("does not suit the ", "do not suit the ") +
             LabelsAsked(request);
    case Obstacle::kTaints:
      return fmt::format("{} taints that are not tolerated ({})",
                         have("has", "have"),
                         TaintsAgainst(graph, graph.KnownNodes(), request));
    case Obstacle::kTogether:
      return NotTogether(line, exclusion.first == 1);
    case Obstacle::kSeats:
      if (line.gang.whole_nodes)
        return have("is not free of others", "are not free of others");
      return have("is held whole by a group", "are held whole by groups");
    case Obstacle::kResource:
      return fmt::format(
          "{} {} free", have("has", "have"),
          cluster::TooLittleOf(graph.graph().resources()[exclusion.resource]));
    case Obstacle::kUnknownInside:
      return have("has an inside that is not known",
                  "have an inside that is not known");
    case Obstacle::kInside:
      return fmt::format("{} ({}) free, but not {}", have("has", "have"),
                         cluster::Format(request.resources),
                         InsideInWords(request));
    case Obstacle::kDevices:
      return fmt::format(
          "{} the devices of its claims free{}{}",
          have("does not have", "do not have"),
          AlignedInWords(request.rules->inside),
          WhyNoDevices(graph, line, line.gang.groups[group], now));
    case Obstacle::kHostPorts:
      return have("has the host port in use", "have the host port in use");
    case Obstacle::kAffinity:
      return "without a pod that the pod affinity asks for";
    case Obstacle::kAntiAffinity:
      return "excluded by pod anti-affinity";
    case Obstacle::kSpread:
      return "excluded by the topology spread";
  }
  return "";
}

}  // namespace

std::string FormatLabels(const cluster::LabelMap& labels) {
  std::string text;
  for (const auto& [label, value] : labels) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", label, value);
  }
  return "{" + text + "}";
}

int NodesInMaintenance(const ScheduleGraph& graph, const PendingLine& line,
                       matcher::Time now) {
  if (!graph.HasClosures()) return 0;
  const matcher::Time end = line.gang.duration < matcher::kForever - now
                                ? now + line.gang.duration
                                : matcher::kForever;
  return static_cast<int>(
      std::ranges::count_if(graph.KnownNodes(), [&](NodeIndex node) {
        return graph.Open(node) && graph.HasMaintenance(node, now, end) &&
               std::ranges::any_of(line.gang.groups, [&](const auto& task) {
                 return graph.MayUse(task, node);
               });
      }));
}

std::string ExplainWaiting(const ScheduleGraph& graph, const PendingLine& line,
                           matcher::Policy policy, matcher::Time now) {
  const matcher::Explanation found =
      graph.graph().Explain(line.gang, policy, now);
  int tasks = 0;
  std::size_t least = 0;  // the task group with the smallest part placed
  for (std::size_t g = 0; g < found.groups.size(); ++g) {
    const int count = line.gang.groups[g].count;
    tasks += count;
    if (found.groups[g].fit * line.gang.groups[least].count <
        found.groups[least].fit * count) {
      least = g;
    }
  }
  const matcher::GroupExplanation& group = found.groups[least];
  const cluster::PodRequest& request = *line.requests[least].first;
  std::string text;
  if (found.fit == 0) {
    text = "no place is free" + Where(line);
  } else {
    text = fmt::format("{} of {} places are free now{}", found.fit, tasks,
                       Where(line));
  }
  if (found.fit == tasks && line.gang.together_required)
    text += ", and kept for a group before it";
  if (found.groups.size() > 1 && group.fit < line.gang.groups[least].count) {
    text += fmt::format(", {} of {} for ({})", group.fit,
                        line.gang.groups[least].count,
                        cluster::Format(request.resources));
  }
  text += LevelsLacking(line, tasks, found.values);
  const int closed = NodesInMaintenance(graph, line, now);
  std::string nodes;
  for (const matcher::Exclusion& exclusion : group.exclusions) {
    if (exclusion.first == 0) continue;
    // Nodes in maintenance have no places for pods; they are reported below.
    if (closed >= exclusion.first && IsPods(exclusion)) continue;
    nodes +=
        fmt::format("{}{}{} {}", nodes.empty() ? "; " : ", ", exclusion.first,
                    !nodes.empty()         ? ""
                    : exclusion.first == 1 ? " node"
                                           : " nodes",
                    InWords(graph, line, exclusion, least, now));
  }
  text += nodes;
  if (closed == 0) return text;
  return text + fmt::format("; {} kept free for maintenance",
                            closed == 1 ? "1 node is"
                                        : fmt::format("{} nodes are", closed));
}

std::string WhyNoneSuits(const ScheduleGraph& graph,
                         const std::vector<NodeIndex>& nodes,
                         const cluster::PodRequest& request) {
  const auto suited = [&](const cluster::PodRequest& asked) {
    return std::any_of(nodes.begin(), nodes.end(), [&](NodeIndex index) {
      cluster::Node node = *graph.NodeAt(index);
      node.taints.clear();
      return Suits(node, asked);
    });
  };
  cluster::PodRequest by_labels;
  by_labels.node_selector = request.node_selector;
  if (!suited(by_labels)) {
    return "no node has the labels of the node selector " +
           FormatLabels(request.node_selector);
  }
  if (!suited(request)) {
    return "no node suits the node affinity" +
           (request.node_selector.empty()
                ? std::string()
                : " and the node selector " +
                      FormatLabels(request.node_selector));
  }
  return "the taints of the nodes are not tolerated: " +
         TaintsAgainst(graph, nodes, request);
}

}  // namespace fluxnetes::workers
