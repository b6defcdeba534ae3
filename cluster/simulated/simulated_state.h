// The state of a simulated cluster and its parts: the API server (in
// simulated_api.cc and simulated_binding.cc), the kubelets
// (simulated_kubelet.cc), the Job controller (simulated_jobs.cc), and nodes
// with the collector of orphans (simulated_nodes.cc).
//
// All functions but Now() and the thread's need `mutex` to be held.
// Tests: tests/cluster/simulated/simulated_cluster_test.cc.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "cluster/simulated/simulated_cluster.h"
#include "cluster/simulated/simulated_job.h"
#include "cluster/simulated/simulated_pods.h"
#include "cluster/simulated/simulated_watch.h"
#include "cluster/simulated/timer_queue.h"

namespace fluxnetes::cluster {

struct SimulatedNode {
  NodePointer node;
  Resources used;                   // by admitted pods
  std::vector<std::uint32_t> pods;  // sorted slots of pods with this name
};

struct SimulatedCluster::State {
  // Whether a Job counts a deleted pod as failed depends on who deleted it.
  enum class Deleter { kUser, kController };
  struct OtherOwner {
    ObjectName object;
    std::optional<Owner> controller;
  };
  struct BindFaultPlan {
    BindFault fault = BindFault::kRefused;
    int after = 0;
    int count = 0;
  };

  explicit State(const SimulatedClusterOptions& o)
      : options(o), random(o.seed) {
    virtual_now = o.start;
  }

  // Time.
  Time Now() const;
  void RunUntil(Time time);  // runs all that is due, in order
  void RunTimer(const Timer& timer);
  bool IsVoid(const Timer& timer);
  void DropVoidTimers();
  void AddTimer(const Timer& timer);
  void AddTimer(Timer::Kind kind, Time due, const SimulatedPod& pod);
  void AddTimer(Timer::Kind kind, Time due, const SimulatedJob& job);
  void RunThread();

  // Objects.
  std::string NextVersion();
  std::string NewUid();
  std::string NewSuffix();  // of a generated name
  template <typename Object>
  void Publish(WatchEvent::Kind kind, std::shared_ptr<const Object> object);
  void Send(const WatchEvent& event);
  void PutList(WatchQueue& queue);
  void CheckReachable() const;
  // Replaces the pod by a changed copy with a new version, and publishes it.
  template <typename Change>
  void ChangePod(SimulatedPod& pod, Change change);
  template <typename Object>
  void PutObject(std::map<std::string, std::shared_ptr<const Object>>& objects,
                 const std::string& key, Object object);
  template <typename Change>
  bool ChangeNode(const std::string& name, Change change);

  // Pods.
  SimulatedPod& AddPod(Pod pod, RestartPolicy restart, const PodRun& run);
  bool DeletePod(SimulatedPod& pod, Deleter deleter);
  void RemovePod(SimulatedPod& pod);
  void Cascade(const std::string& uid);  // deletes what this object controls
  const OtherOwner* FindOther(const ObjectName& name) const;
  BindResult BindOne(const Binding& binding);
  std::optional<BindFault> TakeBindFault();

  // Kubelets and nodes.
  void Arrive(SimulatedPod& pod);  // the pod was given a node
  void Leave(SimulatedPod& pod);
  void Admit(SimulatedPod& pod);
  std::string WhyRejected(const SimulatedNode& node,
                          const PodRequest& request) const;
  void Start(SimulatedPod& pod, SimulatedNode& node);
  void EndRun(SimulatedPod& pod, int exit_code);
  void End(SimulatedPod& pod, PodPhase phase, const std::string& reason);
  void Discharge(SimulatedPod& pod);
  void Collect(SimulatedPod& pod);
  void TakeOrphansBack(const std::string& node);
  void EvictUntolerating(SimulatedNode& node);
  void WakeKubelet(SimulatedNode& node);  // admits waiting pods
  SimulatedNode* NodeOf(const SimulatedPod& pod);

  // The Job controller.
  SimulatedJob* FindJob(const std::string& namespace_name,
                        const std::string& name);
  // Null for an object of another kind or with another UID.
  const SimulatedJob* FindJob(const ObjectName& name);
  void SyncJob(SimulatedJob& job);
  bool Exceeded(const SimulatedJob& job) const;
  bool Complete(const SimulatedJob& job) const;
  void ResumeJob(SimulatedJob& job);
  void FinishJob(SimulatedJob& job, KubernetesJobStatus::State state,
                 const std::string& reason);
  void MatchParallelism(SimulatedJob& job);
  void CreateJobPod(SimulatedJob& job);
  void DeleteActive(SimulatedJob& job, int count);
  // Records that an active pod of a Job ended or is being deleted.
  void NotePodOver(SimulatedPod& pod, bool succeeded, bool counts);
  void DeleteJob(SimulatedJob& job);

  const SimulatedClusterOptions options;
  mutable std::mutex mutex;
  std::condition_variable timer_added;
  std::thread thread;
  std::atomic<Time> virtual_now;
  bool stopping = false;
  bool reachable = true;

  std::mt19937_64 random;
  std::uint64_t version = 0;
  std::uint64_t objects = 0;  // created so far
  int orphans = 0;            // pods whose node does not exist
  TimerQueue timers;
  SimulatedPods pods;
  std::map<std::string, SimulatedNode> nodes;
  std::map<std::uint64_t, SimulatedJob> jobs;
  std::map<std::string, std::uint64_t> job_numbers;  // by "namespace/name"
  std::map<std::string, OtherOwner> owners;          // by UID
  // By "namespace/name"; null: removed.
  std::map<std::string, VolumeClaimPointer> claims;
  std::map<std::string, VolumePointer> volumes;
  std::map<std::string, StorageClassPointer> storage_classes;
  std::map<std::string, NamespacePointer> namespaces;
  std::vector<BindingRecord> bindings;
  std::deque<PodEvent> events;
  std::vector<std::weak_ptr<WatchQueue>> watches;
  WatchFaults watch_faults;
  BindFaultPlan bind_fault;
  WatchEvent last_sent;  // for late repetitions
};

template <typename Object>
void SimulatedCluster::State::Publish(WatchEvent::Kind kind,
                                      std::shared_ptr<const Object> object) {
  Send({kind, std::move(object)});
}

template <typename Change>
void SimulatedCluster::State::ChangePod(SimulatedPod& pod, Change change) {
  auto changed = std::make_shared<Pod>(*pod.pod);
  change(*changed);
  changed->resource_version = NextVersion();
  pod.pod = std::move(changed);
  Publish(WatchEvent::Kind::kChanged, pod.pod);
}

template <typename Object>
void SimulatedCluster::State::PutObject(
    std::map<std::string, std::shared_ptr<const Object>>& objects,
    const std::string& key, Object object) {
  object.resource_version = NextVersion();
  objects[key] = std::make_shared<const Object>(std::move(object));
  Publish(WatchEvent::Kind::kChanged, objects[key]);
}

template <typename Change>
bool SimulatedCluster::State::ChangeNode(const std::string& name,
                                         Change change) {
  const auto found = nodes.find(name);
  if (found == nodes.end()) return false;
  auto changed = std::make_shared<Node>(*found->second.node);
  change(*changed);
  changed->resource_version = NextVersion();
  found->second.node = std::move(changed);
  Publish(WatchEvent::Kind::kChanged, found->second.node);
  return true;
}

}  // namespace fluxnetes::cluster
