#include "workers/simulation/manifest_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "cluster/objects/job_annotations.h"
#include "cluster/text/quote.h"

namespace fluxnetes::workers {
namespace {

// The claims of all pods from one template ask the same, so one stands for all;
// no object can have such a name.
std::string MadeOf(const std::string& template_name) {
  return "made of " + template_name;
}

// The pod, once its claims are made from those templates that are there.
cluster::PodTemplate WithClaims(cluster::PodTemplate pod,
                                const cluster::ClusterCache& cache) {
  pod.pod.uid.clear();  // as the owner of what MadeOf names
  cluster::PutClaimsInto(pod.pod.namespace_name, pod.pod.request);
  for (cluster::PodClaim& each : pod.pod.resource_claims) {
    const std::string made = MadeOf(each.template_name);
    if (!each.template_name.empty() &&
        cache.ResourceClaimByName(pod.pod.namespace_name, made) != nullptr)
      each.claim = made;
  }
  return pod;
}

[[noreturn]] void RefuseSecond(const std::string& place) {
  throw cluster::InputError(place + " is there twice");
}

// The limit for a Job, since each pod may become a group.
constexpr int kMostPodsOfJob = 1'000'000;

// In seconds, rounded up; nothing: until it is deleted.
std::optional<std::int64_t> RunsOf(const cluster::PodTemplate& pod) {
  if (!pod.run.length || *pod.run.length == std::chrono::milliseconds::max() ||
      pod.restart == cluster::RestartPolicy::kAlways)
    return std::nullopt;
  return std::chrono::ceil<std::chrono::seconds>(*pod.run.length).count();
}

// Sets the longer of both; nothing (without end) if either is nothing.
void Lengthen(std::optional<std::int64_t>& length,
              std::optional<std::int64_t> more) {
  length =
      length && more ? std::optional(std::max(*length, *more)) : std::nullopt;
}

// Why a pod with these labels cannot join a group whose first pod has those;
// empty: it can.
std::string WhyOdd(const GroupLabels& pod, const GroupLabels& first) {
  const auto odd = [](const char* what, const std::string& own,
                      const std::string& others) {
    return fmt::format(
        "asks for {} {}, but its group for {}; all pods of a group must ask "
        "for the same",
        what, cluster::Quote(own), cluster::Quote(others));
  };
  if (pod.group_size != first.group_size)
    return odd("group size", std::to_string(*pod.group_size),
               std::to_string(*first.group_size));
  if (pod.queue != first.queue) return odd("queue", pod.queue, first.queue);
  if (pod.account != first.account)
    return odd("account", pod.account, first.account);
  if (pod.topology.pools != first.topology.pools)
    return "asks for other pools than the first pod of its group";
  if (!AgreesWith(pod.topology, first.topology) && !AsksForNone(first.topology))
    return "asks for another topology than the "
           "first pod of its group that asks for one";
  if (pod.max_size != first.max_size)
    return "asks for another fluxnetes.group-max-size than the first pod of "
           "its "
           "group";
  return {};
}

}  // namespace

std::string TooFewPods(const std::string& place, std::size_t pods,
                       std::int32_t size, const std::string& group) {
  return fmt::format("{}: {} of {} pods of the group {} are there", place, pods,
                     size, group);
}

ManifestScenario::ManifestScenario(Scenario& scenario,
                                   cluster::SchedulerNames schedulers,
                                   std::int64_t now)
    : scenario_(scenario),
      schedulers_(std::move(schedulers)),
      now_(now),
      parts_(scenario) {
  for (const matcher::DeviceSlice& slice : scenario.devices.slices)
    slices_.insert(slice.name);
}

void ManifestScenario::Add(cluster::Manifest manifest) {
  if (auto* const group = std::get_if<cluster::PodGroup>(&manifest.object)) {
    const cluster::WatchEvent event{
        .object = std::make_shared<const cluster::PodGroup>(std::move(*group))};
    cache_.Apply({&event, 1});
  } else if (const auto* of =
                 std::get_if<cluster::DeviceClass>(&manifest.object)) {
    AddClass(*of, manifest.place);
  } else if (const auto* slice =
                 std::get_if<cluster::ResourceSlice>(&manifest.object)) {
    AddSlice(*slice, manifest.place);
  } else if (auto* const claim =
                 std::get_if<cluster::ResourceClaim>(&manifest.object)) {
    AddClaim(std::move(*claim), manifest.place);
  } else if (const auto* made_of = std::get_if<cluster::ResourceClaimTemplate>(
                 &manifest.object)) {
    AddTemplate(*made_of, manifest.place);
  } else {
    work_.push_back(std::move(manifest));
  }
}

void ManifestScenario::AddClass(const cluster::DeviceClass& of,
                                const std::string& place) {
  auto& classes = scenario_.devices.classes;
  if (std::ranges::count(classes, of.device_class.name,
                         &matcher::DeviceClass::name) > 0)
    RefuseSecond(place);
  classes.push_back(of.device_class);
}

void ManifestScenario::AddSlice(const cluster::ResourceSlice& of,
                                const std::string& place) {
  if (!slices_.insert(of.slice.name).second) RefuseSecond(place);
  scenario_.devices.slices.push_back(of.slice);
}

void ManifestScenario::AddClaim(cluster::ResourceClaim claim,
                                const std::string& place) {
  if (cache_.ResourceClaimByName(claim.namespace_name, claim.name) != nullptr)
    RefuseSecond(place);
  if (claim.allocation)
    scenario_.devices.claims.push_back({cluster::Key(claim),
                                        claim.allocation->devices,
                                        claim.allocation->nodes});
  const cluster::WatchEvent event{
      .object =
          std::make_shared<const cluster::ResourceClaim>(std::move(claim))};
  cache_.Apply({&event, 1});
}

void ManifestScenario::AddTemplate(const cluster::ResourceClaimTemplate& of,
                                   const std::string& place) {
  cluster::ResourceClaim claim;
  claim.namespace_name = of.namespace_name;
  claim.name = MadeOf(of.name);
  claim.owner = cluster::Owner{"Pod", "", ""};
  claim.spec.Own() = of.spec;
  AddClaim(std::move(claim), place);
}

void ManifestScenario::AddWork(const cluster::Manifest& manifest) {
  if (const auto* pod = std::get_if<cluster::PodTemplate>(&manifest.object)) {
    AddPod(WithClaims(*pod, cache_), manifest.place, {});
  } else if (const auto* job =
                 std::get_if<cluster::KubernetesJob>(&manifest.object)) {
    AddJob(*job, manifest);
  } else {
    notes_.push_back(manifest.place + " is no work and was left out");
  }
}

void ManifestScenario::AddJob(const cluster::KubernetesJob& job,
                              const cluster::Manifest& manifest) {
  const std::string& place = manifest.place;
  if (job.suspend || job.parallelism < 1) {
    notes_.push_back(place + " is suspended and was left out");
    return;
  }
  const std::string uid = job.namespace_name + "/" + job.name;
  cluster::JobAnnotations annotations = cluster::AnnotationsOf(job);
  annotations.uid = uid;
  const cluster::WatchEvent event{
      .object = std::make_shared<const cluster::JobAnnotations>(
          std::move(annotations))};
  cache_.Apply({&event, 1});
  cluster::PodTemplate pod = job.pod_template;
  pod.pod.namespace_name = job.namespace_name;
  pod = WithClaims(std::move(pod), cache_);
  pod.pod.controller = cluster::Owner{"Job", job.name, uid};
  pod.pod.labels["batch.kubernetes.io/job-name"] = job.name;
  const int pods = job.completions.value_or(job.parallelism);
  if (pods > kMostPodsOfJob)
    throw cluster::InputError(
        fmt::format("{} has {} pods; at most {} of a Job can be simulated",
                    place, pods, kMostPodsOfJob));
  Coming coming;
  if (job.active_deadline)
    coming.gone = scenario_.begin + job.active_deadline->count();
  std::vector<std::optional<Key>> groups;  // of each pod
  for (int i = 0; i < pods; ++i) {
    pod.pod.name = fmt::format("{}-{}", job.name, i);
    coming.round = i / job.parallelism;
    if (coming.round > 0)
      coming.after = groups[static_cast<std::size_t>(i - job.parallelism)];
    groups.push_back(AddPod(pod, place, coming));
    if (!groups.back()) return;
  }
}

std::string ManifestScenario::WhyNotOurs(const cluster::Pod& pod) const {
  if (!schedulers_.Contain(pod.scheduler_name))
    return fmt::format("has the schedulerName {}, not {}",
                       cluster::Quote(pod.scheduler_name),
                       schedulers_.Quoted());
  if (!pod.node_name.empty()) return "has a node already";
  if (pod.gated) return "has scheduling gates";
  return {};
}

std::optional<ManifestScenario::Key> ManifestScenario::AddPod(
    const cluster::PodTemplate& pod, const std::string& place,
    const Coming& coming) {
  std::string why = WhyNotOurs(pod.pod);
  GroupLabels labels = ReadGroupTerms(pod.pod, cache_, &topologies_);
  if (why.empty()) why = labels.refused;
  Key key{pod.pod.namespace_name, labels.group_name, coming.round};
  const auto begun = forming_.find(key);
  if (why.empty() && begun != forming_.end())
    why = WhyOdd(labels, begun->second.labels);
  if (!why.empty()) {
    LeaveOut(place, why);
    return std::nullopt;
  }
  const Key asked = key;
  const bool beyond = formed_.contains(key);
  if (beyond) {
    std::get<1>(key) = LonePodGroup(pod.pod);
    labels.group_size = 1;
  }
  Forming& forming = forming_[key];
  if (forming.requests.empty()) {
    Begin(forming, pod.pod, labels, place);
    forming.group.name =
        fmt::format("{}/{}", pod.pod.namespace_name,
                    *labels.group_size > 1 ? labels.group_name : pod.pod.name);
    forming.after = coming.after;
    if (beyond && labels.max_size) Grow(asked, labels, key, forming);
  }
  if (coming.gone)
    forming.group.gone =
        std::min(forming.group.gone.value_or(*coming.gone), *coming.gone);
  Join(forming, pod, labels);
  if (std::ssize(forming.requests) == *forming.labels.group_size)
    Complete(key, forming);
  return key;
}

// A pod beyond the maximum comes when an earlier pod of the group has ended. It
// does not start with the group.
void ManifestScenario::Grow(const Key& base, const GroupLabels& labels,
                            const Key& key, Forming& forming) {
  std::vector<Key>& grown = growth_[base];
  const auto room = static_cast<std::size_t>(
      *labels.max_size - std::ssize(formed_.at(base).requests));
  if (grown.size() >= room)
    forming.after = room == 0 ? base : grown[grown.size() - room];
  grown.push_back(key);
  forming.grows = base;
}

void ManifestScenario::Begin(Forming& forming, const cluster::Pod& pod,
                             const GroupLabels& labels,
                             const std::string& place) {
  const auto queue = parts_.Queue(labels.queue);
  if (!queue)
    throw cluster::InputError(fmt::format("{}: there is no queue {}", place,
                                          cluster::Quote(labels.queue)));
  forming.place_in_line = begun_++;
  forming.place = place;
  forming.labels = labels;
  forming.group.submit = scenario_.begin;
  forming.group.duration = forming.group.runs = forming.group.grace = 0;
  forming.group.priority = pod.priority;
  forming.group.queue = *queue;
  forming.group.user = parts_.User(pod.namespace_name);
  forming.group.label = parts_.Label(labels.account);
}

void ManifestScenario::Join(Forming& forming, const cluster::PodTemplate& pod,
                            const GroupLabels& labels) {
  Scenario::Group& group = forming.group;
  Lengthen(group.duration, DurationIn(labels));
  Lengthen(group.runs, RunsOf(pod));
  group.priority = std::max({group.priority, pod.pod.priority,
                             labels.priority.value_or(pod.pod.priority)});
  group.grace = std::max<std::int64_t>(group.grace, pod.pod.grace.count());
  group.preempts = group.preempts && pod.pod.preempts;
  StartTerms& start = forming.start;
  if (labels.start.after)
    start.after = std::max(start.after.value_or(*labels.start.after),
                           *labels.start.after);
  if (labels.start.by)
    start.by = std::min(start.by.value_or(*labels.start.by), *labels.start.by);
  start.hold = start.hold || labels.start.hold;
  if (AsksForNone(forming.labels.topology))
    forming.labels.topology = labels.topology;
  forming.requests.push_back(parts_.Request(
      RequestOf(pod.pod, labels), pod.pod.namespace_name, pod.pod.labels));
  if (pod.run.exit_code != 0 || pod.run.fail_first > 0)
    notes_.push_back(forming.place +
                     " says that its pods fail; here they succeed");
}

// Pods that ask for no topology have that of the others.
std::string ManifestScenario::AdoptTopology(Forming& forming) {
  const cluster::GroupTopology& theirs = forming.labels.topology;
  if (AsksForNone(theirs)) return "";
  const std::int32_t size = *forming.labels.group_size;
  std::int32_t asking = 0;
  for (int& number : forming.requests) {
    const Scenario::Request one = scenario_.requests[number];
    if (!AsksForNone(one.request.rules->topology)) {
      ++asking;
      continue;
    }
    number = parts_.Request(
        cluster::WithTopology(
            one.request, Adopted(one.request.rules->topology, theirs, size)),
        one.namespace_name, one.labels);
  }
  return WhyNotDivided(theirs, size, asking);
}

void ManifestScenario::Complete(const Key& key, Forming& forming) {
  if (const std::string why = AdoptTopology(forming); !why.empty()) {
    LeaveOut(forming.place, why);
    forming_.erase(key);
    return;
  }
  forming.group.shape = parts_.Shape(forming.requests);
  formed_[key] = std::move(forming);
  forming_.erase(key);
}

void ManifestScenario::LeaveOut(const std::string& place,
                                const std::string& why) {
  notes_.push_back(fmt::format("{} {}, and was left out", place, why));
}

std::int64_t ManifestScenario::OnItsClock(cluster::Time time) const {
  return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch())
             .count() -
         now_ + scenario_.begin;
}

