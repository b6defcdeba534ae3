#include "workers/volume_rules.h"

namespace fluxnetes::workers {
namespace {

constexpr std::size_t kMostTerms = 256;

}  // namespace

std::vector<cluster::NodeSelectorTerm> Both(
    const std::vector<cluster::NodeSelectorTerm>& a,
    const std::vector<cluster::NodeSelectorTerm>& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  std::vector<cluster::NodeSelectorTerm> both;
  for (const auto& first : a) {
    for (const auto& second : b) {
      if (first.empty() || second.empty()) continue;  // holds nowhere
      auto& term = both.emplace_back(first);
      term.insert(term.end(), second.begin(), second.end());
      if (both.size() > kMostTerms) return {{}};
    }
  }
  if (both.empty()) both.emplace_back();
  return both;
}

cluster::PodRequest WithVolumes(const cluster::PodRequest& request,
                                const cluster::Pod& pod,
                                const cluster::ClusterCache& cache) {
  cluster::PodRequest with = request;
  for (const std::string& name : pod.volume_claims) {
    const auto claim = cache.VolumeClaimByName(pod.namespace_name, name);
    if (claim == nullptr || claim->volume_name.empty()) continue;
    const auto volume = cache.VolumeByName(claim->volume_name);
    if (volume == nullptr) continue;
    with.node_affinity = Both(with.node_affinity, volume->node_affinity);
  }
  return with;
}

}  // namespace fluxnetes::workers
