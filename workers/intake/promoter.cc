#include "workers/intake/promoter.h"

#include "sql/faults.h"
#include "workers/intake/filling_queries.h"
#include "workers/loops/group_jobs.h"

namespace fluxnetes::workers {

void PromoteSurplus(sql::Transaction& transaction, queue::WorkQueue& jobs,
                    const std::vector<std::int64_t>& groups,
                    const std::vector<std::optional<std::string>>& uids,
                    cluster::Time now) {
  std::vector<std::int64_t> ids;
  std::vector<std::string> queues;
  for (const sql::Row row :
       transaction.Run(queries::kPromoteSurplus, groups, uids, now)) {
    ids.push_back(row.Get<std::int64_t>("id"));
    queues.push_back(row.Get<std::string>("queue"));
  }
  AskForPlaces(transaction, jobs, ids, queues);
}

Promoter::Promoter(sql::Pool& pool, queue::WorkQueue& jobs, Options options)
    : pool_(pool), jobs_(jobs), options_(options) {}

bool Promoter::RunOnce(cluster::Time now) {
  sql::Transaction transaction(pool_);
  const int promoted = Promote(transaction, now);
  const int news = Grow(transaction);
  if (promoted == 0 && news == 0) return false;
  transaction.Commit();
  return promoted == options_.batch || news == options_.batch;
}

int Promoter::Grow(sql::Transaction& transaction) const {
  std::vector<std::int64_t> growing;
  const auto news = transaction.Run(queries::kTakeGrowthNews, options_.batch);
  for (const sql::Row row : news)
    if (row.Get<bool>("grows")) growing.push_back(row.Get<std::int64_t>("id"));
  if (!growing.empty()) transaction.Run(queries::kGrowGroups, growing);
  return static_cast<int>(news.size());
}

int Promoter::Promote(sql::Transaction& transaction, cluster::Time now) const {
  std::vector<std::string> namespaces, names, queues;
  std::vector<std::int64_t> groups, with_surplus;
  std::vector<std::string> gated_namespaces, gated_names;
  const bool in_part = sql::BugPlanted("promoted-in-part");
  for (const sql::Row row :
       transaction.Run(queries::kPickCompleteGroups, options_.batch)) {
    namespaces.push_back(row.Get<std::string>("namespace"));
    names.push_back(row.Get<std::string>("group_name"));
    queues.push_back(row.Get<std::string>("queue"));
    groups.push_back(row.Get<std::int64_t>("group_id"));
    if (in_part || row.Get<std::int32_t>("surplus") > 0)
      with_surplus.push_back(groups.back());
    if (row.Get<bool>("gated")) {
      gated_namespaces.push_back(namespaces.back());
      gated_names.push_back(names.back());
    }
  }
  if (groups.empty()) return 0;
  const auto matches =
      options_.handover != nullptr
          ? HandMatchJobsOver(transaction, *options_.handover, groups, queues)
          : InsertMatchJobs(transaction, jobs_, groups, queues);
  transaction.Run(queries::kPromoteGroups, namespaces, names, matches, now,
                  in_part);
  if (!with_surplus.empty())
    PromoteSurplus(transaction, jobs_, with_surplus,
                   std::vector<std::optional<std::string>>(with_surplus.size()),
                   now);
  if (!gated_names.empty())
    transaction.Run(queries::kRecountFillingGroups, gated_namespaces,
                    gated_names, std::vector<bool>(gated_names.size()), false,
                    now);
  sql::Failpoint("promoter-before-commit");
  return static_cast<int>(std::ssize(groups));
}

}  // namespace fluxnetes::workers
