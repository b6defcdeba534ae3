// A cluster in memory: API server, kubelets, the Job controller and the garbage
// collectors as far as a scheduler notices them.
//
//   create ─▶ Pending ─Bind─▶ Pending, has a node ─kubelet─▶ Running ─▶
//   Succeeded
//                                    │                          └─────▶ Failed
//                                    └─▶ Failed (OutOfcpu, NodeAffinity, ...)
//
// Faithful where a scheduler can be wrong: events come asynchronously, each
// watch has its own bounded queue; UIDs are unique, resource versions rise, a
// node name never changes; a kubelet refuses what does not fit. Binding to a
// node that does not exist is accepted, as by Kubernetes; the pod is then
// collected, as are the pods of a node that was removed.
//
// Time is real (a thread runs what is due) or virtual (AdvanceTo runs it; same
// seed and same calls, same history). Give watches a timeout of 0 in virtual
// time: nothing happens while they wait.
//
// Thread-safe. Outlives its watches.
#pragma once

#include <chrono>
#include <cstdint>
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
  // Of the Job controller after a failure, doubled with each more, 60 times
  // at most. (Kubernetes: 10 s.)
  std::chrono::milliseconds job_backoff{100};
  int watch_buffer = 100'000;  // events; a watch that is slower gets a list
  int events_kept = 20'000;    // PodEvents, for inspection
};

// What goes wrong with the watches from now on. Chances are of 1.
struct WatchFaults {
  std::chrono::milliseconds delay{0};
  double repeat = 0;  // an event comes twice
  double late = 0;    // the event before it comes again after it
  double drop = 0;    // the connection is lost: what is under way is missed
};

enum class BindFault {
  kRefused,      // answered so, not bound
  kConflict,     // answered so, not bound
  kUnreachable,  // throws; neither this nor the rest of the call is bound
  kAnswerLost    // bound, but throws
};

class SimulatedCluster final : public Cluster {
 public:
  explicit SimulatedCluster(const SimulatedClusterOptions& options = {});
  ~SimulatedCluster() override;
  SimulatedCluster(const SimulatedCluster&) = delete;
  SimulatedCluster& operator=(const SimulatedCluster&) = delete;

  // The door.
  std::unique_ptr<Watch> WatchAll() override;
  std::vector<BindResult> Bind(std::span<const Binding> bindings,
                               std::chrono::milliseconds deadline) override;
  std::vector<AnnounceResult> Announce(
      std::span<const NodeAnnouncement> announcements) override;
  std::optional<Pod> GetPod(const std::string& namespace_name,
                            const std::string& name) override;
  std::vector<TouchResult> Touch(std::span<const ObjectName> pods) override;
  bool Delete(const ObjectName& object) override;
  std::optional<ObjectName> TopOwner(const ObjectName& owner) override;
  bool MayReplace(const ObjectName& owner) override;
  void Record(std::span<const PodEvent> events) override;
  std::vector<StatusResult> SetConditions(
      std::span<const PodCondition> conditions) override;
  // It has no groups.
  std::vector<StatusResult> SetGroupStatuses(
      std::span<const PodGroupNews> groups) override {
    return {groups.size(), {StatusOutcome::kConflict, ""}};
  }

  // Time. AdvanceTo runs all that is due until then, in order, and is for
  // virtual time only; so is NextEventTime: when something will happen by
  // itself, nothing if nothing will.
  Time Now() const;
  void AdvanceTo(Time time);
  std::optional<Time> NextEventTime() const;

  // Nodes. UID and version of the argument are not used. False: it exists
  // already, or there is none of this name.
  bool AddNode(const Node& node);
  bool UpdateNode(const Node& node);
  bool RemoveNode(const std::string& name);
  bool Cordon(const std::string& name, bool cordoned = true);
  bool SetReady(const std::string& name, bool ready);
  bool AddTaint(const std::string& name,
                const Taint& taint);  // NoExecute evicts
  bool RemoveTaint(const std::string& name, const std::string& key);

  // Workloads. Nothing (null): one of this name exists already. A pod may have
  // a node from the start, as those of DaemonSets have; without a name or
  // namespace it is refused (std::invalid_argument).
  PodPointer CreatePod(const PodTemplate& pod);
  std::optional<KubernetesJobStatus> CreateJob(const KubernetesJob& job);
  // An object of another kind, which does nothing but own others; returns its
  // UID. Deleting it deletes what it controls.
  std::string CreateOwner(const std::string& kind,
                          const std::string& namespace_name,
                          const std::string& name,
                          const std::optional<Owner>& controller = {});

  // What pods refer to, added or changed; nothing is done with it by itself.
  // UIDs are kept, versions are not.
  void Put(VolumeClaim claim);
  void Put(Volume volume);
  void Put(StorageClass storage_class);
  void Put(Namespace space);
  bool RemoveClaim(const std::string& namespace_name, const std::string& name);
  VolumeClaimPointer GetClaim(const std::string& namespace_name,
                              const std::string& name) const;

  // Changes by users. False: there is no such object (or it is over).
  bool SetLabels(const std::string& namespace_name, const std::string& pod,
                 const PodLabels& labels);
  bool LiftGates(const std::string& namespace_name, const std::string& pod);
  bool SuspendJob(const std::string& namespace_name, const std::string& job,
                  bool suspend);
  bool ScaleJob(const std::string& namespace_name, const std::string& job,
                int parallelism);
  // Ends a running pod at once.
  bool EndPod(const std::string& namespace_name, const std::string& pod,
              int exit_code);

  // Faults.
  void SetWatchFaults(const WatchFaults& faults);
  void DropWatches();  // each misses what it has not taken, and gets a list
  // The next `count` bindings, after letting `after` others pass.
  void FailBinds(BindFault fault, int count, int after = 0);
  // While false, every call of the door throws Unreachable, and watches are
  // silent.
  void SetReachable(bool reachable);

  // The truth, for tests, for the API in front of it, and for people.
  struct Snapshot {
    Time now{};
    std::string resource_version;  // of the cluster: no object has a higher one
    std::vector<PodPointer> pods;
    std::vector<NodePointer> nodes;
  };
  Snapshot TakeSnapshot() const;

  struct BindingRecord {  // a binding that was accepted
    Time time{};
    std::string uid;
    std::string node;
  };
  // Those since the `from`th, in order.
  std::vector<BindingRecord> Bindings(std::size_t from = 0) const;

  std::optional<KubernetesJobStatus> GetJob(const std::string& namespace_name,
                                            const std::string& name) const;
  std::vector<KubernetesJobStatus> Jobs() const;
  // Of an object that CreateOwner has made.
  struct OwnerRecord {
    std::string uid;
    std::optional<Owner> controller;
  };
  std::optional<OwnerRecord> GetOwner(const std::string& kind,
                                      const std::string& namespace_name,
                                      const std::string& name) const;
  NodePointer GetNode(const std::string& name) const;
  // The last that was set; being bound takes PodScheduled=False back.
  std::optional<PodCondition> ConditionOf(const std::string& namespace_name,
                                          const std::string& pod) const;
  std::vector<PodEvent> EventsOf(const std::string& pod_uid) const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::cluster
