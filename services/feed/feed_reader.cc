#include "services/feed/feed_reader.h"

#include <utility>

#include "services/feed/group_feed_queries.h"
#include "services/records/group_pages.h"
#include "services/records/group_pages_queries.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {
namespace {

using std::chrono::steady_clock;

constexpr std::int64_t kGroupsRead = 1'000;
constexpr std::chrono::hours kFinishedRemembered{1};

sql::Timestamp LongAgo() {
  return std::chrono::floor<std::chrono::microseconds>(
      std::chrono::system_clock::now() - kFinishedRemembered);
}

std::vector<std::int64_t> IdsOf(const sql::Result& rows) {
  std::vector<std::int64_t> ids;
  for (const sql::Row row : rows) ids.push_back(row.Get<std::int64_t>("id"));
  return ids;
}

}  // namespace

void FeedReader::ReadAll(const std::function<void(const Rows&)>& take) {
  sql::Transaction transaction(pool_, sql::Isolation::kRepeatableRead);
  const auto seen = transaction.Run(queries::kChangeHorizon);
  horizon_ = seen[0].Get<std::string>("horizon");
  snapshot_ = seen[0].Get<std::string>("snapshot");
  filling_.clear();
  std::int64_t after = 0;
  while (true) {
    const Rows rows = ReadGroupPage(transaction, {}, after, kGroupsRead);
    if (rows.empty()) break;
    after = rows.back().id;
    for (const GroupRow& row : rows)
      if (row.state == "provisional") filling_.insert(row.id);
    take(rows);
  }
}

FeedReader::Changes FeedReader::ReadChanges() {
  const auto begin = steady_clock::now();
  sql::Transaction transaction(pool_, sql::Isolation::kRepeatableRead);
  const auto seen = transaction.Run(queries::kChangeHorizon);
  const auto active = IdsOf(transaction.Run(queries::kChangedGroups, horizon_));
  auto others = IdsOf(transaction.Run(queries::kFinishedChanges, horizon_));
  std::set<std::int64_t> filling;
  for (const sql::Row row :
       transaction.Run(queries::kGroupsThatFill, horizon_)) {
    const auto id = row.Get<std::int64_t>("id");
    filling.insert(id);
    if (row.Get<bool>("changed") || !filling_.contains(id))
      others.push_back(id);
  }
  Changes changes;
  changes.took = steady_clock::now() - begin;
  changes.rows = ReadGroups(transaction, active, others, LongAgo());
  std::set<std::int64_t> there;
  for (const GroupRow& row : changes.rows) there.insert(row.id);
  for (const std::int64_t id : filling_)
    if (!filling.contains(id) && !there.contains(id))
      changes.gone.push_back(id);
  filling_ = std::move(filling);
  horizon_ = seen[0].Get<std::string>("horizon");
  snapshot_ = seen[0].Get<std::string>("snapshot");
  return changes;
}

std::set<std::int64_t> FeedReader::ReadIds() {
  sql::Transaction transaction(pool_, sql::Isolation::kReadOnly);
  const auto ids = IdsOf(transaction.Run(
      queries::kPageIds, std::nullopt, std::nullopt, std::nullopt, std::nullopt,
      0, std::nullopt, std::nullopt));
  return {ids.begin(), ids.end()};
}

bool FeedReader::HasMoved() {
  const auto seen = sql::RunAlone(pool_, queries::kChangeHorizon);
  return seen[0].Get<std::string>("snapshot") != snapshot_;
}

}  // namespace fluxnetes::services
