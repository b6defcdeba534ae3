#include "matcher/nodes/policy_order.h"

namespace fluxnetes::matcher {

PolicyOrder::PolicyOrder(const Policy& policy) {
  const bool ids = policy.score == Policy::Score::kId;
  by_id = ids && policy.node_centric && !policy.stop_on_match;
  descending = ids && (policy.stop_on_match ||
                       (policy.node_centric && policy.descending));
  highest_first = policy.descending;
  if (policy.score == Policy::Score::kLocality) {
    score = Score::kRuns;
  } else if (policy.score == Policy::Score::kVariation) {
    score = Score::kClass;
  } else if (!policy.node_centric && !policy.stop_on_match) {
    score = Score::kUnits;
  }
}

}  // namespace fluxnetes::matcher
