// The state of a simulated cluster and its parts: the API server (in
// simulated_api.cc and simulated_binding.cc), the kubelets
// (simulated_kubelet.cc), claims of devices (simulated_claims.cc), the Job
// controller (simulated_jobs.cc, simulated_job_ends.cc), and nodes with the
// collector of orphans (simulated_nodes.cc).
//
// Tests: tests/cluster/simulated/simulated_cluster_test.cc.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "cluster/simulated/numa_book.h"
#include "cluster/simulated/simulated_cluster.h"
#include "cluster/simulated/simulated_job.h"
#include "cluster/simulated/simulated_pods.h"
#include "cluster/simulated/simulated_watch.h"
#include "cluster/simulated/timer_queue.h"
#include "sql/condition_variable.h"
#include "sql/mutex.h"

namespace fluxnetes::cluster {

struct SimulatedNode {
  NodePointer node;
  Resources used;                   // by admitted pods
  std::vector<std::uint32_t> pods;  // sorted slots of pods with this name
  // Of a kubelet that refuses by it; by slots of admitted pods.
  std::optional<NumaBook> numa;
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
  void RunUntil(Time time) REQUIRES(mutex);  // runs all that is due, in order
  void RunTimer(const Timer& timer) REQUIRES(mutex);
  bool IsVoid(const Timer& timer) REQUIRES(mutex);
  void DropVoidTimers() REQUIRES(mutex);
  void AddTimer(const Timer& timer) REQUIRES(mutex);
  void AddTimer(Timer::Kind kind, Time due, const SimulatedPod& pod)
      REQUIRES(mutex);
  void AddTimer(Timer::Kind kind, Time due, const SimulatedJob& job)
      REQUIRES(mutex);
  void RunThread() EXCLUDES(mutex);

  // Objects.
  std::string NextVersion() REQUIRES(mutex);
  std::string NewUid() REQUIRES(mutex);
  std::string NewSuffix() REQUIRES(mutex);  // of a generated name
  template <typename Object>
  void Publish(WatchEvent::Kind kind, std::shared_ptr<const Object> object)
      REQUIRES(mutex);
  void Send(const WatchEvent& event) REQUIRES(mutex);
  void PutList(WatchQueue& queue) REQUIRES(mutex);
  void CheckReachable() const REQUIRES(mutex);
  // Replaces the pod by a changed copy with a new version, and publishes it.
  template <typename Change>
  void ChangePod(SimulatedPod& pod, Change change) REQUIRES(mutex);
  template <typename Object>
  void PutObject(std::map<std::string, std::shared_ptr<const Object>>& objects,
                 const std::string& key, Object object) REQUIRES(mutex);
  // Returns false if it does not exist.
  template <typename Object>
  bool RemoveObject(
      std::map<std::string, std::shared_ptr<const Object>>& objects,
      const std::string& key) REQUIRES(mutex);
  template <typename Change>
  bool ChangeNode(const std::string& name, Change change) REQUIRES(mutex);

  // Pods.
  SimulatedPod& AddPod(Pod pod, RestartPolicy restart, const PodRun& run)
      REQUIRES(mutex);
  bool DeletePod(SimulatedPod& pod, Deleter deleter) REQUIRES(mutex);
  void RemovePod(SimulatedPod& pod) REQUIRES(mutex);
  // Deletes what this object controls.
  void Cascade(const std::string& uid) REQUIRES(mutex);
  const OtherOwner* FindOther(const ObjectName& name) const REQUIRES(mutex);
  BindResult BindOne(const Binding& binding) REQUIRES(mutex);
  std::optional<BindFault> TakeBindFault() REQUIRES(mutex);

  // Claims of devices (simulated_claims.cc), by "namespace/name".
  void MakeClaims(SimulatedPod& pod) REQUIRES(mutex);  // of templates
  bool HasItsClaims(const Pod& pod) const REQUIRES(mutex);
  void ChangeClaim(ResourceClaim claim) REQUIRES(mutex);
  bool DeleteClaim(const std::string& key) REQUIRES(mutex);
  // The pod has ended or is gone.
  void FreeClaims(const Pod& pod) REQUIRES(mutex);
  template <typename Wish>
  std::vector<ClaimResult> WriteClaims(std::span<const Wish> wishes)
      EXCLUDES(mutex);

  // Kubelets and nodes.
  void Arrive(SimulatedPod& pod) REQUIRES(mutex);  // the pod was given a node
  void Leave(SimulatedPod& pod) REQUIRES(mutex);
  void Admit(SimulatedPod& pod) REQUIRES(mutex);
  std::string WhyRejected(const SimulatedNode& node,
                          const PodRequest& request) const REQUIRES(mutex);
  void Start(SimulatedPod& pod, SimulatedNode& node) REQUIRES(mutex);
  void EndRun(SimulatedPod& pod, int exit_code) REQUIRES(mutex);
  void End(SimulatedPod& pod, PodPhase phase, const std::string& reason)
      REQUIRES(mutex);
  void Discharge(SimulatedPod& pod) REQUIRES(mutex);
  // Publishes what the kubelet has left of its NUMA domains.
  void ReportZones(const SimulatedNode& node) REQUIRES(mutex);
  void Collect(SimulatedPod& pod) REQUIRES(mutex);
  void TakeOrphansBack(const std::string& node) REQUIRES(mutex);
  void EvictUntolerating(SimulatedNode& node) REQUIRES(mutex);
  void WakeKubelet(SimulatedNode& node) REQUIRES(mutex);  // admits waiting pods
  SimulatedNode* NodeOf(const SimulatedPod& pod) REQUIRES(mutex);

