#include "cluster/simulated/simulated_pods.h"

#include <functional>
#include <utility>

namespace fluxnetes::cluster {

SimulatedPods::Name SimulatedPods::ByName::Of(std::uint32_t slot) const {
  const Pod& pod = *(*slots)[slot].pod;
  return {pod.namespace_name, pod.name};
}

std::size_t SimulatedPods::ByName::Hash(const Name& name) {
  const std::hash<std::string_view> hash;
  return hash(name.namespace_name) * 31 + hash(name.name);
}

SimulatedPod& SimulatedPods::Add(PodPointer pod) {
  std::uint32_t slot = 0;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back().slot = slot;
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  slots_[slot].pod = std::move(pod);
  by_name_.insert(slot);
  return slots_[slot];
}

void SimulatedPods::Remove(SimulatedPod& pod) {
  const std::uint32_t slot = pod.slot;
  const std::uint32_t generation = pod.generation + 1;
  by_name_.erase(slot);
  pod = SimulatedPod{};
  pod.slot = slot;
  pod.generation = generation;
  free_.push_back(slot);
}

SimulatedPod* SimulatedPods::Find(std::string_view namespace_name,
                                  std::string_view name) {
  const auto found = by_name_.find(Name{namespace_name, name});
  return found == by_name_.end() ? nullptr : &slots_[*found];
}

SimulatedPod* SimulatedPods::At(std::uint32_t slot, std::uint32_t generation) {
  SimulatedPod& pod = slots_[slot];
  return pod.generation == generation && pod.pod ? &pod : nullptr;
}

std::vector<PodPointer> SimulatedPods::All() const {
  std::vector<PodPointer> all;
  all.reserve(by_name_.size());
  for (const SimulatedPod& pod : slots_) {
    if (pod.pod) all.push_back(pod.pod);
  }
  return all;
}

}  // namespace fluxnetes::cluster
