#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cluster/simulated/simulated_cluster.h"
#include "cluster/simulated/simulated_state.h"

namespace fluxnetes::cluster {
namespace {

// Without vowels and ambiguous characters, as in Kubernetes.
constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::string_view kDigits = "0123456789abcdef";

bool Happens(double chance, std::mt19937_64& random) {
  if (chance <= 0) return false;
  return static_cast<double>(random() >> 11U) * 0x1p-53 < chance;
}

}  // namespace

std::string SimulatedCluster::State::NextVersion() {
  return std::to_string(++version);
}

// Random except for the last part, a counter: unique by construction.
std::string SimulatedCluster::State::NewUid() {
  std::string uid = "xxxxxxxx-xxxx-4xxx-8xxx-";
  for (char& c : uid) {
    if (c == 'x') c = kDigits[random() & 15U];
  }
  const std::uint64_t number = ++objects;
  for (int shift = 44; shift >= 0; shift -= 4) {
    uid += kDigits[(number >> static_cast<unsigned>(shift)) & 15U];
  }
  return uid;
}

std::string SimulatedCluster::State::NewSuffix() {
  std::string suffix;
  for (int i = 0; i < 5; ++i) suffix += kLetters[random() % kLetters.size()];
  return suffix;
}

void SimulatedCluster::State::CheckReachable() const {
  if (!reachable) throw Unreachable("the simulated cluster is away");
}

void SimulatedCluster::State::Send(const WatchEvent& event) {
  std::erase_if(watches, [](const auto& watch) { return watch.expired(); });
  const Time due = Now() + watch_faults.delay;
  for (const auto& watch : watches) {
    const auto queue = watch.lock();
    if (!queue) continue;
    if (Happens(watch_faults.drop, random)) {
      queue->Drop();
      continue;
    }
    queue->Push(event, due);
    if (Happens(watch_faults.repeat, random)) queue->Push(event, due);
    const bool late = Happens(watch_faults.late, random);
    if (late && last_sent.object.index() != 0) queue->Push(last_sent, due);
  }
  if (watch_faults.late > 0) last_sent = event;
}

void SimulatedCluster::State::PutList(WatchQueue& queue) {
  std::vector<WatchEvent> list;
  list.reserve(nodes.size() + pods.Count() + 2);
  list.push_back({WatchEvent::Kind::kListBegin, {}});
  for (const auto& [name, node] : nodes) {
    list.push_back({WatchEvent::Kind::kChanged, node.node});
  }
  // Lists each kind that ever had an object separately.
  const auto add = [&list](WatchedKind kind, const auto& objects) {
    if (objects.empty()) return;
    list.push_back({WatchEvent::Kind::kListBegin, {}, kind});
    for (const auto& [key, object] : objects) {
      if (object != nullptr)
        list.push_back({WatchEvent::Kind::kChanged, object});
    }
    list.push_back({WatchEvent::Kind::kListEnd, {}, kind});
  };
  add(WatchedKind::kNamespaces, namespaces);
  add(WatchedKind::kStorageClasses, storage_classes);
  add(WatchedKind::kVolumes, volumes);
  add(WatchedKind::kVolumeClaims, claims);
  std::map<std::uint64_t, std::shared_ptr<const JobAnnotations>> telling;
  for (const auto& [number, job] : jobs)
    if (jobs_have_told) telling[number] = job.tells ? ToldBy(job) : nullptr;
  add(WatchedKind::kJobs, telling);
  add(WatchedKind::kDeviceClasses, device_classes);
  add(WatchedKind::kResourceSlices, slices);
  add(WatchedKind::kClaimTemplates, claim_templates);
  add(WatchedKind::kResourceClaims, resource_claims);
  for (PodPointer& pod : pods.All()) {
    list.push_back({WatchEvent::Kind::kChanged, std::move(pod)});
  }
  list.push_back({WatchEvent::Kind::kListEnd, {}});
  queue.PutList(std::move(list));
}

std::unique_ptr<Watch> SimulatedCluster::WatchAll() {
  State& state = *state_;
  const sql::MutexLock lock(state.mutex);
  auto queue = std::make_shared<WatchQueue>(
      static_cast<std::size_t>(std::max(1, state.options.watch_buffer)));
  queue->Silence(!state.reachable);
  state.watches.push_back(queue);
  const auto list = [&state](WatchQueue& asking) {
    const sql::MutexLock list_lock(state.mutex);
    state.PutList(asking);
  };
  return std::make_unique<SimulatedWatch>(
      std::move(queue), SimulatedWatch::Source{[&state] { return state.Now(); },
                                               list, state.options.real_time});
}

std::optional<Pod> SimulatedCluster::GetPod(const std::string& namespace_name,
                                            const std::string& name) {
  const sql::MutexLock lock(state_->mutex);
  state_->CheckReachable();
  const SimulatedPod* const pod = state_->pods.Find(namespace_name, name);
  if (pod == nullptr) return std::nullopt;
  return *pod->pod;
}

std::vector<TouchResult> SimulatedCluster::Touch(
    std::span<const ObjectName> pods) {
  const sql::MutexLock lock(state_->mutex);
  state_->CheckReachable();
  std::vector<TouchResult> results;
  for (const ObjectName& name : pods) {
    TouchResult& result = results.emplace_back();
    SimulatedPod* const pod = state_->pods.Find(name.namespace_name, name.name);
    if (pod == nullptr || pod->pod->uid != name.uid) continue;
    if (!pod->pod->node_name.empty()) {
      result.bound = pod->pod;
      continue;
    }
    state_->ChangePod(*pod, [](Pod&) {});
    result.resource_version = pod->pod->resource_version;
  }
  return results;
}

SimulatedPod& SimulatedCluster::State::AddPod(Pod pod, RestartPolicy restart,
                                              const PodRun& run) {
  pod.uid = NewUid();
  pod.resource_version = NextVersion();
  pod.phase = PodPhase::kPending;
  pod.reason.clear();
  pod.terminating = false;
  pod.created_at = Now();
  MergeLabelKeys(pod.labels, pod.request);
  PutClaimsInto(pod.namespace_name, pod.request);
  SimulatedPod& added = pods.Add(std::make_shared<const Pod>(std::move(pod)));
  added.restart = restart;
  added.run = run;
  Publish(WatchEvent::Kind::kChanged, added.pod);
  MakeClaims(added);
  if (!added.pod->node_name.empty()) Arrive(added);
  return added;
}

// A running pod gets its grace period; any other is removed at once.
bool SimulatedCluster::State::DeletePod(SimulatedPod& pod, Deleter deleter) {
  if (pod.pod->terminating) return true;
  if (pod.pod->phase == PodPhase::kRunning) pod.exit_code = kKilled;
  NotePodOver(pod, false, deleter == Deleter::kUser);
  if (pod.pod->node_name.empty() || pod.Over() || NodeOf(pod) == nullptr) {
    RemovePod(pod);
    return true;
  }
  ++pod.epoch;
  if (pod.job != nullptr) ++pod.job->terminating;
  ChangePod(pod, [](Pod& p) { p.terminating = true; });
  AddTimer(Timer::Kind::kGone, Now() + options.termination_grace, pod);
  return true;
}

void SimulatedCluster::State::RemovePod(SimulatedPod& pod) {
  Leave(pod);
  FreeClaims(*pod.pod);
  SimulatedJob* const job = pod.job;
  if (job != nullptr) {
    job->pods.erase(pod.slot);
    if (pod.pod->terminating) --job->terminating;
    if (job->status.job.replaces_when_gone && !job->Over()) {
      AddTimer(Timer::Kind::kSyncJob, Now(), *job);
    }
  }
  auto last = std::make_shared<Pod>(*pod.pod);
  last->resource_version = NextVersion();
  pods.Remove(pod);
  Publish<Pod>(WatchEvent::Kind::kDeleted, std::move(last));
}

void SimulatedCluster::State::Cascade(const std::string& uid) {
  const auto controls = [&uid](const std::optional<Owner>& controller) {
    return controller && controller->uid == uid;
  };
  std::vector<std::uint64_t> dependent_jobs;
  for (auto& [number, job] : jobs) {
    if (controls(job.status.job.controller)) dependent_jobs.push_back(number);
  }
  for (const std::uint64_t number : dependent_jobs) DeleteJob(jobs.at(number));
  for (const PodPointer& pod : pods.All()) {
    if (!controls(pod->controller)) continue;
    DeletePod(*pods.Find(pod->namespace_name, pod->name), Deleter::kController);
  }
}

bool SimulatedCluster::Delete(const ObjectName& object) {
  const sql::MutexLock lock(state_->mutex);
  state_->CheckReachable();
  const auto matches = [&object](const std::string& uid) {
    return object.uid.empty() || object.uid == uid;
  };
  if (object.kind == "Pod") {
    auto* const pod = state_->pods.Find(object.namespace_name, object.name);
    return pod != nullptr && matches(pod->pod->uid) &&
           state_->DeletePod(*pod, State::Deleter::kUser);
  }
  if (object.kind == "Job") {
    auto* const job = state_->FindJob(object.namespace_name, object.name);
    if (job == nullptr || !matches(job->status.uid)) return false;
    state_->DeleteJob(*job);
    return true;
  }
  std::vector<std::string> condemned;
  for (const auto& [uid, owner] : state_->owners) {
    if (owner.object.kind == object.kind && owner.object.name == object.name &&
        owner.object.namespace_name == object.namespace_name && matches(uid)) {
      condemned.push_back(uid);
    }
  }
  const bool found = !condemned.empty();
  while (!condemned.empty()) {
    const std::string uid = std::move(condemned.back());
    condemned.pop_back();
    state_->owners.erase(uid);
    for (const auto& [other_uid, other] : state_->owners) {
      if (other.controller && other.controller->uid == uid) {
        condemned.push_back(other_uid);
      }
    }
    state_->Cascade(uid);
  }
  return found;
}

const SimulatedCluster::State::OtherOwner* SimulatedCluster::State::FindOther(
    const ObjectName& name) const {
  const auto found = std::ranges::find_if(owners, [&name](const auto& entry) {
    const ObjectName& object = entry.second.object;
    return object.kind == name.kind && object.name == name.name &&
           object.namespace_name == name.namespace_name &&
           (name.uid.empty() || object.uid == name.uid);
  });
  return found == owners.end() ? nullptr : &found->second;
}

std::optional<ObjectName> SimulatedCluster::TopOwner(const ObjectName& owner) {
  const sql::MutexLock lock(state_->mutex);
  state_->CheckReachable();
  std::optional<ObjectName> top;
  ObjectName next = owner;
  for (std::size_t steps = 0; steps <= state_->owners.size() + 1; ++steps) {
    const std::optional<Owner>* above = nullptr;
    if (const auto* const job = state_->FindJob(next)) {
      next.uid = job->status.uid;
      above = &job->status.job.controller;
    } else if (const auto* const other = state_->FindOther(next)) {
      next.uid = other->object.uid;
      above = &other->controller;
    } else {
      return top;
    }
    top = next;
    if (!*above) return top;
    next = {(*above)->kind, next.namespace_name, (*above)->name, (*above)->uid};
  }
  return top;
}

bool SimulatedCluster::MayReplace(const ObjectName& owner) {
  const sql::MutexLock lock(state_->mutex);
  state_->CheckReachable();
  const auto* const job = state_->FindJob(owner);
  if (job != nullptr) return !job->Over();
  return state_->FindOther(owner) != nullptr;
}

void SimulatedCluster::Record(std::span<const PodEvent> events) {
  const sql::MutexLock lock(state_->mutex);
  state_->CheckReachable();
  for (const PodEvent& event : events) {
    const auto* const pod =
        state_->pods.Find(event.namespace_name, event.pod_name);
    if (pod == nullptr || pod->pod->uid != event.pod_uid) continue;
    state_->events.push_back(event);
    if (state_->events.size() >
        static_cast<std::size_t>(state_->options.events_kept)) {
      state_->events.pop_front();
    }
  }
}

std::vector<StatusResult> SimulatedCluster::SetConditions(
    std::span<const PodCondition> conditions) {
  const sql::MutexLock lock(state_->mutex);
  state_->CheckReachable();
  std::vector<StatusResult> results;
  for (const PodCondition& condition : conditions) {
    StatusResult& result = results.emplace_back();
    result.outcome = StatusOutcome::kConflict;
    auto* const pod =
        state_->pods.Find(condition.namespace_name, condition.pod_name);
    if (pod == nullptr || pod->pod->uid != condition.pod_uid) continue;
    if (!condition.resource_version.empty() &&
        condition.resource_version != pod->pod->resource_version) {
      continue;
    }
    if (!pod->condition || pod->condition->type != condition.type ||
        pod->condition->reason != condition.reason ||
        pod->condition->message != condition.message) {
      pod->condition = std::make_unique<PodCondition>(condition);
      state_->ChangePod(*pod, [](Pod&) {});
    }
    result = {StatusOutcome::kSet, pod->pod->resource_version};
  }
  return results;
}

}  // namespace fluxnetes::cluster
