#include "services/explain/node_verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cluster/text/resource_words.h"
#include "matcher/inside/node_interior.h"
#include "matcher/inside/structure_text.h"
#include "workers/labels/inside_labels.h"
#include "workers/pods/pod_rules.h"
#include "workers/pods/topology_labels.h"

namespace fluxnetes::services {
namespace {

using cluster::Resources;
using workers::Scenario;

struct Reason {
  std::string kind;
  std::string why;
};

template <typename T>
const T& At(const std::vector<T>& list, int index) {
  return list[static_cast<std::size_t>(index)];
}

std::map<std::string, Resources> HeldByNode(const Scenario& scenario) {
  std::map<std::string, Resources> held;
  for (const Scenario::Running& running : scenario.running) {
    auto node = running.nodes.begin();
    for (const Scenario::Pods& pods :
         At(scenario.shapes, At(scenario.groups, running.group).shape)) {
      const Resources& each =
          At(scenario.requests, pods.request).request.resources;
      for (int i = 0; i < pods.count && node != running.nodes.end(); ++i)
        held[*node++] += each;
    }
  }
  return held;
}

// What other groups have of a node, DaemonSets aside.
struct Beside {
  bool any = false;
  bool whole = false;
};

std::map<std::string, Beside> BesideOf(const Scenario& scenario, int group) {
  const auto family = [&](int of) {
    const int base = At(scenario.groups, of).grows;
    return base < 0 ? of : base;
  };
  std::map<std::string, Beside> beside;
  for (const Scenario::Running& running : scenario.running) {
    const Scenario::Group& other = At(scenario.groups, running.group);
    const auto& pods = At(scenario.shapes, other.shape);
    if (pods.empty() || family(running.group) == family(group)) continue;
    const cluster::PodRequest& request =
        At(scenario.requests, pods.front().request).request;
    const workers::Sharing sharing = workers::SharingOf(
        request.rules->topology, At(scenario.queues, other.queue));
    if (sharing.aside) continue;
    for (const std::string& node : running.nodes) {
      beside[node].any = true;
      beside[node].whole |= sharing.whole_nodes;
    }
  }
  return beside;
}

// Returns the first resource that is short.
std::string Lacking(const Resources& have, const Resources& asked) {
  if (have.cpu_milli < asked.cpu_milli) return "cpu";
  if (have.memory_bytes < asked.memory_bytes) return "memory";
  if (have.ephemeral_bytes < asked.ephemeral_bytes) return "ephemeral-storage";
  if (have.pods < asked.pods) return "pods";
  for (const auto& [name, amount] : asked.extended)
    if (have.Extended(name) < amount) return name;
  return {};
}

class Judge {
 public:
  Judge(const Scenario& scenario, int group, int request,
        const NodeRecords& records)
      : scenario_(scenario),
        group_(At(scenario.groups, group)),
        queue_(At(scenario.queues, group_.queue)),
        request_(At(scenario.requests, request).request),
        records_(records),
        held_(HeldByNode(scenario)),
        beside_(BesideOf(scenario, group)) {
    ReadInsides();
  }

  Reason Of(const cluster::Node& node) const {
    if (auto verdict = WhyNever(node)) return *verdict;
    if (auto verdict = WhyNotNow(node)) return *verdict;
    return {"free", "room for one or more"};
  }

 private:
  // Returns why the pod can never use the node, whatever runs there.
  std::optional<Reason> WhyNever(const cluster::Node& node) const {
    const auto closed = records_.closed.find(node.name);
    if (closed != records_.closed.end())
      return Reason{"closed", closed->second};
    if (node.unschedulable) return Reason{"closed", "closed"};
    if (!cluster::Selects(queue_.node_selector, node))
      return Reason{"queue", "not of queue " + queue_.name};
    cluster::Node bare = node;
    bare.taints.clear();
    if (!workers::Suits(bare, request_))
      return Reason{"labels", "not as the node selector or affinity asks"};
    if (!workers::Suits(node, request_))
      return Reason{"taints", "taints that are not tolerated"};
    const std::string& together = request_.rules->topology.required;
    if (!together.empty() && !node.labels.contains(together))
      return Reason{"topology", "without the label " + together};
    const std::string lacks = Lacking(node.allocatable, request_.resources);
    if (!lacks.empty())
      return Reason{"size", "too small: " + cluster::ResourceInWords(lacks)};
    return std::nullopt;
  }

  std::optional<Reason> WhyNotNow(const cluster::Node& node) const {
    if (auto verdict = WhyNotBeside(node)) return verdict;
    Resources used;
    const auto held = held_.find(node.name);
    if (held != held_.end())
      cluster::AddUpTo(node.allocatable, used, held->second);
    const auto others = scenario_.others.find(node.name);
    if (others != scenario_.others.end())
      cluster::AddUpTo(node.allocatable, used, others->second.used);
    Resources free = node.allocatable;
    free -= used;
    const std::string lacks = Lacking(free, request_.resources);
    if (!lacks.empty())
      return Reason{"room", cluster::TooLittleOf(lacks) + " free"};
    if (auto verdict = WhyNotInside(node)) return verdict;
    if (ClosesTooSoon(node))
      return Reason{"maintenance", "maintenance before it would end"};
    const auto reserved = records_.reserved.find(node.name);
    if (reserved != records_.reserved.end())
      return Reason{"reserved", "room, but kept for what is before it: " +
                                    reserved->second};
    if (!request_.rules->resource_claims.empty())
      return Reason{"devices",
                    "room, if the devices of its claims are free there"};
    return std::nullopt;
  }

