#include "workers/gates/renewed_group.h"

#include "cluster/json/request_json.h"
#include "workers/pods/group_labels.h"

namespace fluxnetes::workers {

std::optional<PendingGroup> Renewed(const PendingGroup& kept,
                                    const cluster::ClusterCache& cache,
                                    Schedule& schedule) {
  PendingGroup group = kept;
  for (Member& member : group.members) {
    const auto pod = cache.PodByUid(member.uid);
    if (pod == nullptr) return std::nullopt;
    GroupLabels labels = ReadGroupLabels(*pod, cache);
    labels.topology = member.request->rules->topology;
    member.request = schedule.Intern(cluster::ToJson(RequestOf(*pod, labels)));
  }
  return group;
}

}  // namespace fluxnetes::workers
