#include "workers/decision/decision.h"

#include <unordered_map>

namespace fluxnetes::workers {

void PutFirst(const std::map<GroupId, Verdict>& own, Decision& decision) {
  if (own.empty()) return;
  std::unordered_map<GroupId, std::size_t> said;
  for (std::size_t i = 0; i < decision.verdicts.size(); ++i)
    said.emplace(decision.verdicts[i].group, i);
  for (const auto& [group, verdict] : own) {
    const auto found = said.find(group);
    if (found == said.end()) {
      decision.verdicts.push_back(verdict);
    } else if (!verdict.reason.empty()) {
      decision.verdicts[found->second] = verdict;
    }
  }
}

}  // namespace fluxnetes::workers
