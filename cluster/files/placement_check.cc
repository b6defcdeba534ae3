#include "cluster/files/placement_check.h"

#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "cluster/files/field_rules.h"
#include "cluster/json/affinity_fields.h"
#include "cluster/text/json_field.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using Kind = FieldRule::Kind;
using Complaint = std::optional<std::string>;

// Relative to the spec of a pod.
constexpr std::array kSpec = {
    FieldRule{"nodeSelector", Kind::kLabels},
    FieldRule{"hostNetwork", Kind::kFlag},
    FieldRule{"containers[].ports[].containerPort", Kind::kPositive, true},
    FieldRule{"containers[].ports[].hostPort", Kind::kCount},
    FieldRule{"containers[].ports[].hostIP", Kind::kText},
    FieldRule{"containers[].ports[].protocol", Kind::kChoice, false,
              "TCP UDP SCTP"},
    FieldRule{"resourceClaims", Kind::kList},
    FieldRule{"resourceClaims[].name", Kind::kLabel, true},
    FieldRule{"volumes[].name", Kind::kLabel, true},
    FieldRule{"volumes[].persistentVolumeClaim.claimName", Kind::kSubdomain,
              true},
    FieldRule{"tolerations", Kind::kList},
    FieldRule{"tolerations[].key", Kind::kText},
    FieldRule{"tolerations[].value", Kind::kText},
    FieldRule{"tolerations[].operator", Kind::kChoice, false, "Equal Exists"},
    FieldRule{"tolerations[].effect", Kind::kChoice, false,
              "NoSchedule PreferNoSchedule NoExecute"},
    FieldRule{"affinity.nodeAffinity."
              "requiredDuringSchedulingIgnoredDuringExecution."
              "nodeSelectorTerms",
              Kind::kNonEmptyList, true},
    FieldRule{"topologySpreadConstraints", Kind::kList}};

// Relative to a term of a node affinity.
constexpr std::array kNodeTerm = {
    FieldRule{"matchExpressions[].key", Kind::kText, true},
    FieldRule{"matchExpressions[].operator", Kind::kChoice, true,
              "In NotIn Exists DoesNotExist Gt Lt"},
    FieldRule{"matchExpressions[].values", Kind::kTexts},
    FieldRule{"matchFields[].key", Kind::kChoice, true, "metadata.name"},
    FieldRule{"matchFields[].operator", Kind::kChoice, true, "In NotIn"},
    FieldRule{"matchFields[].values", Kind::kTexts, true}};

constexpr std::array kSelector = {
    FieldRule{"matchLabels", Kind::kLabels},
    FieldRule{"matchExpressions[].key", Kind::kText, true},
    FieldRule{"matchExpressions[].operator", Kind::kChoice, true,
              "In NotIn Exists DoesNotExist"},
    FieldRule{"matchExpressions[].values", Kind::kTexts}};

constexpr std::array kPodTerm = {FieldRule{"topologyKey", Kind::kText, true},
                                 FieldRule{"labelSelector", Kind::kObject},
                                 FieldRule{"namespaceSelector", Kind::kObject},
                                 FieldRule{"namespaces", Kind::kTexts},
                                 FieldRule{"matchLabelKeys", Kind::kTexts},
                                 FieldRule{"mismatchLabelKeys", Kind::kTexts}};

constexpr std::array kWeight = {FieldRule{"weight", Kind::kPositive, true}};

constexpr std::array kSpread = {
    FieldRule{"topologyKey", Kind::kText, true},
    FieldRule{"maxSkew", Kind::kPositive, true},
    FieldRule{"minDomains", Kind::kPositive},
    FieldRule{"whenUnsatisfiable", Kind::kChoice, true,
              "DoNotSchedule ScheduleAnyway"},
    FieldRule{"nodeAffinityPolicy", Kind::kChoice, false, "Honor Ignore"},
    FieldRule{"nodeTaintsPolicy", Kind::kChoice, false, "Honor Ignore"},
    FieldRule{"labelSelector", Kind::kObject},
    FieldRule{"matchLabelKeys", Kind::kTexts}};

