#include "queue/clients/joint_leadership.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "queue/clients/leaders_queries.h"

namespace fluxnetes::queue {

JointLeadership::JointLeadership(sql::Pool& pool, const Client& client,
                                 std::vector<std::string> names)
    : pool_(pool), client_(client), names_(std::move(names)) {
  std::sort(names_.begin(), names_.end());
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
}

bool JointLeadership::TryAcquire() {
  sql::Transaction transaction(pool_);
  std::map<std::string, std::int64_t> terms;
  for (const sql::Row row :
       transaction.Run(queries::kTakeOverTogether, names_, client_.id())) {
    terms[row.Get<std::string>("name")] = row.Get<std::int64_t>("term");
  }
  if (terms.size() != names_.size()) return false;
  transaction.Commit();
  terms_ = std::move(terms);
  return true;
}

bool JointLeadership::Follow(sql::Transaction& transaction) {
  terms_.clear();
  for (const sql::Row row :
       transaction.Run(queries::kReadOwnTerms, names_, client_.id()))
    terms_[row.Get<std::string>("name")] = row.Get<std::int64_t>("term");
  return terms_.size() == names_.size();
}

void JointLeadership::Check(sql::Transaction& transaction) const {
  std::vector<std::int64_t> terms;
  terms.reserve(names_.size());
  for (const std::string& name : names_) terms.push_back(TermOf(name));
  if (transaction.Run(queries::kHoldTerms, names_, terms, client_.id())
          .size() != names_.size()) {
    throw LostTerm(fmt::format("a term of the leaderships {} is over",
                               fmt::join(names_, ", ")));
  }
}

int JointLeadership::TakeLeasesOver(
    sql::Transaction& transaction,
    const std::vector<std::string>& queues) const {
  Check(transaction);
  return static_cast<int>(
      transaction.Run(queries::kTakeLeasesOver, queues, client_.id())
          .affected());
}

std::int64_t JointLeadership::TermOf(const std::string& name) const {
  const auto found = terms_.find(name);
  return found == terms_.end() ? 0 : found->second;
}

void JointLeadership::Resign() {
  sql::RunAlone(pool_, queries::kResignTogether, names_, client_.id());
}

}  // namespace fluxnetes::queue
