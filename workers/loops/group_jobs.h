// The jobs by which a group moves on, and the work queues that they wait in:
// one of `match` jobs per scheduling queue, and one for each of the other
// kinds. They are never discarded; work that is already done they leave alone.
//
//   match    finds a placement            {"group": 7}
//   bind     binds the group's pods       {"group": 7, "revision": 2}
//   cleanup  deletes pods that are over   {"group": 7} or {"namespace": "a",
//            and releases what is free,   "group_name": "b"} while it fills;
//            or all, if it is cancelled   {..., "cancel": "why"}
//
// Throws sql::Error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/text/timestamp.h"
#include "queue/clients/handover.h"
#include "queue/store/work_queue.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::workers {

inline constexpr const char* kBindQueue = "bind";
inline constexpr const char* kCleanupQueue = "cleanup";
inline constexpr const char* kNoticeQueue = "notice";

// The work queue of a scheduling queue's match jobs.
std::string MatchQueue(const std::string& queue);

queue::NewJob BindJob(std::int64_t group, std::int32_t revision);
queue::NewJob CleanupJob(std::int64_t group);
queue::NewJob CancelJob(std::int64_t group, const std::string& reason);
queue::NewJob CancelFillingJob(const std::string& namespace_name,
                               const std::string& group_name,
                               const std::string& reason);

// A notice job for the pod: an event and, if the reason is FailedScheduling,
// the condition PodScheduled=False. `event` is false for the condition alone.
queue::NewJob NoticeOf(const std::string& namespace_name,
                       const std::string& pod_name, const std::string& uid,
                       cluster::Time created_at, const std::string& message,
                       const std::string& reason = "FailedScheduling",
                       bool event = true);

// Inserts a `match` job for each group, given its scheduling queue, due now or
// at `due`. Returns the job ids in the order of the groups.
std::vector<std::int64_t> InsertMatchJobs(
    sql::Transaction& transaction, queue::WorkQueue& jobs,
    const std::vector<std::int64_t>& groups,
    const std::vector<std::string>& queues,
    std::optional<sql::Timestamp> due = {});
// Likewise, due now: those of queues that this process matches are leased by it
// and handed over to the match.
std::vector<std::int64_t> HandMatchJobsOver(
    sql::Transaction& transaction, queue::Handover& handover,
    const std::vector<std::int64_t>& groups,
    const std::vector<std::string>& queues);

// Inserts match jobs for active groups and records the job in the row of each
// group.
void AskForPlaces(sql::Transaction& transaction, queue::WorkQueue& jobs,
                  const std::vector<std::int64_t>& groups,
                  const std::vector<std::string>& queues,
                  std::optional<sql::Timestamp> due = {});

}  // namespace fluxnetes::workers
