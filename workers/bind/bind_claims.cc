#include "workers/bind/bind_claims.h"

#include "cluster/text/quote.h"
#include "workers/pods/pod_claims.h"

namespace fluxnetes::workers {
namespace {

using cluster::Quote;

// The limit of remembered announcements.
constexpr std::size_t kClaimsRemembered = 100'000;

}  // namespace

BindClaims::Look BindClaims::Check(const cluster::Pod& pod,
                                   const std::string& node) {
  Look look;
  for (const PodClaim& found : ClaimsOf(pod, cache_)) {
    if (found.state == PodClaim::State::kWaits) {
      look.problem = found.why;
      return look;
    }
    const cluster::VolumeClaim& claim = *found.claim;
    if (cluster::IsForOnePod(claim)) {
      for (const auto& user : cache_.PodsOfClaim(ClaimKey(pod, found.name))) {
        if (user->uid == pod.uid || user->node_name.empty()) continue;
        look.problem = "claim " + Quote(found.name) +
                       ", which one pod may use at a time, is in use by pod " +
                       user->name;
        return look;
      }
    }
    if (found.state == PodClaim::State::kBound) {
      announced_.erase(claim.uid);
      continue;
    }
    look.awaited = found.name;
    const auto told = announced_.find(claim.uid);
    if (claim.selected_node == node) {
      announced_[claim.uid] = {node, ""};
    } else if (!claim.selected_node.empty()) {
      look.problem = "the volume of claim " + Quote(found.name) +
                     " is to be on node " + claim.selected_node;
      return look;
    } else if (told == announced_.end() || told->second.node != node) {
      look.to_announce.push_back({claim.namespace_name, claim.name, claim.uid,
                                  claim.resource_version, node});
    } else if (told->second.before != claim.resource_version) {
      announced_.erase(told);
      look.problem = "no volume could be made for claim " + Quote(found.name) +
                     " on node " + node;
      return look;
    }
  }
  return look;
}

void BindClaims::Note(const cluster::NodeAnnouncement& announcement) {
  if (announced_.size() >= kClaimsRemembered) announced_.clear();
  announced_[announcement.uid] = {announcement.node_name,
                                  announcement.resource_version};
}

}  // namespace fluxnetes::workers
