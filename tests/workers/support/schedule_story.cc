#include "tests/workers/support/schedule_story.h"

#include <fmt/format.h>

#include <functional>
#include <sstream>

#include "cluster/json/request_json.h"

namespace fluxnetes::workers {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

}  // namespace

std::string Uid(GroupId group, int member) {
  return fmt::format("uid-{}-{}", group, member);
}

Story::Story() { schedule.SetQueue({}); }

cluster::Node Story::MakeNode(const std::string& line) {
  std::istringstream words(line);
  cluster::Node node;
  words >> node.name;
  node.allocatable.memory_bytes = 1024 * kGiB;
  node.allocatable.pods = 110;
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    if (key == "cpu") {
      node.allocatable.cpu_milli = 1'000 * std::stoll(value);
    } else if (key == "gpu") {
      node.allocatable.SetExtended("nvidia.com/gpu", std::stoll(value));
    } else if (key == "taint") {
      node.taints.push_back({value, "", "NoSchedule"});
    } else if (key == "cordoned") {
      node.unschedulable = true;
    } else {
      node.labels[key] = value;
    }
  }
  return node;
}

void Story::Nodes(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find('=') != std::string::npos) schedule.SetNode(MakeNode(line));
  }
}

Held HeldOn(const std::string& node, GroupId group, const GroupOptions& options,
            const cluster::PodRequest* request) {
  Held held;
  held.queue = options.queue;
  held.namespace_name = options.namespace_name;
  held.account = options.account;
  held.priority = options.priority;
  held.grace = options.grace;
  held.group = group;
  held.members = {{Uid(group, 0), node, request}};
  return held;
}

cluster::PodAffinityTerm Near(const std::string& app, const std::string& key) {
  return {cluster::PodSelector{{"app", "In", {app}}}, key};
}

std::string Story::RequestJson(std::int64_t cpu, const GroupOptions& options) {
  const std::string& selector = options.selector;
  cluster::PodRequest request;
  if (!(options.rules == cluster::PodRules{})) {
    request.rules.Own() = options.rules;
  }
  request.tolerations = options.tolerations;
  request.guaranteed = options.guaranteed;
  request.resources.cpu_milli = 1'000 * cpu;
  request.resources.memory_bytes = kGiB;
  request.resources.pods = 1;
  if (!selector.empty()) {
    const auto equals = selector.find('=');
    request.node_selector[selector.substr(0, equals)] =
        selector.substr(equals + 1);
  }
  return cluster::ToJson(request);
}

PendingGroup Story::MakeGroup(GroupId id, const std::string& pods,
                              const GroupOptions& options, int first_member) {
  PendingGroup group;
  group.id = id;
  group.namespace_name = options.namespace_name;
  group.account = options.account;
  group.name = fmt::format("group{}", id);
  group.queue = options.queue;
  group.priority = options.priority;
  group.first_in_line = options.first_in_line;
  group.submitted_at = cluster::Time(std::chrono::seconds(id));
  group.revision = options.revision;
  group.duration = options.duration;
  group.job_id = 1'000 + id;
  group.job_attempt = 1;
  group.unsatisfiable = options.unsatisfiable;
  group.preempts = options.preempts;
  group.grace = options.grace;
  group.growth = options.growth;
  group.extends = options.extends;
  if (options.growth) group.priority = kGrowthPriority;
  group.start_by = options.start_by;
  group.shape = static_cast<std::int64_t>(std::hash<std::string>()(
      pods + options.selector + std::to_string(options.duration.value_or(0))));
  std::istringstream parts(pods);
  for (std::string part; std::getline(parts, part, '+');) {
    const auto times = part.find('x');
    const int count = std::stoi(part.substr(0, times));
    const auto* request = schedule.Intern(
        RequestJson(std::stoll(part.substr(times + 1)), options));
    for (int i = 0; i < count; ++i) {
      group.members.push_back({Uid(id, first_member++), request});
    }
  }
  for (Member& member : group.members) {
    member.request = WithLabels(member.request, member.uid, options);
  }
  while (schedule.TakeNewSelectors()) schedule.RelabelAll(PodOf());
  return group;
}

