#include "workers/manifest_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "cluster/quote.h"

namespace fluxnetes::workers {
namespace {

// Of a Job: each may become a group.
constexpr int kMostPodsOfJob = 1'000'000;

// Seconds, begun ones whole; nothing: until it is deleted.
std::optional<std::int64_t> RunsOf(const cluster::PodTemplate& pod) {
  if (!pod.run.length || *pod.run.length == std::chrono::milliseconds::max() ||
      pod.restart == cluster::RestartPolicy::kAlways)
    return std::nullopt;
  return std::chrono::ceil<std::chrono::seconds>(*pod.run.length).count();
}

std::optional<std::int64_t> DeadlineOf(const cluster::Pod& pod) {
  if (!pod.active_deadline) return std::nullopt;
  return std::max<std::int64_t>(1, pod.active_deadline->count());
}

// The longer; without end, if one is.
void Lengthen(std::optional<std::int64_t>& length,
              std::optional<std::int64_t> more) {
  length =
      length && more ? std::optional(std::max(*length, *more)) : std::nullopt;
}

// Among names of which each is there once; it is added if it is not.
int PlaceOf(const std::string& name, std::vector<std::string>& names) {
  const auto found = std::ranges::find(names, name);
  const auto place = static_cast<int>(found - names.begin());
  if (found == names.end()) names.push_back(name);
  return place;
}

}  // namespace

ManifestScenario::ManifestScenario(Scenario& scenario,
                                   std::string scheduler_name,
                                   std::int64_t submit)
    : scenario_(scenario),
      scheduler_name_(std::move(scheduler_name)),
      submit_(submit) {}

void ManifestScenario::Add(const cluster::Manifest& manifest) {
  if (const auto* pod = std::get_if<cluster::PodTemplate>(&manifest.object)) {
    AddPod(*pod, manifest.place, 0, std::nullopt);
  } else if (const auto* job =
                 std::get_if<cluster::KubernetesJob>(&manifest.object)) {
    AddJob(*job, manifest.place);
  } else {
    notes_.push_back(manifest.place + " is no work and was left out");
  }
}

void ManifestScenario::AddJob(const cluster::KubernetesJob& job,
                              const std::string& place) {
  if (job.suspend || job.parallelism < 1) {
    notes_.push_back(place + " is suspended and was left out");
    return;
  }
  const std::string uid = job.namespace_name + "/" + job.name;
  auto marks = std::make_shared<cluster::JobMarks>();
  marks->uid = uid;
  marks->marks = job.labels;
  marks->parallelism = job.parallelism;
  const cluster::WatchEvent event{
      .object = std::shared_ptr<const cluster::JobMarks>(std::move(marks))};
  cache_.Apply({&event, 1});
  cluster::PodTemplate pod = job.pod_template;
  pod.pod.namespace_name = job.namespace_name;
  pod.pod.controller = cluster::Owner{"Job", job.name, uid};
  const int pods = job.completions.value_or(job.parallelism);
  if (pods > kMostPodsOfJob)
    throw cluster::InputError(
        fmt::format("{} has {} pods; at most {} of a Job can be simulated",
                    place, pods, kMostPodsOfJob));
  std::vector<std::optional<Key>> groups;  // of each pod
  for (int i = 0; i < pods; ++i) {
    pod.pod.name = fmt::format("{}-{}", job.name, i);
    const int before = i - job.parallelism;
    const auto after =
        before < 0 ? std::nullopt : groups[static_cast<std::size_t>(before)];
    groups.push_back(AddPod(pod, place, i / job.parallelism, after));
    if (!groups.back()) return;
  }
}

std::string ManifestScenario::WhyNotOurs(const cluster::Pod& pod) const {
  if (pod.scheduler_name != scheduler_name_)
    return fmt::format("has the schedulerName {}, not {}",
                       cluster::Quote(pod.scheduler_name), scheduler_name_);
  if (!pod.node_name.empty()) return "has a node already";
  if (pod.gated) return "has scheduling gates";
  return {};
}

std::optional<ManifestScenario::Key> ManifestScenario::AddPod(
    const cluster::PodTemplate& pod, const std::string& place, int round,
    const std::optional<Key>& after) {
  std::string why = WhyNotOurs(pod.pod);
  GroupLabels labels = ReadGroupLabels(pod.pod, cache_);
  if (why.empty() && !labels.group_size) why = labels.refused;
  if (!why.empty()) {
    notes_.push_back(fmt::format("{} {}, and was left out", place, why));
    return std::nullopt;
  }
  Key key{pod.pod.namespace_name, labels.group_name, round};
  if (labels.group_name.empty() || formed_.contains(key)) {
    // By itself, or beyond the size of its group.
    std::get<1>(key) = LonePodGroup(pod.pod);
    labels.group_size = 1;
  }
  Forming& forming = forming_[key];
  if (forming.pods == 0) {
    Begin(forming, pod.pod, labels, place);
    forming.group.name =
        fmt::format("{}/{}", pod.pod.namespace_name,
                    *labels.group_size > 1 ? labels.group_name : pod.pod.name);
    forming.after = after;
  }
  Join(forming, pod, labels);
  if (forming.pods == forming.size) Complete(key, forming);
  return key;
}

void ManifestScenario::Begin(Forming& forming, const cluster::Pod& pod,
                             const GroupLabels& labels,
                             const std::string& place) {
  forming.size = *labels.group_size;
  forming.place = place;
  forming.group.submit = submit_;
  forming.group.duration = forming.group.runs = 0;
  forming.group.priority = pod.priority;
  forming.group.queue = Queue(labels.queue, place);
  forming.group.user = PlaceOf(pod.namespace_name, scenario_.users);
  if (!labels.account.empty())
    forming.group.label = PlaceOf(labels.account, scenario_.labels);
}

void ManifestScenario::Join(Forming& forming, const cluster::PodTemplate& pod,
                            const GroupLabels& labels) {
  ++forming.pods;
  Scenario::Group& group = forming.group;
  Lengthen(group.duration, DeadlineOf(pod.pod));
  Lengthen(group.runs, RunsOf(pod));
  group.priority = std::max({group.priority, pod.pod.priority,
                             labels.priority.value_or(pod.pod.priority)});
  const int request =
      Request(pod.pod, cluster::WithTopology(pod.pod.request, labels.topology));
  const auto same =
      std::ranges::find(forming.shape, request, &Scenario::Pods::request);
  if (same == forming.shape.end()) {
    forming.shape.push_back({request, 1});
  } else {
    ++same->count;
  }
  if (pod.run.exit_code != 0 || pod.run.fail_first > 0)
    notes_.push_back(forming.place +
                     " says that its pods fail; here they succeed");
}

void ManifestScenario::Complete(const Key& key, Forming& forming) {
  const auto [shape, added] = shapes_.try_emplace(
      forming.shape, static_cast<int>(scenario_.shapes.size()));
  if (added) scenario_.shapes.push_back(forming.shape);
  forming.group.shape = shape->second;
  const int number = static_cast<int>(scenario_.groups.size());
  if (forming.after) after_[number] = *forming.after;
  scenario_.groups.push_back(std::move(forming.group));
  formed_[key] = number;
  forming_.erase(key);
}

void ManifestScenario::Finish() {
  for (const auto& [key, forming] : forming_) {
    notes_.push_back(fmt::format(
        "{}: {} of {} pods of the group {} are there; "
        "it was left out",
        forming.place, forming.pods, forming.size, forming.group.name));
  }
  for (const auto& [number, key] : after_) {
    const auto before = formed_.find(key);
    if (before != formed_.end())
      scenario_.groups[static_cast<std::size_t>(number)].after = before->second;
  }
  std::sort(notes_.begin(), notes_.end());
  notes_.erase(std::unique(notes_.begin(), notes_.end()), notes_.end());
}

int ManifestScenario::Queue(const std::string& name,
                            const std::string& place) const {
  const auto found =
      std::ranges::find(scenario_.queues, name, &QueueSettings::name);
  if (found == scenario_.queues.end())
    throw cluster::InputError(
        fmt::format("{}: there is no queue {}", place, cluster::Quote(name)));
  return static_cast<int>(found - scenario_.queues.begin());
}

int ManifestScenario::Request(const cluster::Pod& pod,
                              const cluster::PodRequest& request) {
  std::string all = cluster::ToJson(request) + "\n" + pod.namespace_name;
  for (const auto& [key, value] : pod.labels)
    all.append("\n").append(key).append("=").append(value);
  const auto [known, added] = requests_.try_emplace(
      std::move(all), static_cast<int>(scenario_.requests.size()));
  if (added)
    scenario_.requests.push_back({request, pod.namespace_name, pod.labels});
  return known->second;
}

}  // namespace fluxnetes::workers
