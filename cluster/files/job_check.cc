#include "cluster/files/job_check.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "cluster/files/field_rules.h"
#include "cluster/text/index_ranges.h"
#include "cluster/text/json_field.h"
#include "cluster/text/quote.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using Kind = FieldRule::Kind;
using Complaint = std::optional<std::string>;

constexpr std::size_t kMostRules = 20;
constexpr std::size_t kMostExitCodes = 255;

constexpr std::array kJobSpec = {
    FieldRule{"spec", Kind::kObject, true},
    FieldRule{"spec.parallelism", Kind::kUpTo100000},
    FieldRule{"spec.completions", Kind::kCount},
    FieldRule{"spec.completionMode", Kind::kChoice, false,
              "Indexed NonIndexed"},
    FieldRule{"spec.backoffLimit", Kind::kCount},
    FieldRule{"spec.backoffLimitPerIndex", Kind::kCount},
    FieldRule{"spec.maxFailedIndexes", Kind::kUpTo100000},
    FieldRule{"spec.activeDeadlineSeconds", Kind::kCount},
    FieldRule{"spec.ttlSecondsAfterFinished", Kind::kCount},
    FieldRule{"spec.suspend", Kind::kFlag},
    FieldRule{"spec.manualSelector", Kind::kFlag},
    FieldRule{"spec.podReplacementPolicy", Kind::kChoice, false,
              "Failed TerminatingOrFailed"},
    FieldRule{"spec.managedBy", Kind::kQualifiedName},
    FieldRule{"spec.successPolicy", Kind::kObject},
    FieldRule{"spec.successPolicy.rules", Kind::kNonEmptyList, true},
    FieldRule{"spec.successPolicy.rules[].succeededCount", Kind::kCount},
    FieldRule{"spec.successPolicy.rules[].succeededIndexes", Kind::kText},
    FieldRule{"spec.podFailurePolicy", Kind::kObject},
    FieldRule{"spec.podFailurePolicy.rules", Kind::kList, true},
    FieldRule{"spec.podFailurePolicy.rules[].action", Kind::kChoice, true,
              "Count Ignore FailIndex FailJob"},
    FieldRule{"spec.podFailurePolicy.rules[].onExitCodes.operator",
              Kind::kChoice, true, "In NotIn"},
    FieldRule{"spec.podFailurePolicy.rules[].onExitCodes.values",
              Kind::kNonEmptyList, true},
    FieldRule{"spec.podFailurePolicy.rules[].onExitCodes.values[]",
              Kind::kInteger},
    FieldRule{"spec.podFailurePolicy.rules[].onExitCodes.containerName",
              Kind::kText},
    FieldRule{"spec.podFailurePolicy.rules[].onPodConditions[].type",
              Kind::kQualifiedName, true},
    FieldRule{"spec.podFailurePolicy.rules[].onPodConditions[].status",
              Kind::kChoice, false, "True False Unknown"},
    FieldRule{"spec.template", Kind::kObject, true},
    FieldRule{"spec.template.spec", Kind::kObject, true},
    FieldRule{"spec.template.spec.restartPolicy", Kind::kChoice, true,
              "Never OnFailure"}};

