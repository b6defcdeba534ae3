#include <algorithm>
#include <utility>

#include "cluster/simulated/simulated_cluster.h"
#include "cluster/simulated/simulated_state.h"
#include "cluster/text/index_ranges.h"

namespace fluxnetes::cluster {
namespace {

using JobState = KubernetesJobStatus::State;

std::string JobKey(const std::string& namespace_name, const std::string& name) {
  return namespace_name + "/" + name;
}

ControllerState ControllerStateOf(const KubernetesJobStatus& status) {
  using Life = ControllerState::Life;
  ControllerState state;
  state.life = status.state == JobState::kComplete ? Life::kComplete
               : status.state == JobState::kFailed ? Life::kFailed
                                                   : Life::kLives;
  state.reason = status.state == JobState::kFailed ? status.reason : "";
  state.controlled = status.job.controller.has_value();
  state.job = true;
  state.at_once = status.job.parallelism;
  state.completions = status.job.completions;
  state.succeeded = status.succeeded;
  state.failed = status.failed;
  state.active = status.active;
  state.backoff_limit = status.job.backoff_limit;
  state.suspended = status.job.suspend;
  return state;
}

void OpenDueIndexes(SimulatedJob& job, Time now) {
  auto& delayed = job.delayed_indexes;
  while (!delayed.empty() && delayed.begin()->first <= now) {
    job.open_indexes.insert(delayed.begin()->second);
    delayed.erase(delayed.begin());
  }
}

// The indexes are written when they are asked for, because there may be many.
KubernetesJobStatus StatusOf(const SimulatedJob& job) {
  KubernetesJobStatus status = job.status;
  status.completed_indexes = FormatIndexes(RangesOf(job.succeeded_indexes));
  status.failed_indexes = FormatIndexes(RangesOf(job.failed_indexes));
  return status;
}

}  // namespace

SimulatedJob* SimulatedCluster::State::FindJob(
    const std::string& namespace_name, const std::string& name) {
  const auto number = job_numbers.find(JobKey(namespace_name, name));
  return number == job_numbers.end() ? nullptr : &jobs.at(number->second);
}

const SimulatedJob* SimulatedCluster::State::FindJob(const ObjectName& name) {
  if (name.kind != "Job") return nullptr;
  const SimulatedJob* const job = FindJob(name.namespace_name, name.name);
  if (job == nullptr) return nullptr;
  return name.uid.empty() || job->status.uid == name.uid ? job : nullptr;
}

std::optional<KubernetesJobStatus> SimulatedCluster::CreateJob(
    const KubernetesJob& job) {
  State& state = *state_;
  const sql::MutexLock lock(state.mutex);
  if (state.FindJob(job.namespace_name, job.name) != nullptr) {
    return std::nullopt;
  }
  const std::uint64_t number = ++state.objects;
  state.job_numbers[JobKey(job.namespace_name, job.name)] = number;
  SimulatedJob& created = state.jobs[number];
  created.number = number;
  created.status.job = job;
  created.status.uid = state.NewUid();
  created.status.created_at = state.Now();
  created.status.state = JobState::kSuspended;
  if (job.indexed) {
    for (int i = 0; i < job.completions.value_or(0); ++i) {
      created.open_indexes.insert(created.open_indexes.end(), i);
    }
  }
  state.PublishJob(created, WatchEvent::Kind::kChanged);
  state.SyncJob(created);
  return created.status;
}

std::shared_ptr<const JobAnnotations> SimulatedCluster::State::ToldBy(
    const SimulatedJob& job) {
  JobAnnotations told = AnnotationsOf(job.status.job);
  told.uid = job.status.uid;
  told.resource_version = job.status.resource_version;
  return std::make_shared<const JobAnnotations>(std::move(told));
}

void SimulatedCluster::State::NoteJob(SimulatedJob& job,
                                      WatchEvent::Kind kind) {
  job.status.resource_version = NextVersion();
  if (job_listener)
    job_listener(StatusOf(job), kind == WatchEvent::Kind::kDeleted);
}

void SimulatedCluster::State::PublishJob(SimulatedJob& job,
                                         WatchEvent::Kind kind) {
  NoteJob(job, kind);
  auto told = ToldBy(job);
  const bool told_before = std::exchange(job.tells, !told->annotations.empty());
  jobs_have_told |= job.tells;
  if (job.tells || told_before) Publish(kind, std::move(told));
}

void SimulatedCluster::State::SyncJob(SimulatedJob& job) {
  if (job.Over()) return;
  ReconcileJob(job);
  NoteJob(job, WatchEvent::Kind::kChanged);
}

// (Kubernetes: pkg/controller/job, syncJob.)
void SimulatedCluster::State::ReconcileJob(SimulatedJob& job) {
  if (FinishIfOver(job)) return;
  if (job.status.job.suspend) {
    job.status.state = JobState::kSuspended;
    job.status.started_at.reset();
    DeleteActive(job, job.status.active);
    return;
  }
  if (job.status.state == JobState::kSuspended) ResumeJob(job);
  OpenDueIndexes(job, Now());
  MatchParallelism(job);
}

void SimulatedCluster::State::ResumeJob(SimulatedJob& job) {
  job.status.state = JobState::kActive;
  job.status.started_at = Now();
  if (const auto deadline = job.status.job.active_deadline) {
    AddTimer(Timer::Kind::kJobDeadline, Now() + *deadline, job);
  }
}

void SimulatedCluster::State::MatchParallelism(SimulatedJob& job) {
  const KubernetesJob& wish = job.status.job;
  int wanted = wish.parallelism;
  if (wish.completions) {
    const int closed =
        job.status.succeeded + static_cast<int>(job.failed_indexes.size() +
                                                job.delayed_indexes.size());
    wanted = std::min(wanted, *wish.completions - closed);
  } else if (job.status.succeeded > 0) {
    wanted = std::min(wanted, job.status.active);
  }
  if (job.status.active > wanted) {
    DeleteActive(job, job.status.active - wanted);
  }
  if (wish.replaces_when_gone) wanted -= job.terminating;
  if (job.status.active < wanted && Now() < job.not_before) {
    AddTimer(Timer::Kind::kSyncJob, job.not_before, job);
  } else {
    while (job.status.active < wanted) CreateJobPod(job);
  }
}

void SimulatedCluster::State::CreateJobPod(SimulatedJob& job) {
  const KubernetesJob& wish = job.status.job;
  Pod pod = wish.pod_template.pod;
  pod.namespace_name = wish.namespace_name;
  pod.name = wish.name;
  pod.controller = Owner{"Job", wish.name, job.status.uid};
  pod.labels["batch.kubernetes.io/job-name"] = wish.name;
  int index = 0;
  if (wish.indexed) {
    index = *job.open_indexes.begin();
    job.open_indexes.erase(job.open_indexes.begin());
    pod.completion_index = index;
    pod.name += "-" + std::to_string(index);
    pod.labels["batch.kubernetes.io/job-completion-index"] =
        std::to_string(index);
  }
  const std::string stem = pod.name;
  do {
    pod.name = stem + "-" + NewSuffix();
  } while (pods.Find(pod.namespace_name, pod.name) != nullptr);
  SimulatedPod& added =
      AddPod(std::move(pod), wish.pod_template.restart, wish.pod_template.run);
  added.job = &job;
  if (added.restart == RestartPolicy::kNever) {
    added.attempt = job.attempts[index]++;
  }
  job.pods.insert(added.slot);
  ++job.status.active;
}

void SimulatedCluster::State::DeleteActive(SimulatedJob& job, int count) {
  const std::vector<std::uint32_t> slots(job.pods.rbegin(), job.pods.rend());
  for (const std::uint32_t slot : slots) {
    if (count == 0) return;
    SimulatedPod& pod = pods.At(slot);
    if (!pod.Active()) continue;
    --count;
    DeletePod(pod, Deleter::kController);
  }
}

void SimulatedCluster::State::DeleteJob(SimulatedJob& job) {
  const std::uint64_t number = job.number;
  job_numbers.erase(JobKey(job.status.job.namespace_name, job.status.job.name));
  const std::vector<std::uint32_t> slots(job.pods.begin(), job.pods.end());
  for (const std::uint32_t slot : slots) {
    SimulatedPod& pod = pods.At(slot);
    pod.job = nullptr;
    DeletePod(pod, Deleter::kController);
  }
  PublishJob(job, WatchEvent::Kind::kDeleted);
  jobs.erase(number);
}

bool SimulatedCluster::SuspendJob(const std::string& namespace_name,
                                  const std::string& job, bool suspend) {
  const sql::MutexLock lock(state_->mutex);
  SimulatedJob* const found = state_->FindJob(namespace_name, job);
  if (found == nullptr || found->Over()) return false;
  found->status.job.suspend = suspend;
  state_->SyncJob(*found);
  return true;
}

bool SimulatedCluster::ScaleJob(const std::string& namespace_name,
                                const std::string& job, int parallelism) {
  const sql::MutexLock lock(state_->mutex);
  SimulatedJob* const found = state_->FindJob(namespace_name, job);
  if (found == nullptr || found->Over() || parallelism < 0) return false;
  found->status.job.parallelism = parallelism;
  state_->SyncJob(*found);
  state_->PublishJob(*found, WatchEvent::Kind::kChanged);
  return true;
}

bool SimulatedCluster::AnnotateJob(
    const std::string& namespace_name, const std::string& job,
    const std::map<std::string, std::optional<std::string>>& annotations) {
  const sql::MutexLock lock(state_->mutex);
  SimulatedJob* const found = state_->FindJob(namespace_name, job);
  if (found == nullptr) return false;
  auto& now = found->status.job.annotations;
  for (const auto& [key, value] : annotations) {
    if (value) {
      now[key] = *value;
    } else {
      now.erase(key);
    }
  }
  state_->PublishJob(*found, WatchEvent::Kind::kChanged);
  return true;
}

std::optional<KubernetesJobStatus> SimulatedCluster::GetJob(
    const std::string& namespace_name, const std::string& name) const {
  const sql::MutexLock lock(state_->mutex);
  const SimulatedJob* const found = state_->FindJob(namespace_name, name);
  if (found == nullptr) return std::nullopt;
  return StatusOf(*found);
}

std::vector<ControllerState> SimulatedCluster::ReadControllers(
    std::span<const ObjectName> controllers) {
  const sql::MutexLock lock(state_->mutex);
  state_->CheckReachable();
  std::vector<ControllerState> states;
  for (const ObjectName& name : controllers) {
    ControllerState& state = states.emplace_back();
    if (const auto* const job = state_->FindJob(name)) {
      state = ControllerStateOf(job->status);
    } else if (MakesPods(name.kind) && state_->FindOther(name) == nullptr) {
      state.life = ControllerState::Life::kGone;
    }
  }
  return states;
}

std::string SimulatedCluster::ListenToJobs(JobListener listener) {
  const sql::MutexLock lock(state_->mutex);
  state_->job_listener = std::move(listener);
  return std::to_string(state_->version);
}

std::vector<KubernetesJobStatus> SimulatedCluster::Jobs() const {
  const sql::MutexLock lock(state_->mutex);
  std::vector<KubernetesJobStatus> all;
  for (const auto& [number, job] : state_->jobs) all.push_back(StatusOf(job));
  return all;
}

}  // namespace fluxnetes::cluster
