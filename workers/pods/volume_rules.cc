#include "workers/pods/volume_rules.h"

#include "workers/pods/pod_claims.h"

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
      if (first.empty() || second.empty()) continue;  // satisfied by no node
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
  for (const PodClaim& claim : ClaimsOf(pod, cache)) {
    if (claim.state == PodClaim::State::kBound) {
      with.node_affinity =
          Both(with.node_affinity, claim.volume->node_affinity);
    } else if (claim.state == PodClaim::State::kToBeBound) {
      const std::string& node = claim.claim->selected_node;
      with.node_affinity =
          node.empty()
              ? Both(with.node_affinity,
                     claim.storage_class->allowed_topologies)
              : Both(with.node_affinity,
                     {{{"metadata.name", "In", {node}, /*field=*/true}}});
    }
  }
  return with;
}

}  // namespace fluxnetes::workers
