#include "cluster/objects/kubelet_rejection.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace fluxnetes::cluster {

bool IsRejectedByKubelet(const Pod& pod) {
  static constexpr std::string_view kReasons[] = {
      "InvalidNodeInfo",
      "NodeAffinity",
      "NodeName",
      "NodePorts",
      "NodeShutdown",
      "PodFeatureUnsupported",
      "PodOSNotSupported",
      "PodOSSelectorNodeLabelDoesNotMatch",
      "SMTAlignmentError",
      "TaintToleration",
      "TopologyAffinityError",
      "UnexpectedAdmissionError",
      "UnexpectedPredicateFailureType",
      "VolumeAttachmentLimitExceeded"};
  if (pod.phase != PodPhase::kFailed || pod.node_name.empty()) return false;
  return pod.reason.starts_with("OutOf") ||
         std::ranges::find(kReasons, pod.reason) != std::end(kReasons);
}

}  // namespace fluxnetes::cluster