void ManifestScenario::SettleShortGroups() {
  std::vector<Key> rests;
  for (const auto& [key, forming] : forming_) {
    const Key first{std::get<0>(key), std::get<1>(key), 0};
    const bool is_rest = std::get<2>(key) > 0 && formed_.contains(first);
    if (is_rest) rests.push_back(key);
    notes_.push_back(TooFewPods(forming.place, forming.requests.size(),
                                *forming.labels.group_size,
                                forming.group.name) +
                     (is_rest ? kStartsSmaller : "; it was left out"));
  }
  for (const Key& key : rests) Complete(key, forming_.at(key));
}

void ManifestScenario::Finish() {
  for (const QueueSettings& queue : scenario_.queues)
    topologies_[queue.name] = queue.topology;
  for (const cluster::Manifest& manifest : work_) AddWork(manifest);
  SettleShortGroups();
  std::vector<std::pair<const Key, Forming>*> line;
  for (auto& each : formed_) {
    const StartTerms& start = each.second.start;
    if (start.hold && !each.second.grows) {
      LeaveOut(each.second.place, "is held (fluxnetes.hold)");
    } else if (start.by && start.after && *start.by <= *start.after) {
      LeaveOut(each.second.place,
               "asks for a start by a time that is not after that before which "
               "it does not start");
    } else {
      line.push_back(&each);
    }
  }
  std::ranges::sort(
      line, {}, [](const auto* each) { return each->second.place_in_line; });
  std::map<Key, int> numbers;
  const auto number_of = [&](const std::optional<Key>& key) {
    const auto found = key ? numbers.find(*key) : numbers.end();
    return found == numbers.end() ? -1 : found->second;
  };
  for (auto* each : line) {
    Forming& forming = each->second;
    Scenario::Group& group = forming.group;
    group.after = number_of(forming.after);
    group.grows = number_of(forming.grows);
    // Its elastic group was left out.
    if (forming.grows && group.grows < 0) continue;
    if (forming.start.after)
      group.start_after = OnItsClock(*forming.start.after);
    if (forming.start.by && !forming.grows)
      group.start_by = OnItsClock(*forming.start.by);
    numbers[each->first] = static_cast<int>(scenario_.groups.size());
    scenario_.groups.push_back(std::move(group));
  }
  std::sort(notes_.begin(), notes_.end());
  notes_.erase(std::unique(notes_.begin(), notes_.end()), notes_.end());
}

}  // namespace fluxnetes::workers
