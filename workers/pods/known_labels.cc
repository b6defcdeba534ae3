#include "workers/pods/known_labels.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "workers/jobspecs/pod_jobspec.h"
#include "workers/labels/inside_labels.h"
#include "workers/labels/label_values.h"
#include "workers/pods/group_labels.h"
#include "workers/pods/start_labels.h"
#include "workers/pods/topology_labels.h"

namespace fluxnetes::workers {
namespace {

constexpr std::string_view kOurs = "fluxnetes.";

constexpr std::array<std::string_view, 11> kLabelsOnly = {
    kGroupNameLabel,      kGroupSizeLabel,   kGroupMinSizeLabel,
    kGroupMaxSizeLabel,   kGroupByLabel,     kQueueLabel,
    kExclusiveLabel,      kPodsPerNodeLabel, kAlignLabel,
    kAlignPreferredLabel, kCpusLabel};
constexpr std::array<std::string_view, 8> kAnnotationsToo = {
    kTopologyRequiredLabel, kTopologyPreferredLabel,
    kStartAfterLabel,       kStartByLabel,
    kAccountLabel,          kHoldLabel,
    kJobspecAnnotation,     kUserLabel};

bool IsAmong(const auto& keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}

bool IsOurs(std::string_view key) {
  return key.starts_with(kOurs) && key.find('/') == std::string_view::npos;
}

std::string AllOf(const auto& keys) {
  std::string all;
  for (const std::string_view key : keys)
    all += (all.empty() ? "" : ", ") + std::string(key);
  return all;
}

std::string Unknown(const std::string& place, const std::string& value) {
  return Refusal(
      place, value, "nothing is called so",
      "one of " + AllOf(kLabelsOnly) + ", " + AllOf(kAnnotationsToo));
}

}  // namespace

std::string WhyUnknownLabel(const cluster::Pod& pod) {
  for (const auto& [key, value] : pod.labels) {
    if (key == kJobspecAnnotation)
      return Refusal(LabelCalled(kJobspecAnnotation), value,
                     "as a label it says nothing",
                     "an annotation of the pod or of its Job");
    if (IsOurs(key) && !IsAmong(kLabelsOnly, key) &&
        !IsAmong(kAnnotationsToo, key))
      return Unknown(LabelCalled(key.c_str()), value);
  }
  for (const auto& [key, value] : pod.annotations) {
    if (!IsOurs(key) || IsAmong(kAnnotationsToo, key)) continue;
    const std::string place = "annotation " + key;
    return IsAmong(kLabelsOnly, key)
               ? Refusal(place, value,
                         "an annotation of this name has no effect",
                         "a label of the pod")
               : Unknown(place, value);
  }
  return "";
}

}  // namespace fluxnetes::workers
