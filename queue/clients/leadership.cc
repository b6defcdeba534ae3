#include "queue/clients/leadership.h"

#include <fmt/format.h>

#include <utility>

#include "queue/clients/leaders_queries.h"

namespace fluxnetes::queue {

Leadership::Leadership(sql::Pool& pool, const Client& client, std::string name)
    : pool_(pool), client_(client), name_(std::move(name)) {}

std::optional<std::int64_t> Leadership::TryAcquire() {
  const std::int64_t client = client_.id();
  const sql::Result leader =
      sql::RunAlone(pool_, queries::kReadLeader, name_, client);
  if (!leader.empty() && leader[0].Get<bool>("alive")) {
    if (!leader[0].Find<bool>("own").value_or(false)) return std::nullopt;
    return leader[0].Get<std::int64_t>("term");
  }
  const sql::Result taken =
      sql::RunAlone(pool_, queries::kTakeOver, name_, client);
  if (taken.empty()) return std::nullopt;
  return taken[0].Get<std::int64_t>("term");
}

void Leadership::Check(sql::Transaction& transaction, std::int64_t term) {
  if (transaction.Run(queries::kHoldTerm, name_, term, client_.id()).empty())
    throw LostTerm(
        fmt::format("term {} of the leadership {} is over", term, name_));
}

bool Leadership::Confirm(std::int64_t term) {
  return sql::RunAlone(pool_, queries::kConfirmTerm, name_, term, client_.id())
             .affected() > 0;
}

void Leadership::Resign() {
  sql::RunAlone(pool_, queries::kResign, name_, client_.id());
}

}  // namespace fluxnetes::queue