  // Whole nodes: those of the group, or of others.
  std::optional<Reason> WhyNotBeside(const cluster::Node& node) const {
    const workers::Sharing own =
        workers::SharingOf(request_.rules->topology, queue_);
    if (own.aside) return std::nullopt;
    const auto found = beside_.find(node.name);
    const Beside there = found == beside_.end() ? Beside() : found->second;
    if (!own.whole_nodes)
      return there.whole
                 ? std::optional(Reason{"room", "held whole by another group"})
                 : std::nullopt;
    const auto others = scenario_.others.find(node.name);
    const bool occupied =
        others != scenario_.others.end() && others->second.occupants > 0;
    if (!there.any && !occupied) return std::nullopt;
    return Reason{"room", "not free of others"};
  }

  // Books what runs inside of the nodes.
  void ReadInsides() {
    if (!(request_.rules->inside == cluster::InsideTerms{})) {
      shape_ = interior_.Take(workers::InsideOf(request_));
    } else if (std::ranges::any_of(scenario_.nodes,
                                   [](const cluster::Node& node) {
                                     return node.topology_policy !=
                                            cluster::TopologyPolicy::kNone;
                                   })) {
      if (const auto demanded = workers::InsideOfKubelet(request_))
        shape_ = interior_.Take(*demanded);
    }
    if (shape_ == matcher::kNoShape) return;
    for (const cluster::Node& node : scenario_.nodes) {
      const auto index = static_cast<matcher::NodeIndex>(indices_.size());
      indices_.emplace(node.name, index);
      if (!node.structure->empty())
        interior_.Set(index, matcher::ReadStructure(*node.structure));
      interior_.SetKubelet(index, workers::KubeletOf(node));
    }
    for (const Scenario::Running& running : scenario_.running) {
      for (std::size_t i = 0; i < running.parts.size(); ++i) {
        const auto node = indices_.find(running.nodes[i]);
        if (node == indices_.end() || running.parts[i].empty()) continue;
        interior_.Restore(running.group, static_cast<int>(i), node->second,
                          running.parts[i], running.start, matcher::kForever);
      }
    }
  }

  // Of a node that has the amounts free.
  std::optional<Reason> WhyNotInside(const cluster::Node& node) const {
    if (shape_ == matcher::kNoShape) return std::nullopt;
    const matcher::NodeIndex index = indices_.at(node.name);
    const std::int64_t now = scenario_.begin;
    if (interior_.Fit(index, shape_, 1, {now, matcher::kForever, now}) > 0)
      return std::nullopt;
    if (interior_.StructureOf(index) == nullptr)
      return Reason{"inside", "what it has inside is not known"};
    return Reason{"inside",
                  "room, but not " + workers::InsideInWords(request_)};
  }

  bool ClosesTooSoon(const cluster::Node& node) const {
    const std::int64_t now = scenario_.begin;
    return std::ranges::any_of(
        scenario_.maintenance, [&](const workers::MaintenanceWindow& window) {
          return (!window.end || *window.end > now) &&
                 (!group_.duration || window.start < now + *group_.duration) &&
                 workers::Covers(window, node);
        });
  }

  const Scenario& scenario_;
  const Scenario::Group& group_;
  const workers::QueueSettings& queue_;
  const cluster::PodRequest& request_;
  const NodeRecords& records_;
  const std::map<std::string, Resources> held_;
  const std::map<std::string, Beside> beside_;
  // For a request that takes a part of its node.
  std::map<std::string, matcher::NodeIndex> indices_;
  mutable matcher::NodeInterior interior_;  // remembers what it has found
  matcher::ShapeId shape_ = matcher::kNoShape;
};

}  // namespace

std::vector<NodeVerdict> JudgeNodes(const Scenario& scenario, int group,
                                    int request, const NodeRecords& records) {
  const Judge judge(scenario, group, request, records);
  std::vector<NodeVerdict> verdicts;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const cluster::Node& node : scenario.nodes) {
    Reason verdict = judge.Of(node);
    const auto [place, is_new] =
        places.try_emplace({verdict.kind, verdict.why}, verdicts.size());
    if (is_new)
      verdicts.push_back({std::move(verdict.kind), std::move(verdict.why), {}});
    verdicts[place->second].nodes.push_back(node.name);
  }
  std::ranges::stable_sort(verdicts, [](const auto& a, const auto& b) {
    if ((a.kind == "free") != (b.kind == "free")) return a.kind == "free";
    return a.nodes.size() > b.nodes.size();
  });
  return verdicts;
}

}  // namespace fluxnetes::services