// Returns the first complaint about an element of the list.
template <typename Check>
Complaint OfEach(const Json& list, const std::string& path,
                 const Check& check) {
  const auto& elements = List(list);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (auto complaint =
            check(elements[i], path + "[" + std::to_string(i) + "]")) {
      return complaint;
    }
  }
  return std::nullopt;
}

Complaint CheckNodeTerm(const Json& term, const std::string& path) {
  return WhatIsWrong(term, kNodeTerm, path);
}

Complaint CheckSelector(const Json& owner, const char* key,
                        const std::string& path) {
  const Json& selector = At(owner, key);
  if (selector.is_null()) return std::nullopt;
  return WhatIsWrong(selector, kSelector, path + "." + key);
}

Complaint CheckPodTerm(const Json& term, const std::string& path) {
  if (auto complaint = WhatIsWrong(term, kPodTerm, path)) return complaint;
  if (auto complaint = CheckSelector(term, "labelSelector", path)) {
    return complaint;
  }
  return CheckSelector(term, "namespaceSelector", path);
}

// Checks preferred terms: a weight and, under `key`, the term itself.
template <typename Check>
Complaint CheckPreferred(const Json& affinity, const char* key,
                         const std::string& path, const Check& check) {
  return OfEach(At(affinity, kPreferred), path + "." + kPreferred,
                [&](const Json& each, const std::string& own) -> Complaint {
                  if (auto complaint = WhatIsWrong(each, kWeight, own)) {
                    return complaint;
                  }
                  if (At(each, "weight") > 100) {
                    return own + ".weight is " + At(each, "weight").dump() +
                           "; it must be a whole number from 1 to 100";
                  }
                  return check(At(each, key), own + "." + key);
                });
}

Complaint CheckNodeAffinity(const Json& spec, const std::string& path) {
  const std::string own = path + ".affinity.nodeAffinity";
  const Json& affinity = At(At(spec, "affinity"), "nodeAffinity");
  if (auto complaint =
          OfEach(At(At(affinity, kRequired), "nodeSelectorTerms"),
                 own + "." + kRequired + ".nodeSelectorTerms", CheckNodeTerm)) {
    return complaint;
  }
  return CheckPreferred(affinity, "preference", own, CheckNodeTerm);
}

Complaint CheckPodAffinity(const Json& spec, const char* key,
                           const std::string& path) {
  const std::string own = path + ".affinity." + key;
  const Json& affinity = At(At(spec, "affinity"), key);
  if (auto complaint = OfEach(At(affinity, kRequired), own + "." + kRequired,
                              CheckPodTerm)) {
    return complaint;
  }
  return CheckPreferred(affinity, "podAffinityTerm", own, CheckPodTerm);
}

Complaint CheckSpread(const Json& spec, const std::string& path) {
  return OfEach(At(spec, "topologySpreadConstraints"),
                path + ".topologySpreadConstraints",
                [](const Json& each, const std::string& own) -> Complaint {
                  if (auto complaint = WhatIsWrong(each, kSpread, own)) {
                    return complaint;
                  }
                  return CheckSelector(each, "labelSelector", own);
                });
}

Complaint CheckTolerations(const Json& spec, const std::string& path) {
  return OfEach(At(spec, "tolerations"), path + ".tolerations",
                [](const Json& each, const std::string& own) -> Complaint {
                  const bool exists = Text(each, "operator") == "Exists";
                  if (Text(each, "key").empty() && !exists) {
                    return own +
                           " has no key; name one, or say operator: Exists";
                  }
                  if (exists && !Text(each, "value").empty()) {
                    return own + " has a value; operator: Exists has none";
                  }
                  return std::nullopt;
                });
}

}  // namespace

Complaint WhatIsWrongWithPlacement(const Json& spec, const std::string& path) {
  if (auto complaint = WhatIsWrong(spec, kSpec, path)) return complaint;
  if (auto complaint = CheckTolerations(spec, path)) return complaint;
  if (auto complaint = CheckNodeAffinity(spec, path)) return complaint;
  for (const char* const key : {"podAffinity", "podAntiAffinity"}) {
    if (auto complaint = CheckPodAffinity(spec, key, path)) return complaint;
  }
  return CheckSpread(spec, path);
}

}  // namespace fluxnetes::cluster
