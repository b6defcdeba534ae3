#include <algorithm>
#include <string>

#include "cluster/simulated/job_ends.h"
#include "cluster/simulated/simulated_cluster.h"
#include "cluster/simulated/simulated_state.h"

namespace fluxnetes::cluster {
namespace {

constexpr int kLongestBackoff = 60;  // times the first backoff

using Action = PodFailureRule::Action;

bool PastBackoffLimit(const SimulatedJob& job) {
  const int limit = job.status.job.backoff_limit;
  return job.status.failed > limit ||
         (job.restarts > 0 && job.restarts >= limit);
}

// Returns the reason in the words of Kubernetes; empty: it has not failed.
std::string WhyFailed(const SimulatedJob& job) {
  if (job.failed_by_rule) return "PodFailurePolicy";
  if (PastBackoffLimit(job)) return "BackoffLimitExceeded";
  const int failed = static_cast<int>(job.failed_indexes.size());
  const KubernetesJob& wish = job.status.job;
  if (wish.max_failed_indexes && failed > *wish.max_failed_indexes) {
    return "MaxFailedIndexesExceeded";
  }
  const bool all =
      failed + job.status.succeeded >= wish.completions.value_or(0);
  return failed > 0 && all ? "FailedIndexes" : "";
}

bool Complete(const SimulatedJob& job) {
  const auto& completions = job.status.job.completions;
  if (completions) return job.status.succeeded >= *completions;
  return job.status.succeeded > 0 && job.status.active == 0;
}

PodFailure FailureOf(const SimulatedPod& pod) {
  const bool announced =
      pod.condition != nullptr &&
      pod.condition->type == PodCondition::Type::kDisruptionTarget;
  return {pod.exit_code, pod.run.container, pod.disrupted || announced};
}

}  // namespace

bool SimulatedCluster::State::FinishIfOver(SimulatedJob& job) {
  const std::string failure = WhyFailed(job);
  if (!failure.empty()) {
    FinishJob(job, KubernetesJobStatus::State::kFailed, failure);
  } else if (IsEnough(job.status.job.success_rules, job.succeeded_indexes)) {
    FinishJob(job, KubernetesJobStatus::State::kComplete, "SuccessPolicy");
  } else if (Complete(job)) {
    FinishJob(job, KubernetesJobStatus::State::kComplete, "");
  }
  return job.Over();
}

void SimulatedCluster::State::FinishJob(SimulatedJob& job,
                                        KubernetesJobStatus::State state,
                                        const std::string& reason) {
  DeleteActive(job, job.status.active);
  job.status.state = state;
  job.status.reason = reason;
  job.status.ended_at = Now();
  if (const auto ttl = job.status.job.ttl_after_finished) {
    AddTimer(Timer::Kind::kJobExpires, Now() + *ttl, job);
  }
}

void SimulatedCluster::State::NotePodOver(SimulatedPod& pod, bool succeeded,
                                          bool counts) {
  SimulatedJob* const job = pod.job;
  if (job == nullptr || !pod.Active()) return;
  --job->status.active;
  const auto index = pod.pod->completion_index;
  if (succeeded) {
    ++job->status.succeeded;
    job->failures_in_a_row = 0;
    if (index) job->succeeded_indexes.insert(*index);
  }
  if (counts && !job->Over()) {
    AddTimer(Timer::Kind::kSyncJob, Now(), *job);
    if (!succeeded) return NotePodFailed(*job, pod);
  }
  if (!succeeded && index) job->open_indexes.insert(*index);
}

void SimulatedCluster::State::NotePodFailed(SimulatedJob& job,
                                            const SimulatedPod& pod) {
  const KubernetesJob& wish = job.status.job;
  const auto index = pod.pod->completion_index;
  const Action action = ActionOn(wish.failure_rules, FailureOf(pod));
  if (action == Action::kFailJob) job.failed_by_rule = true;
  if (action != Action::kIgnore) {
    ++job.status.failed;
    const bool for_good = action == Action::kFailIndex;
    if (index && NoteIndexFailed(job, *index, for_good)) return;
  }
  const int doublings = std::min(job.failures_in_a_row++, 10);
  const int times = std::min(1 << doublings, kLongestBackoff);
  const Time again = Now() + options.job_backoff * times;
  if (index && wish.backoff_limit_per_index) {
    job.delayed_indexes.emplace(again, *index);
    AddTimer(Timer::Kind::kSyncJob, again, job);
    return;
  }
  if (index) job.open_indexes.insert(*index);
  job.not_before = again;
}

bool SimulatedCluster::State::NoteIndexFailed(SimulatedJob& job, int index,
                                              bool for_good) {
  const auto limit = job.status.job.backoff_limit_per_index;
  if (!limit) return false;
  const int failures = ++job.failures_of_index[index];
  if (!for_good && failures <= *limit) return false;
  job.failed_indexes.insert(index);
  return true;
}

}  // namespace fluxnetes::cluster