  // The Job controller.
  SimulatedJob* FindJob(const std::string& namespace_name,
                        const std::string& name) REQUIRES(mutex);
  // Null for an object of another kind or with another UID.
  const SimulatedJob* FindJob(const ObjectName& name) REQUIRES(mutex);
  void SyncJob(SimulatedJob& job) REQUIRES(mutex);
  void ReconcileJob(SimulatedJob& job) REQUIRES(mutex);
  // Returns whether the Job has failed or succeeded, and finishes it then.
  bool FinishIfOver(SimulatedJob& job) REQUIRES(mutex);
  void ResumeJob(SimulatedJob& job) REQUIRES(mutex);
  void FinishJob(SimulatedJob& job, KubernetesJobStatus::State state,
                 const std::string& reason) REQUIRES(mutex);
  void MatchParallelism(SimulatedJob& job) REQUIRES(mutex);
  void CreateJobPod(SimulatedJob& job) REQUIRES(mutex);
  void DeleteActive(SimulatedJob& job, int count) REQUIRES(mutex);
  // Records that an active pod of a Job ended or is being deleted.
  void NotePodOver(SimulatedPod& pod, bool succeeded, bool counts)
      REQUIRES(mutex);
  void NotePodFailed(SimulatedJob& job, const SimulatedPod& pod)
      REQUIRES(mutex);
  // True if the index gets no pod any more.
  bool NoteIndexFailed(SimulatedJob& job, int index, bool for_good)
      REQUIRES(mutex);
  void DeleteJob(SimulatedJob& job) REQUIRES(mutex);
  // Gives the Job a new version, and tells the listener.
  void NoteJob(SimulatedJob& job, WatchEvent::Kind kind) REQUIRES(mutex);
  // What the Job tells the scheduler about its pods.
  static std::shared_ptr<const JobAnnotations> ToldBy(const SimulatedJob& job);
  // Notes the Job, and publishes this if there is anything, or was before.
  void PublishJob(SimulatedJob& job, WatchEvent::Kind kind) REQUIRES(mutex);

  const SimulatedClusterOptions options;
  std::thread thread;  // none on virtual time; for the owner only
  std::atomic<Time> virtual_now;

  mutable sql::Mutex mutex;
  sql::ConditionVariable timer_added;
  bool stopping GUARDED_BY(mutex) = false;
  bool reachable GUARDED_BY(mutex) = true;

  std::mt19937_64 random GUARDED_BY(mutex);
  std::uint64_t version GUARDED_BY(mutex) = 0;
  std::uint64_t objects GUARDED_BY(mutex) = 0;  // created so far
  int orphans GUARDED_BY(mutex) = 0;  // pods whose node does not exist
  TimerQueue timers GUARDED_BY(mutex);
  SimulatedPods pods GUARDED_BY(mutex);
  std::map<std::string, SimulatedNode> nodes GUARDED_BY(mutex);
  std::map<std::uint64_t, SimulatedJob> jobs GUARDED_BY(mutex);
  bool jobs_have_told GUARDED_BY(mutex) = false;  // the scheduler, ever
  JobListener job_listener GUARDED_BY(mutex);     // null: nobody
  // By "namespace/name".
  std::map<std::string, std::uint64_t> job_numbers GUARDED_BY(mutex);
  std::map<std::string, OtherOwner> owners GUARDED_BY(mutex);  // by UID
  // By "namespace/name"; null: removed.
  std::map<std::string, VolumeClaimPointer> claims GUARDED_BY(mutex);
  std::map<std::string, VolumePointer> volumes GUARDED_BY(mutex);
  std::map<std::string, StorageClassPointer> storage_classes GUARDED_BY(mutex);
  std::map<std::string, NamespacePointer> namespaces GUARDED_BY(mutex);
  std::map<std::string, DeviceClassPointer> device_classes GUARDED_BY(mutex);
  std::map<std::string, ResourceSlicePointer> slices GUARDED_BY(mutex);
  std::map<std::string, ClaimTemplatePointer> claim_templates GUARDED_BY(mutex);
  std::map<std::string, ResourceClaimPointer> resource_claims GUARDED_BY(mutex);
  std::vector<BindingRecord> bindings GUARDED_BY(mutex);
  std::deque<PodEvent> events GUARDED_BY(mutex);
  std::vector<std::weak_ptr<WatchQueue>> watches GUARDED_BY(mutex);
  WatchFaults watch_faults GUARDED_BY(mutex);
  BindFaultPlan bind_fault GUARDED_BY(mutex);
  WatchEvent last_sent GUARDED_BY(mutex);  // for late repetitions
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
