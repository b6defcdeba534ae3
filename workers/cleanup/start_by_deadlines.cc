#include "workers/cleanup/start_by_deadlines.h"

#include <string>
#include <utility>

#include "workers/cleanup/start_by_deadlines_queries.h"
#include "workers/loops/group_jobs.h"
#include "workers/requests/cancel_queries.h"

namespace fluxnetes::workers {
namespace {

// The first pod of a group gets the event for the whole group.
queue::NewJob GivenUp(const sql::Row& pod, const std::string& reason,
                      bool first) {
  return NoticeOf(pod.Get<std::string>("namespace"),
                  pod.Get<std::string>("pod_name"), pod.Get<std::string>("uid"),
                  pod.Get<cluster::Time>("created_at"),
                  "given up: the group " + reason, "FailedScheduling", first);
}

}  // namespace

bool StartByDeadlines::RunOnce(cluster::Time now) {
  std::vector<queue::NewJob> jobs;
  sql::Transaction transaction(pool_);
  // Groups are locked in this order everywhere: filling ones first.
  const int filling = GiveUpFilling(transaction, now, jobs);
  const int waiting = GiveUpWaiting(transaction, now, jobs);
  if (filling == 0 && waiting == 0) return false;
  if (!jobs.empty()) jobs_.Insert(transaction, jobs);
  transaction.Commit();
  return filling == options_.batch || waiting == options_.batch;
}

int StartByDeadlines::GiveUpWaiting(sql::Transaction& transaction,
                                    cluster::Time now,
                                    std::vector<queue::NewJob>& jobs) const {
  int groups = 0;
  std::int64_t last = 0;
  for (const sql::Row row :
       transaction.Run(queries::kGiveUpLateGroups, now, options_.batch)) {
    const auto group = row.Get<std::int64_t>("id");
    const auto reason = row.Find<std::string>("reason");
    const bool first = std::exchange(last, group) != group;
    groups += first ? 1 : 0;
    if (!reason) continue;  // excused
    if (first) jobs.push_back(CancelJob(group, *reason));
    if (row.Find<std::string>("uid"))
      jobs.push_back(GivenUp(row, *reason, first));
  }
  return groups;
}

int StartByDeadlines::GiveUpFilling(sql::Transaction& transaction,
                                    cluster::Time now,
                                    std::vector<queue::NewJob>& jobs) const {
  const sql::Result late =
      transaction.Run(queries::kLockLateFillingGroups, now, options_.batch);
  std::vector<std::string> namespaces, names, reasons;
  for (const sql::Row row : late) {
    const auto reason = row.Find<std::string>("reason");
    if (!reason) continue;  // excused
    namespaces.push_back(row.Get<std::string>("namespace"));
    names.push_back(row.Get<std::string>("group_name"));
    reasons.push_back(*reason);
  }
  const int groups = static_cast<int>(std::ssize(late));
  if (names.empty()) return groups;
  for (std::size_t i = 0; i < names.size(); ++i)
    jobs.push_back(CancelFillingJob(namespaces[i], names[i], reasons[i]));
  std::string last;
  for (const sql::Row row : transaction.Run(queries::kCancelFillingGroups,
                                            namespaces, names, reasons, now)) {
    if (row.Get<bool>("gated")) continue;
    const std::string group = row.Get<std::string>("namespace") + "/" +
                              row.Get<std::string>("group_name");
    jobs.push_back(GivenUp(row, row.Get<std::string>("reason"), group != last));
    last = group;
  }
  return groups;
}

}  // namespace fluxnetes::workers
