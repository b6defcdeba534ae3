// Makes a scenario of manifests: the work that they describe, on a simulated
// cluster. Groups are formed by the rules of intake (group_labels.h) and run
// for as long as their pods would there (cluster/objects/pod_template.h).
//
// All groups are submitted at once; their age follows the order of their first
// pods in the manifests. PodGroups exist before them. A Kubernetes Job has as
// many pods at a time as its parallelism; each further pod comes when an
// earlier one has ended. The Job's own deadline ends its remaining pods.
// DeviceClasses, ResourceSlices and ResourceClaims with an allocation become
// devices of the scenario; each pod has a ResourceClaim of its own for each
// ResourceClaimTemplate that it names.
//
// Differences from a cluster: a group ends as a whole, when its last pod would;
// pods do not fail; volume claims and minResources of PodGroups are ignored.
//
// Objects that the scheduler would refuse, hold or leave alone are left out and
// reported in notes(). The last pods of a Job start as a smaller group if they
// are fewer than the group's size. Owned by one thread.
// Tests: tests/services/simulate/simulate_manifests_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "cluster/cluster_cache.h"
#include "cluster/files/manifest.h"
#include "cluster/scheduler_names.h"
#include "workers/pods/group_labels.h"
#include "workers/simulation/scenario_parts.h"

namespace fluxnetes::workers {

// "PLACE: 1 of 4 pods of the group default/rest are there", of manifests that
// make too few pods for a group.
std::string TooFewPods(const std::string& place, std::size_t pods,
                       std::int32_t size, const std::string& group);
// How it goes on with the last pods of a Job whose earlier ones were enough.
inline constexpr const char* kStartsSmaller =
    "; what is left of its Job starts as a smaller group";

class ManifestScenario {
 public:
  // Adds groups to `scenario`, which must outlive this object and have the
  // queues that they name. They are submitted when the scenario begins; `now`
  // is the real time of that instant, to which start times of pods refer.
  ManifestScenario(Scenario& scenario, cluster::SchedulerNames schedulers,
                   std::int64_t now);

  void Add(cluster::Manifest manifest);
  // Adds the groups, after the last manifest; groups that lack pods from the
  // start are left out. Throws InputError, with the place, if a queue does not
  // exist.
  void Finish();

  const std::vector<std::string>& notes() const { return notes_; }

 private:
  // Namespace, name, and the number of earlier rounds of a Job's pods.
  using Key = std::tuple<std::string, std::string, int>;
  struct Forming {
    std::size_t place_in_line = 0;
    std::string place;
    GroupLabels labels;  // of the first pod, with the group's topology
    Scenario::Group group;
    StartTerms start;
    std::vector<int> requests;  // indices of its pods' requests
    std::optional<Key> after;
    std::optional<Key> grows;
  };
  // When a pod of a Job comes and when its Job ends it.
  struct Coming {
    int round = 0;
    std::optional<Key> after;
    std::optional<std::int64_t> gone;
  };

  void AddClass(const cluster::DeviceClass& of, const std::string& place);
  void AddSlice(const cluster::ResourceSlice& of, const std::string& place);
  void AddClaim(cluster::ResourceClaim claim, const std::string& place);
  void AddTemplate(const cluster::ResourceClaimTemplate& of,
                   const std::string& place);
  void AddWork(const cluster::Manifest& manifest);
  void AddJob(const cluster::KubernetesJob& job,
              const cluster::Manifest& manifest);
  // Returns the group that the pod was added to; nothing: it was left out.
  std::optional<Key> AddPod(const cluster::PodTemplate& pod,
                            const std::string& place, const Coming& coming);
  std::string WhyNotOurs(const cluster::Pod& pod) const;
  void Grow(const Key& base, const GroupLabels& labels, const Key& key,
            Forming& forming);
  void Begin(Forming& forming, const cluster::Pod& pod,
             const GroupLabels& labels, const std::string& place);
  void Join(Forming& forming, const cluster::PodTemplate& pod,
            const GroupLabels& labels);
  // Returns why the group cannot have its topology; empty: it can.
  std::string AdoptTopology(Forming& forming);
  void Complete(const Key& key, Forming& forming);
  // Completes what is left of Jobs, and notes all groups that lack pods.
  void SettleShortGroups();
  void LeaveOut(const std::string& place, const std::string& why);
  std::int64_t OnItsClock(cluster::Time time) const;

  Scenario& scenario_;
  const cluster::SchedulerNames schedulers_;
  const std::int64_t now_;
  ScenarioParts parts_;
  cluster::ClusterCache cache_;  // objects that pods refer to
  QueueTopologies topologies_;
  std::set<std::string> slices_;         // their names
  std::vector<cluster::Manifest> work_;  // in order
  std::map<Key, Forming> forming_;
  std::map<Key, Forming> formed_;
  std::map<Key, std::vector<Key>> growth_;  // of elastic groups, in order
  std::size_t begun_ = 0;                   // number of groups
  std::vector<std::string> notes_;
};

}  // namespace fluxnetes::workers
