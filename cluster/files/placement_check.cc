#include "cluster/files/placement_check.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "cluster/files/field_check.h"
#include "cluster/files/field_rules.h"
#include "cluster/files/selector_check.h"
#include "cluster/json/affinity_fields.h"
#include "cluster/text/json_field.h"
#include "cluster/text/quote.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using Kind = FieldRule::Kind;
using Complaint = std::optional<std::string>;

// Relative to the spec of a pod.
constexpr std::array kSpec = {
    FieldRule{"nodeSelector", Kind::kLabels},
    FieldRule{"hostNetwork", Kind::kFlag},
    FieldRule{"containers[].ports[].containerPort", Kind::kPort, true},
    FieldRule{"containers[].ports[].hostPort", Kind::kHostPort},
    FieldRule{"containers[].ports[].hostIP", Kind::kText},
    FieldRule{"containers[].ports[].protocol", Kind::kChoice, false,
              "TCP UDP SCTP"},
    FieldRule{"resourceClaims", Kind::kList},
    FieldRule{"resourceClaims[].name", Kind::kLabel, true},
    FieldRule{"volumes[].name", Kind::kLabel, true},
    FieldRule{"volumes[].persistentVolumeClaim.claimName", Kind::kSubdomain,
              true},
    FieldRule{"tolerations", Kind::kList},
    FieldRule{"tolerations[].value", Kind::kLabelValue},
    FieldRule{"tolerations[].tolerationSeconds", Kind::kInteger},
    FieldRule{"tolerations[].operator", Kind::kChoice, false, "Equal Exists"},
    FieldRule{"tolerations[].effect", Kind::kChoice, false,
              "NoSchedule PreferNoSchedule NoExecute"},
    FieldRule{"affinity.nodeAffinity."
              "requiredDuringSchedulingIgnoredDuringExecution."
              "nodeSelectorTerms",
              Kind::kNonEmptyList, true},
    FieldRule{"topologySpreadConstraints", Kind::kList}};

constexpr std::array kPodTerm = {
    FieldRule{"topologyKey", Kind::kQualifiedName, true},
    FieldRule{"labelSelector", Kind::kObject},
    FieldRule{"namespaceSelector", Kind::kObject},
    FieldRule{"namespaces", Kind::kTexts},
    FieldRule{"matchLabelKeys", Kind::kTexts},
    FieldRule{"mismatchLabelKeys", Kind::kTexts}};

constexpr std::array kWeight = {FieldRule{"weight", Kind::kPositive, true}};

constexpr std::array kSpread = {
    FieldRule{"topologyKey", Kind::kQualifiedName, true},
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

Complaint CheckSelector(const Json& owner, const char* key,
                        const std::string& path) {
  return WhatIsWrongWithSelector(At(owner, key), path + "." + key);
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
  if (auto complaint = OfEach(At(At(affinity, kRequired), "nodeSelectorTerms"),
                              own + "." + kRequired + ".nodeSelectorTerms",
                              WhatIsWrongWithNodeTerm)) {
    return complaint;
  }
  return CheckPreferred(affinity, "preference", own, WhatIsWrongWithNodeTerm);
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

Complaint CheckSpreadConstraint(const Json& each, const std::string& own) {
  if (auto complaint = WhatIsWrong(each, kSpread, own)) return complaint;
  if (!At(each, "minDomains").is_null() &&
      Text(each, "whenUnsatisfiable") != "DoNotSchedule") {
    return own + ".minDomains needs whenUnsatisfiable: DoNotSchedule";
  }
  return CheckSelector(each, "labelSelector", own);
}

Complaint CheckSpread(const Json& spec, const std::string& path) {
  std::set<std::string> seen;
  return OfEach(
      At(spec, "topologySpreadConstraints"),
      path + ".topologySpreadConstraints",
      [&](const Json& each, const std::string& own) -> Complaint {
        auto complaint = CheckSpreadConstraint(each, own);
        if (complaint) return complaint;
        const std::string what =
            Text(each, "topologyKey") + " " + Text(each, "whenUnsatisfiable");
        if (seen.insert(what).second) return std::nullopt;
        return own + " is the second one for " + what + "; leave one out";
      });
}

Complaint CheckToleration(const Json& each, const std::string& own) {
  const bool exists = Text(each, "operator") == "Exists";
  const std::string key = Text(each, "key");
  if (key.empty() && !exists) {
    return own + " has no key; name one, or say operator: Exists";
  }
  if (!key.empty() && !IsQualifiedName(key)) {
    return own + ".key is " + Quote(key) + "; it must be the key of a taint";
  }
  if (exists && !Text(each, "value").empty()) {
    return own + " has a value; operator: Exists has none";
  }
  if (!At(each, "tolerationSeconds").is_null() &&
      Text(each, "effect") != "NoExecute") {
    return own + ".tolerationSeconds needs effect: NoExecute";
  }
  return std::nullopt;
}

// Two containers of a pod cannot have the same port of the node.
Complaint CheckHostPorts(const Json& spec, const std::string& path) {
  const bool of_node = Flag(spec, "hostNetwork");
  std::set<std::string> taken;
  return OfEach(
      At(spec, "containers"), path + ".containers",
      [&](const Json& container, const std::string& own) {
        return OfEach(
            At(container, "ports"), own + ".ports",
            [&](const Json& port, const std::string& place) -> Complaint {
              const Json& number = At(port, "hostPort");
              if (!number.is_number() || number == 0) return std::nullopt;
              if (of_node && number != At(port, "containerPort")) {
                return place + ".hostPort is " + number.dump() +
                       "; with hostNetwork it must be the containerPort";
              }
              const bool first =
                  taken
                      .insert(Text(port, "protocol", "TCP") + " " +
                              Text(port, "hostIP") + " " + number.dump())
                      .second;
              if (first) return std::nullopt;
              return place + ".hostPort is " + number.dump() +
                     ", as of another port; give each its own";
            });
      });
}

// Without a kind a volume is an emptyDir.
Complaint CheckVolumes(const Json& spec, const std::string& path) {
  return OfEach(
      At(spec, "volumes"), path + ".volumes",
      [](const Json& volume, const std::string& own) -> Complaint {
        const auto kinds =
            std::ranges::count_if(volume.items(), [](const auto& field) {
              return field.key() != "name" && !field.value().is_null();
            });
        if (kinds <= 1) return std::nullopt;
        return own + " has " + std::to_string(kinds) +
               " kinds; it must have one, like emptyDir: {}";
      });
}

}  // namespace

Complaint WhatIsWrongWithPlacement(const Json& spec, const std::string& path) {
  if (auto complaint = WhatIsWrong(spec, kSpec, path)) return complaint;
  if (auto complaint = OfEach(At(spec, "tolerations"), path + ".tolerations",
                              CheckToleration)) {
    return complaint;
  }
  if (auto complaint = CheckHostPorts(spec, path)) return complaint;
  if (auto complaint = CheckVolumes(spec, path)) return complaint;
  if (auto complaint = CheckNodeAffinity(spec, path)) return complaint;
  for (const char* const key : {"podAffinity", "podAntiAffinity"}) {
    if (auto complaint = CheckPodAffinity(spec, key, path)) return complaint;
  }
  return CheckSpread(spec, path);
}

}  // namespace fluxnetes::cluster
