// Actions of users in a random run.
#include <algorithm>
#include <iterator>

#include "tests/invariants/random/random_run.h"
#include "workers/pods/group_labels.h"
#include "workers/pools/pool_labels.h"
#include "workers/requests/cancel.h"

namespace fluxnetes::testing {

std::string RandomRun::AnyQueue() {
  if (queues_ == 0) return "";
  static constexpr const char* kShared[] = {"", "default", "red", "blue"};
  static constexpr const char* kApart[] = {"red", "blue"};
  return queues_ == 1 ? kShared[Pick(0, 3)] : kApart[Pick(0, 1)];
}

std::string RandomRun::AnySpace() { return Chance(0.8) ? "default" : "lab"; }

std::string RandomRun::AnyPools() {
  if (!pools_ || Chance(0.7)) return "";
  std::string labels = fmt::format("fluxnetes.pool/licences: '{}'", Pick(1, 5));
  if (Chance(0.3)) labels += ", fluxnetes.pool/tapes: '1'";
  return labels;
}

GangShape RandomRun::AnyShape(int size) {
  GangShape shape;
  shape.cpu = size > 8 ? "500m" : std::to_string(Pick(1, 5));
  shape.memory = Chance(0.2) ? "9Gi" : "100Mi";
  shape.gpus = Chance(0.05) ? Pick(1, 2) : 0;
  shape.seconds = Pick(1, 240);
  if (Chance(0.4)) shape.limit = Pick(30, 300);
  if (Chance(0.15)) shape.fail_first = Pick(1, 2);
  shape.backoff_limit = Pick(0, 6);
  shape.suspend = Chance(0.05);
  if (Chance(0.05)) shape.selector = "{disk: ssd}";
  if (Chance(0.15)) shape.priority = Pick(-2, 5);
  shape.gated = Chance(0.05);
  if (Chance(0.15)) shape.topology = Chance(0.7) ? "rack" : "host";
  if (shape.topology.empty() && size % 2 == 0 && Chance(0.1))
    shape.levels = Chance(0.5) ? "rack:2" : "host:2,rack";
  if (size % 2 == 0 && Chance(0.05)) shape.per_node = 2;
  shape.exclusive = Chance(0.05);
  shape.queue = AnyQueue();
  shape.name_space = AnySpace();
  shape.more_labels = AnyPools();
  return shape;
}

void RandomRun::SubmitJob(const std::string& name, int size,
                          const GangShape& shape) {
  Note(fmt::format(
      "submit {}/{} of {} (but {}) x {} cpu, {} gpus, {} s, limit {}, fails "
      "{}, queue '{}', topology '{}{}', {} per node, priority {}{}{} {}",
      shape.name_space, name, size, -shape.absent, shape.cpu, shape.gpus,
      shape.seconds, shape.limit.value_or(0), shape.fail_first, shape.queue,
      shape.topology, shape.levels, shape.per_node, shape.priority,
      shape.gated ? ", gated" : "", shape.suspend ? ", suspended" : "",
      shape.more_labels));
  system_.Submit(GangOf(name, size, shape));
  jobs_.push_back({shape.name_space, name});
}

void RandomRun::Submit() {
  static constexpr int kSizes[] = {1, 1, 1, 2,  2,  3,  4,
                                   4, 6, 8, 12, 16, 32, 64};
  const int size = kSizes[Pick(0, std::size(kSizes) - 1)];
  GangShape shape = AnyShape(size);
  if (Chance(0.05)) shape.absent = -Pick(1, 2);
  if (Chance(0.1)) {
    shape.absent = -Pick(0, 6);
    shape.most = size + Pick(0, 6);
  }
  SubmitJob(fmt::format("job{}", ++submitted_), size, shape);
}

// Submits pods without a controller, each of a different shape.
void RandomRun::SubmitPods() {
  const std::string group = fmt::format("pods{}", ++submitted_);
  const int size = Pick(1, 4);
  const int made = Chance(0.1) ? size + 1 : size;
  GangShape shape;
  shape.queue = AnyQueue();
  shape.name_space = AnySpace();
  const bool labelled = size > 1 || Chance(0.5);
  Note(fmt::format("submit {} bare pods of {} of {} in queue '{}'", made, group,
                   size, shape.queue));
  for (int i = 0; i < made; ++i) {
    shape.cpu = std::to_string(Pick(1, 3));
    shape.seconds = Pick(1, 120);
    shape.gated = Chance(0.05);
    system_.Submit(PodOf(fmt::format("{}-{}", group, i),
                         labelled ? group : std::string(), size, shape));
    if (Chance(0.3)) system_.Settle();
  }
}

// Submits a gang of two Jobs, in which one pod requests more than the others.
void RandomRun::SubmitLauncher() {
  const std::string name = fmt::format("mpi{}", ++submitted_);
  const int size = Pick(2, 9);
  GangShape workers = AnyShape(size);
  workers.group = name;
  workers.absent = 1;
  GangShape launcher = AnyShape(1);
  launcher.name_space = workers.name_space;
  launcher.group = name;
  launcher.queue = workers.queue;
  launcher.topology = workers.topology;
  launcher.levels = workers.levels;
  launcher.per_node = workers.per_node;
  launcher.exclusive = workers.exclusive;
  launcher.more_labels = workers.more_labels;
  launcher.absent = size - 1;
  SubmitJob(name + "-workers", size, workers);
  if (Chance(0.5)) system_.Settle();
  SubmitJob(name + "-launcher", size, launcher);
}

// Submits the same name again while the first pods are still terminating.
void RandomRun::SubmitAgain() {
  const JobName* job = AnyJob();
  if (job == nullptr) return;
  const JobName again = *job;
  Note("delete " + again.name + " and make it again");
  system_.cluster.Delete({"Job", again.name_space, again.name, ""});
  if (Chance(0.3)) system_.Settle();
  if (system_.cluster.GetJob(again.name_space, again.name)) return;
  const int size = Pick(1, 8);
  GangShape shape = AnyShape(size);
  shape.name_space = again.name_space;
  SubmitJob(again.name, size, shape);
  ++submitted_;
}

const RandomRun::JobName* RandomRun::AnyJob() {
  if (jobs_.empty()) return nullptr;
  // Mostly a recent one: older ones have ended.
  const int last = static_cast<int>(jobs_.size()) - 1;
  const int first = Chance(0.8) ? std::max(0, last - 12) : 0;
  return &jobs_[Pick(first, last)];
}

void RandomRun::DeleteJob() {
  const JobName* job = AnyJob();
  if (job == nullptr) return;
  if (!system_.cluster.Delete({"Job", job->name_space, job->name, ""})) return;
  Note("delete " + job->name);
}

cluster::PodPointer RandomRun::AnyPod(bool bound) {
  std::vector<cluster::PodPointer> pods;
  for (const auto& pod : system_.cluster.TakeSnapshot().pods) {
    if (pod->scheduler_name == "fluxnetes" && !pod->terminating &&
        pod->node_name.empty() != bound &&
        (pod->phase == cluster::PodPhase::kPending ||
         pod->phase == cluster::PodPhase::kRunning)) {
      pods.push_back(pod);
    }
  }
  if (pods.empty()) return nullptr;
  return pods[Pick(0, static_cast<int>(pods.size()) - 1)];
}

void RandomRun::DeletePod() {
  const auto pod = AnyPod(Chance(0.5));
  if (pod == nullptr) return;
  Note("delete pod " + pod->name);
  system_.cluster.Delete({"Pod", pod->namespace_name, pod->name, pod->uid});
}

void RandomRun::EndPod() {
  const auto pod = AnyPod(true);
  const int code = Pick(0, 1);
  if (pod == nullptr) return;
  Note(fmt::format("end pod {} with {}", pod->name, code));
  system_.cluster.EndPod(pod->namespace_name, pod->name, code);
}

void RandomRun::Cancel() {
  const auto pod = AnyPod(Chance(0.5));
  if (pod == nullptr) return;
  const std::string group =
      workers::ReadGroupLabels(*pod, cluster::ClusterCache()).group_name;
  Note("cancel " + group);
  workers::CancelGroup(system_.process->pool, pod->namespace_name, group,
                       "as wished", system_.cluster.Now());
}

void RandomRun::Relabel() {
  const auto pod = AnyPod(false);
  const auto other = AnyPod(Chance(0.5));
  const int how = Pick(0, 9);
  if (pod == nullptr) return;
  auto labels = pod->labels;
  const auto pools = workers::ReadPoolLabels(*pod).pools;
  if (how == 0) {
    labels.clear();
  } else if (how < 4 && other != nullptr) {
    labels = other->labels;
  } else if (how == 4 && queues_ > 0) {
    labels["fluxnetes.queue"] = Chance(0.5) ? "red" : "blue";
  } else {
    labels["fluxnetes.group-name"] = fmt::format("moved{}", ++submitted_);
    labels["fluxnetes.group-size"] = how < 9 ? "1" : "-3";
  }
  Note(fmt::format("relabel {} in manner {}", pod->name, how));
  // What a pod asks of pools never changes: the invariants count by it.
  for (const char* const pool : {"licences", "tapes"}) {
    const std::string label = std::string(workers::kPoolLabelPrefix) + pool;
    labels.erase(label);
    if (pools.contains(pool)) labels[label] = std::to_string(pools.at(pool));
  }
  system_.cluster.SetLabels(pod->namespace_name, pod->name, labels);
}

void RandomRun::Suspend() {
  const JobName* job = AnyJob();
  if (job == nullptr) return;
  const bool suspend = Chance(0.4);
  Note(fmt::format("{} {}", suspend ? "suspend" : "resume", job->name));
  system_.cluster.SuspendJob(job->name_space, job->name, suspend);
}

void RandomRun::Scale() {
  const JobName* job = AnyJob();
  if (job == nullptr) return;
  const int parallelism = Pick(0, 8);
  Note(fmt::format("scale {} to {}", job->name, parallelism));
  system_.cluster.ScaleJob(job->name_space, job->name, parallelism);
}

void RandomRun::LiftGates() {
  for (const auto& pod : system_.cluster.TakeSnapshot().pods) {
    if (!pod->gated || Chance(0.3)) continue;
    Note("lift gates of " + pod->name);
    system_.cluster.LiftGates(pod->namespace_name, pod->name);
  }
}

}  // namespace fluxnetes::testing
