#include "cluster/simulated/job_ends.h"

#include <algorithm>
#include <iterator>

#include "cluster/text/index_ranges.h"

namespace fluxnetes::cluster {
namespace {

bool Applies(const PodFailureRule::ExitCodes& wanted,
             const PodFailure& failure) {
  if (failure.exit_code.value_or(0) == 0) return false;
  if (!wanted.container.empty() && wanted.container != failure.container) {
    return false;
  }
  const bool listed = std::ranges::find(wanted.values, *failure.exit_code) !=
                      wanted.values.end();
  return listed == wanted.in;
}

bool Applies(const PodFailureRule& rule, const PodFailure& failure) {
  if (rule.exit_codes) return Applies(*rule.exit_codes, failure);
  return failure.disrupted &&
         std::ranges::any_of(rule.conditions, [](const auto& condition) {
           return condition.type == "DisruptionTarget" &&
                  condition.status == "True";
         });
}

int CountWithin(const IndexRanges& ranges, const std::set<int>& indexes) {
  std::ptrdiff_t count = 0;
  for (const auto& [first, last] : ranges) {
    count +=
        std::distance(indexes.lower_bound(first), indexes.upper_bound(last));
  }
  return static_cast<int>(count);
}

bool IsMet(const SuccessRule& rule, const std::set<int>& succeeded) {
  if (!rule.indexes) {
    return rule.count && static_cast<int>(succeeded.size()) >= *rule.count;
  }
  if (rule.indexes->empty()) return false;
  const int count = CountWithin(*rule.indexes, succeeded);
  return count >= rule.count.value_or(CountOf(*rule.indexes));
}

}  // namespace

PodFailureRule::Action ActionOn(const std::vector<PodFailureRule>& rules,
                                const PodFailure& failure) {
  const auto rule = std::ranges::find_if(
      rules, [&failure](const auto& each) { return Applies(each, failure); });
  return rule == rules.end() ? PodFailureRule::Action::kCount : rule->action;
}

bool IsEnough(const std::vector<SuccessRule>& rules,
              const std::set<int>& succeeded) {
  return !succeeded.empty() &&
         std::ranges::any_of(rules, [&succeeded](const SuccessRule& rule) {
           return IsMet(rule, succeeded);
         });
}

}  // namespace fluxnetes::cluster
