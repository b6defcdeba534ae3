#include "workers/decision.h"

#include <algorithm>

namespace fluxnetes::workers {

void PutFirst(const std::map<GroupId, Verdict>& own, Decision& decision) {
  for (const auto& [group, verdict] : own) {
    const auto said =
        std::ranges::find(decision.verdicts, group, &Verdict::group);
    if (said == decision.verdicts.end()) {
      decision.verdicts.push_back(verdict);
    } else if (!verdict.reason.empty()) {
      *said = verdict;
    }
  }
}

}  // namespace fluxnetes::workers
