#include "cluster/objects/pod_group.h"

namespace fluxnetes::cluster {

bool SaysSo(PodGroupStatus shown, const PodGroupStatus& wanted) {
  if (!shown.scheduled) shown.scheduled = wanted.scheduled;
  return shown == wanted;
}

std::vector<PodGroupName> NamedPodGroups(const Pod& pod) {
  std::vector<PodGroupName> names;
  const auto label = pod.labels.find(kCoschedulingLabel);
  if (label != pod.labels.end()) {
    names.push_back(
        {PodGroupApi::kCoscheduling, pod.namespace_name, label->second});
  }
  if (!pod.scheduling_group.empty()) {
    names.push_back(
        {PodGroupApi::kNative, pod.namespace_name, pod.scheduling_group});
  }
  return names;
}

}  // namespace fluxnetes::cluster
