// A cluster in memory: API server, kubelets, the Job controller and the garbage
// collectors, as far as a scheduler can observe them.
//
//   create ─▶ Pending ─Bind─▶ Pending, has a node ─kubelet─▶ Running ─▶
//   Succeeded
//                                    │                          └─────▶ Failed
//                                    └─▶ Failed (OutOfcpu, NodeAffinity, ...)
//
// Faithful in what a scheduler can get wrong: events arrive asynchronously, and
// each watch has a bounded queue of its own; UIDs are unique, resource versions
// rise, a pod's node never changes; a kubelet rejects pods that do not fit. A
// binding to a node that does not exist is accepted, as by Kubernetes; the pod
// is then garbage-collected, as are the pods of a removed node. Claims of
// devices are made from templates; a kubelet waits until those of a pod have
// devices and are reserved for it; pods that have ended free theirs.
//
// Time is real (a thread runs what is due) or virtual (AdvanceTo runs it; the
// same seed and calls give the same history). In virtual time give watches a
// timeout of 0: nothing happens while they wait.
//
// Thread-safe. Outlives its watches.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/cluster_cache.h"
#include "cluster/objects/kubernetes_job.h"
#include "cluster/objects/pod_template.h"

namespace fluxnetes::cluster {

struct SimulatedClusterOptions {
  bool real_time = false;
  std::uint64_t seed = 1;                           // of UIDs, names and faults
  Time start{std::chrono::seconds(1'767'225'600)};  // virtual: 2026-01-01
  std::chrono::milliseconds start_delay{1};         // binding to running
  std::chrono::milliseconds termination_grace{10};  // deleted to gone
  std::chrono::milliseconds orphan_grace{100};      // node gone to pods gone
  // Backoff of the Job controller after a failure: doubles with each further
  // failure, up to 60 times this. (Kubernetes: 10 s.)
  std::chrono::milliseconds job_backoff{100};
  int watch_buffer = 100'000;  // events; a slower watch gets a list
  int events_kept = 20'000;    // PodEvents, for inspection
};

// Faults of the watches from now on. Probabilities are from 0 to 1.
struct WatchFaults {
  std::chrono::milliseconds delay{0};
  double repeat = 0;  // an event comes twice
  double late = 0;    // the event before it comes again after it
  double drop = 0;    // the connection is lost; queued events are missed
};

enum class BindFault {
  kRefused,      // answered as refused, not bound
  kConflict,     // answered as a conflict, not bound
  kUnreachable,  // throws; neither this nor the rest of the call is bound
  kAnswerLost    // bound, but throws
};

class SimulatedCluster final : public Cluster {
 public:
  explicit SimulatedCluster(const SimulatedClusterOptions& options = {});
  ~SimulatedCluster() override;
  SimulatedCluster(const SimulatedCluster&) = delete;
  SimulatedCluster& operator=(const SimulatedCluster&) = delete;

  // The interface of Cluster.
  std::unique_ptr<Watch> WatchAll() override;
  std::vector<BindResult> Bind(std::span<const Binding> bindings,
                               std::chrono::milliseconds deadline) override;
  std::vector<AnnounceResult> Announce(
      std::span<const NodeAnnouncement> announcements) override;
  std::vector<ClaimResult> AllocateClaims(
      std::span<const ClaimAllocation> claims) override;
  std::vector<ClaimResult> ReleaseClaims(
      std::span<const ClaimRelease> claims) override;
  std::optional<Pod> GetPod(const std::string& namespace_name,
                            const std::string& name) override;
  std::vector<TouchResult> Touch(std::span<const ObjectName> pods) override;
  bool Delete(const ObjectName& object) override;
  std::optional<ObjectName> TopOwner(const ObjectName& owner) override;
  bool MayReplace(const ObjectName& owner) override;
  // Of controllers of other kinds than Job it knows only that they exist.
  std::vector<ControllerState> ReadControllers(
      std::span<const ObjectName> controllers) override;
  void Record(std::span<const PodEvent> events) override;
  std::vector<StatusResult> SetConditions(
      std::span<const PodCondition> conditions) override;
  // The simulated cluster has no PodGroups.
  std::vector<StatusResult> SetGroupStatuses(
      std::span<const PodGroupNews> groups) override {
    return {groups.size(), {StatusOutcome::kConflict, ""}};
  }

  // Time. AdvanceTo runs all that is due until `time`, in order. NextEventTime
  // returns when the next event happens by itself; nothing: none will. Both are
  // for virtual time only.
  Time Now() const;
  void AdvanceTo(Time time);
  std::optional<Time> NextEventTime() const;

  // Nodes. UID and version of the argument are ignored. False: the node exists
  // already, or there is none of this name.
  bool AddNode(const Node& node);
  bool UpdateNode(const Node& node);
  bool RemoveNode(const std::string& name);
  bool Cordon(const std::string& name, bool cordoned = true);
  bool SetReady(const std::string& name, bool ready);
  bool AddTaint(const std::string& name,
                const Taint& taint);  // NoExecute evicts
  bool RemoveTaint(const std::string& name, const std::string& key);

  // Workloads. Nothing (null): the name is taken. A pod may have a node from
  // the start, as a DaemonSet's do; a pod without a name or namespace throws
  // std::invalid_argument.
  PodPointer CreatePod(const PodTemplate& pod);
  std::optional<KubernetesJobStatus> CreateJob(const KubernetesJob& job);
  // Creates an object of another kind, which only owns other objects; returns
  // its UID. Deleting it deletes what it controls.
  std::string CreateOwner(const std::string& kind,
                          const std::string& namespace_name,
                          const std::string& name,
                          const std::optional<Owner>& controller = {});

  // Adds or changes an object that pods refer to; the simulation does nothing
  // with it. UIDs are kept, versions are not.
  void Put(VolumeClaim claim);
  void Put(Volume volume);
  void Put(StorageClass storage_class);
  void Put(Namespace space);
  bool RemoveClaim(const std::string& namespace_name, const std::string& name);
  VolumeClaimPointer GetClaim(const std::string& namespace_name,
                              const std::string& name) const;

  // Adds or changes devices, their classes, and claims of them. A UID is given
  // unless there is one. A template makes the claims of pods that wait for it.
  // A claim that is removed while it has a finalizer is terminating until it
  // loses that. False: the object does not exist.
  void Put(DeviceClass device_class);
  void Put(ResourceSlice slice);
  void Put(ResourceClaimTemplate of);
  void Put(ResourceClaim claim);
  // Replaces a claim that has this UID and version.
  ClaimResult Update(ResourceClaim claim);
  bool RemoveDeviceClass(const std::string& name);
  bool RemoveResourceSlice(const std::string& name);
  bool RemoveClaimTemplate(const std::string& namespace_name,
                           const std::string& name);
  bool RemoveResourceClaim(const std::string& namespace_name,
                           const std::string& name);
  ResourceClaimPointer GetResourceClaim(const std::string& namespace_name,
                                        const std::string& name) const;
  struct DeviceObjects {  // in order of name
    std::vector<DeviceClassPointer> classes;
    std::vector<ResourceSlicePointer> slices;
    std::vector<ClaimTemplatePointer> claim_templates;
    std::vector<ResourceClaimPointer> claims;
  };
  DeviceObjects TakeDevices() const;

  // Changes by users. False: the object does not exist (or has ended).
  bool SetLabels(const std::string& namespace_name, const std::string& pod,
                 const PodLabels& labels);
  bool LiftGates(const std::string& namespace_name, const std::string& pod);
  bool SuspendJob(const std::string& namespace_name, const std::string& job,
                  bool suspend);
  bool ScaleJob(const std::string& namespace_name, const std::string& job,
                int parallelism);
  // Also of a Job that has ended. An annotation without a value is removed.
  bool AnnotateJob(
      const std::string& namespace_name, const std::string& job,
      const std::map<std::string, std::optional<std::string>>& annotations);
  // Ends a running pod at once.
  bool EndPod(const std::string& namespace_name, const std::string& pod,
              int exit_code);

  // Faults.
  void SetWatchFaults(const WatchFaults& faults);
  void DropWatches();  // each misses its queued events and gets a list
  // Applies to the next `count` bindings, after the first `after` pass.
  void FailBinds(BindFault fault, int count, int after = 0);
  // While false, every call of Cluster throws Unreachable, and watches are
  // silent.
  void SetReachable(bool reachable);

  // The true state, for tests, for the API in front of it, and for people.
  struct Snapshot {
    Time now{};
    std::string resource_version;  // of the cluster: no object has a higher one
    std::vector<PodPointer> pods;
    std::vector<NodePointer> nodes;
  };
  Snapshot TakeSnapshot() const;

  struct BindingRecord {  // an accepted binding
    Time time{};
    std::string uid;
    std::string node;
  };
  // Returns the bindings from the `from`th on, in order.
  std::vector<BindingRecord> Bindings(std::size_t from = 0) const;

  std::optional<KubernetesJobStatus> GetJob(const std::string& namespace_name,
                                            const std::string& name) const;
  std::vector<KubernetesJobStatus> Jobs() const;
  // Calls `listener` from now on with each Job that changes or is deleted, in
  // order of their versions, for the API in front of the cluster; watches tell
  // of Jobs only what instructs a scheduler. It must not call the cluster.
  // Null: nobody listens. Returns the version of the cluster.
  using JobListener =
      std::function<void(const KubernetesJobStatus& job, bool deleted)>;
  std::string ListenToJobs(JobListener listener);
  // An object made by CreateOwner.
  struct OwnerRecord {
    std::string uid;
    std::optional<Owner> controller;
  };
  std::optional<OwnerRecord> GetOwner(const std::string& kind,
                                      const std::string& namespace_name,
                                      const std::string& name) const;
  NodePointer GetNode(const std::string& name) const;
  // The condition last set; a binding removes PodScheduled=False.
  std::optional<PodCondition> ConditionOf(const std::string& namespace_name,
                                          const std::string& pod) const;
  std::vector<PodEvent> EventsOf(const std::string& pod_uid) const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::cluster
