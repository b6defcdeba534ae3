#include "workers/simulation/kubelets_of_nodes.h"

#include <utility>

namespace fluxnetes::workers {

KubeletsOfNodes::KubeletsOfNodes(const Scenario& scenario) {
  if (!scenario.running.empty()) return;
  for (const cluster::Node& node : scenario.nodes) {
    if (!node.structure.Any() ||
        node.topology_policy == cluster::TopologyPolicy::kNone)
      continue;
    cluster::NumaBook book(node);
    if (book.Zones().empty()) continue;
    kubelets_.try_emplace(node.name, Kubelet{node, std::move(book), {}});
    changed_.insert(node.name);
  }
}

void KubeletsOfNodes::Start(GroupId group,
                            const std::vector<PlacedMember>& members) {
  for (const PlacedMember& member : members) {
    const auto found = kubelets_.find(member.node);
    if (found == kubelets_.end()) continue;
    Kubelet& kubelet = found->second;
    const std::uint32_t pod = ++last_;
    kubelet.book.Take(pod, *member.request, kubelet.node.topology_policy);
    kubelet.pods.emplace(pod, member.uid);
    places_[group].push_back({&kubelet, pod});
    changed_.insert(member.node);
  }
}

void KubeletsOfNodes::End(GroupId group) {
  const auto found = places_.find(group);
  if (found == places_.end()) return;
  for (const Place& place : found->second) {
    place.kubelet->book.Release(place.pod);
    place.kubelet->pods.erase(place.pod);
    changed_.insert(place.kubelet->node.name);
  }
  places_.erase(found);
}

bool KubeletsOfNodes::Tell(Schedule& schedule) {
  const std::set<std::string> changed = std::exchange(changed_, {});
  for (const std::string& name : changed) {
    Kubelet& kubelet = kubelets_.at(name);
    kubelet.node.zones = kubelet.book.Zones();
    schedule.SetNode(kubelet.node);
    std::vector<std::string> admitted;
    for (const auto& [pod, uid] : kubelet.pods) admitted.push_back(uid);
    schedule.SetAdmitted(name, std::move(admitted));
  }
  return !changed.empty();
}

}  // namespace fluxnetes::workers