std::string Numbered(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

Complaint CheckMostFailed(const Json& spec, const Json& completions) {
  const Json& most_failed = At(spec, "maxFailedIndexes");
  if (most_failed.is_null()) return std::nullopt;
  if (At(spec, "backoffLimitPerIndex").is_null()) {
    return "spec.backoffLimitPerIndex is missing; spec.maxFailedIndexes needs "
           "it";
  }
  if (most_failed <= completions) return std::nullopt;
  return "spec.maxFailedIndexes is " + most_failed.dump() +
         "; it must be at most spec.completions, " + completions.dump();
}

Complaint CheckCompletions(const Json& spec) {
  const bool indexed = Text(spec, "completionMode") == "Indexed";
  const Json& completions = At(spec, "completions");
  if (!indexed) {
    for (const char* const field :
         {"backoffLimitPerIndex", "maxFailedIndexes", "successPolicy"}) {
      if (At(spec, field).is_null()) continue;
      return "spec." + std::string(field) +
             " is for a Job whose spec.completionMode is Indexed";
    }
    return std::nullopt;
  }
  if (completions.is_null()) {  // without both, both are 1
    if (At(spec, "parallelism").is_null()) return CheckMostFailed(spec, 1);
    return "spec.completions is missing; an Indexed Job needs it";
  }
  if (completions > 100'000) {
    return "spec.completions is " + completions.dump() +
           "; an Indexed Job has at most 100000";
  }
  return CheckMostFailed(spec, completions);
}

Complaint CheckTooMany(const Json& rules, const std::string& path) {
  const std::size_t count = List(rules).size();
  if (count <= kMostRules) return std::nullopt;
  return path + " has " + std::to_string(count) + " rules; it may have " +
         std::to_string(kMostRules);
}

Complaint CheckSuccessRule(const Json& rule, int completions,
                           const std::string& path) {
  const Json& count = At(rule, "succeededCount");
  const Json& text = At(rule, "succeededIndexes");
  if (count.is_null() && text.is_null()) {
    return path + " needs succeededCount or succeededIndexes";
  }
  int most = completions;
  if (text.is_string()) {
    const auto indexes = ParseIndexes(text.get_ref<const std::string&>());
    if (!indexes ||
        (!indexes->empty() && indexes->back().second >= completions)) {
      return path + ".succeededIndexes is " +
             Quote(text.get_ref<const std::string&>()) +
             "; it must be indexes below spec.completions in rising order, "
             "like 0,3-5";
    }
    most = CountOf(*indexes);
  }
  if (count.is_null() || count <= most) return std::nullopt;
  return path + ".succeededCount is " + count.dump() +
         "; it must be at most the number of indexes, " + std::to_string(most);
}

Complaint CheckSuccess(const Json& spec) {
  const std::string path = "spec.successPolicy.rules";
  const Json& rules = At(At(spec, "successPolicy"), "rules");
  if (auto complaint = CheckTooMany(rules, path)) return complaint;
  const Json& given = At(spec, "completions");
  const int completions = given.is_null() ? 1 : given.get<int>();
  for (std::size_t i = 0; i < List(rules).size(); ++i) {
    auto complaint =
        CheckSuccessRule(List(rules)[i], completions, Numbered(path, i));
    if (complaint) return complaint;
  }
  return std::nullopt;
}

Complaint CheckExitCodes(const Json& codes, const std::set<std::string>& names,
                         const std::string& path) {
  const std::string name = Text(codes, "containerName");
  if (!At(codes, "containerName").is_null() && !names.contains(name)) {
    return path + ".containerName is " + Quote(name) +
           "; it must be the name of a container of the pod";
  }
  const auto& values = List(At(codes, "values"));
  if (values.size() > kMostExitCodes) {
    return path + ".values has more than " + std::to_string(kMostExitCodes) +
           " exit codes";
  }
  if (Text(codes, "operator") == "In" &&
      std::ranges::find(values, Json(0)) != values.end()) {
    return path + ".values has 0, which is no failure";
  }
  const auto rises = [](const Json& a, const Json& b) { return !(a < b); };
  if (std::ranges::adjacent_find(values, rises) == values.end()) {
    return std::nullopt;
  }
  return path + ".values must be in rising order, each once";
}

Complaint CheckFailureRule(const Json& rule, const Json& spec,
                           const std::set<std::string>& names,
                           const std::string& path) {
  if (Text(rule, "action") == "FailIndex" &&
      At(spec, "backoffLimitPerIndex").is_null()) {
    return path + ".action is FailIndex, which needs spec.backoffLimitPerIndex";
  }
  const bool codes = At(rule, "onExitCodes").is_object();
  const std::size_t conditions = List(At(rule, "onPodConditions")).size();
  if (codes == (conditions > 0)) {
    return path + " needs either onExitCodes or onPodConditions";
  }
  if (conditions > kMostRules) {
    return path + ".onPodConditions has more than " +
           std::to_string(kMostRules) + " conditions";
  }
  if (!codes) return std::nullopt;
  return CheckExitCodes(At(rule, "onExitCodes"), names, path + ".onExitCodes");
}

Complaint CheckFailures(const Json& spec) {
  const Json& policy = At(spec, "podFailurePolicy");
  if (policy.is_null()) return std::nullopt;
  const Json& pod = At(At(spec, "template"), "spec");
  if (Text(pod, "restartPolicy") != "Never") {
    return "spec.template.spec.restartPolicy must be Never beside "
           "spec.podFailurePolicy";
  }
  if (Text(spec, "podReplacementPolicy", "Failed") != "Failed") {
    return "spec.podReplacementPolicy must be Failed beside "
           "spec.podFailurePolicy";
  }
  std::set<std::string> names;
  for (const char* const list : {"containers", "initContainers"}) {
    for (const Json& container : List(At(pod, list))) {
      names.insert(Text(container, "name"));
    }
  }
  const std::string path = "spec.podFailurePolicy.rules";
  const Json& rules = At(policy, "rules");
  if (auto complaint = CheckTooMany(rules, path)) return complaint;
  for (std::size_t i = 0; i < List(rules).size(); ++i) {
    auto complaint =
        CheckFailureRule(List(rules)[i], spec, names, Numbered(path, i));
    if (complaint) return complaint;
  }
  return std::nullopt;
}

}  // namespace

Complaint WhatIsWrongWithJobSpec(const Json& object) {
  if (auto complaint = WhatIsWrong(object, kJobSpec)) return complaint;
  const Json& spec = At(object, "spec");
  if (auto complaint = CheckCompletions(spec)) return complaint;
  if (auto complaint = CheckSuccess(spec)) return complaint;
  return CheckFailures(spec);
}

}  // namespace fluxnetes::cluster
