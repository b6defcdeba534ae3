#include "workers/gates/renewed_group.h"

#include "cluster/json/request_json.h"
#include "workers/labels/inside_labels.h"

namespace fluxnetes::workers {

std::optional<PendingGroup> Renewed(const PendingGroup& kept,
                                    const cluster::ClusterCache& cache,
                                    Schedule& schedule) {
  PendingGroup group = kept;
  for (Member& member : group.members) {
    const auto pod = cache.PodByUid(member.uid);
    if (pod == nullptr) return std::nullopt;
    member.request = schedule.Intern(cluster::ToJson(
        WithInside(cluster::WithTopology(pod->request, group.topology), *pod)));
  }
  return group;
}

}  // namespace fluxnetes::workers
