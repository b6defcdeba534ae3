// The jobs of the work queue that move a group on, and the queues that they
// wait in: one of `match` per scheduling queue, and one each of the others.
// They are never given up; what they find done already they leave alone.
//
//   match    finds a group's place        {"group": 7}
//   bind     binds its pods               {"group": 7, "revision": 2}
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
#include "queue/store/work_queue.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::workers {

inline constexpr const char* kBindQueue = "bind";
inline constexpr const char* kCleanupQueue = "cleanup";
inline constexpr const char* kNoticeQueue = "notice";

// Of a scheduling queue.
std::string MatchQueue(const std::string& queue);

queue::NewJob BindJob(std::int64_t group, std::int32_t revision);
queue::NewJob CleanupJob(std::int64_t group);
queue::NewJob CancelJob(std::int64_t group, const std::string& reason);
queue::NewJob CancelFillingJob(const std::string& namespace_name,
                               const std::string& group_name,
                               const std::string& reason);

// An event on the pod. FailedScheduling sets its condition PodScheduled=False
// too; what else happens to a pod is not ours to say.
queue::NewJob NoticeOf(const std::string& namespace_name,
                       const std::string& pod_name, const std::string& uid,
                       cluster::Time created_at, const std::string& message,
                       const std::string& reason = "FailedScheduling",
                       bool event = true);

// A job `match` for each group, given its scheduling queue, due now or then;
// the ids in the order of the groups.
std::vector<std::int64_t> InsertMatchJobs(
    sql::Transaction& transaction, queue::WorkQueue& jobs,
    const std::vector<std::int64_t>& groups,
    const std::vector<std::string>& queues,
    std::optional<sql::Timestamp> due = {});

// The same for active groups, whose rows say then which job it is.
void AskForPlaces(sql::Transaction& transaction, queue::WorkQueue& jobs,
                  const std::vector<std::int64_t>& groups,
                  const std::vector<std::string>& queues,
                  std::optional<sql::Timestamp> due = {});

}  // namespace fluxnetes::workers
