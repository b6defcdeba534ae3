#include "cluster/json/job_fields.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "cluster/json/objects.h"
#include "cluster/text/json_field.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using Action = PodFailureRule::Action;

constexpr std::pair<Action, const char*> kActions[] = {
    {Action::kCount, "Count"},
    {Action::kIgnore, "Ignore"},
    {Action::kFailIndex, "FailIndex"},
    {Action::kFailJob, "FailJob"}};

constexpr int kLeast = std::numeric_limits<int>::min();
constexpr int kMost = std::numeric_limits<int>::max();

std::optional<int> CountIn(const Json& object, const char* key) {
  const auto count = DecodeInteger32(object, key);
  return count && *count >= 0 ? count : std::nullopt;
}

PodFailureRule::ExitCodes DecodeExitCodes(const Json& json) {
  PodFailureRule::ExitCodes codes;
  codes.container = Text(json, "containerName");
  codes.in = Text(json, "operator") != "NotIn";
  for (const Json& value : List(At(json, "values"))) {
    const bool fits =
        value.is_number_integer() && value >= kLeast && value <= kMost;
    if (fits) codes.values.push_back(value.get<int>());
  }
  return codes;
}

PodFailureRule DecodeFailureRule(const Json& json) {
  PodFailureRule rule;
  for (const auto& [action, name] : kActions) {
    if (Text(json, "action") == name) rule.action = action;
  }
  if (At(json, "onExitCodes").is_object()) {
    rule.exit_codes = DecodeExitCodes(At(json, "onExitCodes"));
  }
  for (const Json& condition : List(At(json, "onPodConditions"))) {
    rule.conditions.push_back(
        {Text(condition, "type"), Text(condition, "status", "True")});
  }
  return rule;
}

SuccessRule DecodeSuccessRule(const Json& json) {
  SuccessRule rule;
  rule.count = CountIn(json, "succeededCount");
  if (At(json, "succeededIndexes").is_string()) {
    rule.indexes = ParseIndexes(Text(json, "succeededIndexes"));
  }
  return rule;
}

void WriteFailureRule(JsonText& json, const PodFailureRule& rule) {
  for (const auto& [action, name] : kActions) {
    if (rule.action == action) json.Field("action", name);
  }
  if (rule.exit_codes) {
    json.Object("onExitCodes", [&] {
      json.FieldUnlessEmpty("containerName", rule.exit_codes->container);
      json.Field("operator", rule.exit_codes->in ? "In" : "NotIn");
      json.List("values", [&] {
        for (const int value : rule.exit_codes->values) {
          json.Element(std::to_string(value));
        }
      });
    });
  }
  if (rule.conditions.empty()) return;
  json.List("onPodConditions", [&] {
    for (const PodFailureRule::Condition& condition : rule.conditions) {
      json.Object([&] {
        json.Field("type", condition.type);
        json.Field("status", condition.status);
      });
    }
  });
}

}  // namespace

void DecodeJobEnds(const Json& spec, KubernetesJob& job) {
  // 0 seconds are allowed, unlike a pod's.
  if (const auto deadline = CountIn(spec, "activeDeadlineSeconds")) {
    job.active_deadline = std::chrono::seconds(*deadline);
  }
  job.backoff_limit_per_index = CountIn(spec, "backoffLimitPerIndex");
  job.max_failed_indexes = CountIn(spec, "maxFailedIndexes");
  // Kubernetes: no limit on all by default if each index has one.
  job.backoff_limit = CountIn(spec, "backoffLimit")
                          .value_or(job.backoff_limit_per_index
                                        ? kMost
                                        : KubernetesJob{}.backoff_limit);
  if (const auto ttl = CountIn(spec, "ttlSecondsAfterFinished")) {
    job.ttl_after_finished = std::chrono::seconds(*ttl);
  }
  const Json& failures = At(spec, "podFailurePolicy");
  job.replaces_when_gone =
      Text(spec, "podReplacementPolicy",
           failures.is_object() ? "Failed" : "TerminatingOrFailed") == "Failed";
  for (const Json& rule : List(At(failures, "rules"))) {
    job.failure_rules.push_back(DecodeFailureRule(rule));
  }
  for (const Json& rule : List(At(At(spec, "successPolicy"), "rules"))) {
    job.success_rules.push_back(DecodeSuccessRule(rule));
  }
}

void WriteJobEnds(JsonText& json, const KubernetesJob& job) {
  if (job.active_deadline) {
    json.Field("activeDeadlineSeconds", job.active_deadline->count());
  }
  json.Field("backoffLimit", job.backoff_limit);
  if (job.backoff_limit_per_index) {
    json.Field("backoffLimitPerIndex", *job.backoff_limit_per_index);
  }
  if (job.max_failed_indexes) {
    json.Field("maxFailedIndexes", *job.max_failed_indexes);
  }
  if (job.ttl_after_finished) {
    json.Field("ttlSecondsAfterFinished", job.ttl_after_finished->count());
  }
  json.Field("podReplacementPolicy",
             job.replaces_when_gone ? "Failed" : "TerminatingOrFailed");
  if (!job.failure_rules.empty()) {
    json.Object("podFailurePolicy", [&] {
      json.List("rules", [&] {
        for (const PodFailureRule& rule : job.failure_rules) {
          json.Object([&] { WriteFailureRule(json, rule); });
        }
      });
    });
  }
  if (job.success_rules.empty()) return;
  json.Object("successPolicy", [&] {
    json.List("rules", [&] {
      for (const SuccessRule& rule : job.success_rules) {
        json.Object([&] {
          if (rule.indexes) {
            json.Field("succeededIndexes", FormatIndexes(*rule.indexes));
          }
          if (rule.count) json.Field("succeededCount", *rule.count);
        });
      }
    });
  });
}

}  // namespace fluxnetes::cluster
