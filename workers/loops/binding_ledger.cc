#include "workers/loops/binding_ledger.h"

namespace fluxnetes::workers {

void BindingLedger::Begin(const std::vector<std::string>& uids) {
  const sql::MutexLock lock(mutex_);
  for (const std::string& uid : uids) {
    const auto [known, added] = nodes_.try_emplace(uid);
    if (added || !known->second.empty()) ++under_way_;
    known->second.clear();
  }
}

void BindingLedger::End(const std::vector<std::string>& begun,
                        const std::vector<std::string>& uids,
                        const std::vector<std::string>& nodes) {
  const sql::MutexLock lock(mutex_);
  for (std::size_t i = 0; i < uids.size(); ++i) {
    const auto known = nodes_.find(uids[i]);
    if (known == nodes_.end()) continue;
    if (known->second.empty()) --under_way_;
    known->second = nodes[i];
  }
  for (const std::string& uid : begun) {
    const auto known = nodes_.find(uid);
    if (known == nodes_.end() || !known->second.empty()) continue;
    nodes_.erase(known);
    --under_way_;
  }
}

bool BindingLedger::Knows(const std::string& uid) const {
  const sql::MutexLock lock(mutex_);
  return nodes_.contains(uid);
}

bool BindingLedger::AnyUnderWay() const {
  const sql::MutexLock lock(mutex_);
  return under_way_ > 0;
}

BindingLedger::Standing BindingLedger::Take(const std::string& uid,
                                            const std::string& node) {
  const sql::MutexLock lock(mutex_);
  const auto known = nodes_.find(uid);
  if (known == nodes_.end()) return Standing::kUnknown;
  if (known->second.empty()) return Standing::kUnderWay;
  const bool same = known->second == node;
  nodes_.erase(known);
  return same ? Standing::kRecorded : Standing::kUnknown;
}

void BindingLedger::ForgetRecorded() {
  const sql::MutexLock lock(mutex_);
  std::erase_if(nodes_,
                [](const auto& known) { return !known.second.empty(); });
}

}  // namespace fluxnetes::workers
