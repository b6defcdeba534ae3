// Manifests as a scenario: what the scheduler would make of them on a simulated
// cluster. Groups are formed by the rules of intake (group_labels.h) and run
// for as long as their pods would there (cluster/pod_template.h).
//
// All are submitted at once. A Kubernetes Job has as many pods at a time as its
// parallelism says; each that is still to come does so when one of before has
// ended. What differs from a cluster: a group ends as a whole, when the last of
// its pods would; pods do not fail; claims and volumes are not looked at.
//
// What the scheduler would leave alone is left out, and said in notes(). Owned
// by one thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cluster/cluster_cache.h"
#include "cluster/manifest.h"
#include "workers/group_labels.h"
#include "workers/simulation.h"

namespace fluxnetes::workers {

class ManifestScenario {
 public:
  // Groups are added to `scenario`, which must outlive this and has the queues
  // that they name.
  ManifestScenario(Scenario& scenario, std::string scheduler_name,
                   std::int64_t submit);

  // Throws InputError, with the place, if a queue is not there.
  void Add(const cluster::Manifest& manifest);
  // After the last: groups of which pods are missing are left out.
  void Finish();

  const std::vector<std::string>& notes() const { return notes_; }

 private:
  // Namespace, name, and how often pods of a Job have come before.
  using Key = std::tuple<std::string, std::string, int>;
  struct Forming {
    int size = 1;
    int pods = 0;
    std::string place;
    Scenario::Group group;
    std::vector<Scenario::Pods> shape;
    std::optional<Key> after;
  };

  void AddJob(const cluster::KubernetesJob& job, const std::string& place);
  // To which group it went; nothing: it was left out.
  std::optional<Key> AddPod(const cluster::PodTemplate& pod,
                            const std::string& place, int round,
                            const std::optional<Key>& after);
  std::string WhyNotOurs(const cluster::Pod& pod) const;
  void Begin(Forming& forming, const cluster::Pod& pod,
             const GroupLabels& labels, const std::string& place);
  void Join(Forming& forming, const cluster::PodTemplate& pod,
            const GroupLabels& labels);
  void Complete(const Key& key, Forming& forming);
  int Queue(const std::string& name, const std::string& place) const;
  int Request(const cluster::Pod& pod, const cluster::PodRequest& request);

  Scenario& scenario_;
  const std::string scheduler_name_;
  const std::int64_t submit_;
  cluster::ClusterCache cache_;
  std::map<Key, Forming> forming_;
  std::map<Key, int> formed_;  // which group it is
  std::map<int, Key> after_;   // of groups that come after others
  std::map<std::vector<Scenario::Pods>, int> shapes_;
  std::map<std::string, int> requests_;  // by all that tells them apart
  std::vector<std::string> notes_;
};

}  // namespace fluxnetes::workers
