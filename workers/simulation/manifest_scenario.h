// Manifests as a scenario: what the scheduler would make of them on a simulated
// cluster. Groups are formed by the rules of intake (group_labels.h) and run
// for as long as their pods would there (cluster/objects/pod_template.h).
//
// All are submitted at once, and are as old as they stand in the manifests, by
// their first pods; PodGroups are there before them. A Kubernetes Job has as
// many pods at a time as its parallelism says; each that is still to come does
// so when one of before has ended. Its own deadline ends what is left of it.
// What differs from a cluster: a group ends as a whole, when the last of its
// pods would; pods do not fail; claims, volumes and minResources of PodGroups
// are not looked at.
//
// What the scheduler would refuse, hold or leave alone is left out, and said in
// notes(). Owned by one thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cluster/cluster_cache.h"
#include "cluster/files/manifest.h"
#include "workers/pods/group_labels.h"
#include "workers/simulation/scenario_parts.h"

namespace fluxnetes::workers {

class ManifestScenario {
 public:
  // Groups are added to `scenario`, which must outlive this and has the queues
  // that they name. They come at its beginning, which is `now` on the clock:
  // for when they ask to start.
  ManifestScenario(Scenario& scenario, std::string scheduler_name,
                   std::int64_t now);

  void Add(cluster::Manifest manifest);
  // After the last: adds the groups; those of which pods are missing are left
  // out. Throws InputError, with the place, if a queue is not there.
  void Finish();

  const std::vector<std::string>& notes() const { return notes_; }

 private:
  // Namespace, name, and how often pods of a Job have come before.
  using Key = std::tuple<std::string, std::string, int>;
  struct Forming {
    std::size_t place_in_line = 0;
    std::string place;
    GroupLabels labels;  // of the first pod
    Scenario::Group group;
    StartTerms start;
    std::vector<int> requests;  // of its pods
    std::optional<Key> after;
    std::optional<Key> grows;
  };
  // How the pods of a Job come.
  struct Coming {
    int round = 0;
    std::optional<Key> after;
    std::optional<std::int64_t> gone;
  };

  void AddWork(const cluster::Manifest& manifest);
  void AddJob(const cluster::KubernetesJob& job,
              const cluster::Manifest& manifest);
  // To which group it went; nothing: it was left out.
  std::optional<Key> AddPod(const cluster::PodTemplate& pod,
                            const std::string& place, const Coming& coming);
  std::string WhyNotOurs(const cluster::Pod& pod) const;
  void Grow(const Key& base, const GroupLabels& labels, const Key& key,
            Forming& forming);
  void Begin(Forming& forming, const cluster::Pod& pod,
             const GroupLabels& labels, const std::string& place);
  void Join(Forming& forming, const cluster::PodTemplate& pod,
            const GroupLabels& labels);
  void Complete(const Key& key, Forming& forming);
  void LeaveOut(const std::string& place, const std::string& why);
  std::int64_t OnItsClock(cluster::Time time) const;

  Scenario& scenario_;
  const std::string scheduler_name_;
  const std::int64_t now_;
  ScenarioParts parts_;
  cluster::ClusterCache cache_;          // of what pods refer to
  std::vector<cluster::Manifest> work_;  // in order
  std::map<Key, Forming> forming_;
  std::map<Key, Forming> formed_;
  std::map<Key, std::vector<Key>> growth_;  // of elastic groups, in order
  std::size_t begun_ = 0;                   // groups
  std::vector<std::string> notes_;
};

}  // namespace fluxnetes::workers