Schedule::PodOf Story::PodOf() const {
  return [this](const std::string& uid) {
    const auto found = pods_.find(uid);
    return found == pods_.end() ? nullptr : found->second;
  };
}

const cluster::PodRequest* Story::WithLabels(const cluster::PodRequest* request,
                                             const std::string& uid,
                                             const GroupOptions& options) {
  cluster::Pod pod;
  pod.namespace_name = "default";
  pod.uid = uid;
  pod.labels = options.labels;
  request = schedule.OfPod(request, pod);
  pods_[uid] = std::make_shared<const cluster::Pod>(std::move(pod));
  return request;
}

void Story::Restore(Held held, const GroupOptions& options) {
  for (PlacedMember& member : held.members) {
    const auto* request = schedule.Intern(cluster::ToJson(*member.request));
    member.request = WithLabels(request, member.uid, options);
  }
  schedule.Restore(held);
  while (schedule.TakeNewSelectors()) schedule.RelabelAll(PodOf());
}

void Story::Relabel(GroupId group, const cluster::LabelMap& labels) {
  for (int member = 0; pods_.contains(Uid(group, member)); ++member) {
    cluster::PodPointer& known = pods_[Uid(group, member)];
    cluster::Pod pod = *known;
    pod.labels = labels;
    known = std::make_shared<const cluster::Pod>(std::move(pod));
  }
  for (int member = 0; pods_.contains(Uid(group, member)); ++member) {
    schedule.Relabel(*pods_[Uid(group, member)], PodOf());
  }
}

void Story::Namespaces(
    const std::map<std::string, cluster::LabelMap>& namespaces) {
  schedule.SetNamespaces(namespaces);
  while (schedule.TakeNewSelectors()) schedule.RelabelAll(PodOf());
}

void Story::Unmanaged(const std::string& node, const cluster::Pod* pod) {
  std::vector<const cluster::PodRequest*> seen;
  cluster::Resources used;
  if (pod != nullptr) {
    used = pod->request.resources;
    if (const auto* request = schedule.OfPlaced(nullptr, *pod)) {
      seen.push_back(request);
    }
  }
  while (schedule.TakeNewSelectors()) schedule.RelabelAll(PodOf());
  schedule.SetUnmanaged(node, used, seen);
}

GroupId Story::Group(const std::string& pods, const GroupOptions& options) {
  schedule.Add(MakeGroup(++last_, pods, options));
  return last_;
}

std::string Story::Decide(matcher::Time now) {
  decision = schedule.Decide(now);
  for (const WaitReason& reason : decision.reasons) {
    reasons[reason.shape] = reason.reason;
  }
  std::string text;
  for (const Placed& placed : decision.placed) {
    text += fmt::format("{}{}:", text.empty() ? "" : ", ", placed.group);
    for (const PlacedMember& member : placed.members) text += " " + member.node;
  }
  return text;
}

std::string Story::Reserved() const {
  std::string text;
  for (const Reservation& reservation : decision.reserved) {
    text += text.empty() ? "" : ", ";
    text += std::to_string(reservation.group);
    text += reservation.start ? fmt::format(" at {} on", *reservation.start)
                              : " drains";
    for (const std::string& node : reservation.nodes) text += " " + node;
  }
  return text;
}

std::string Story::Evicted() const {
  std::string text;
  for (const Eviction& eviction : decision.evicted) {
    text += fmt::format("{}{} until {} for {}", text.empty() ? "" : ", ",
                        eviction.group, eviction.end, eviction.preemptor);
  }
  return text;
}

std::string Story::OnlyReason() const {
  std::string only;
  for (const auto& [shape, reason] : reasons) only += reason;
  return only;
}

}  // namespace fluxnetes::workers
