#include "workers/resync/resync.h"

#include <set>
#include <utility>

#include "sql/connection/transaction.h"
#include "workers/intake/intake_batch.h"
#include "workers/loops/group_jobs.h"
#include "workers/loops/groups_queries.h"
#include "workers/resync/resync_queries.h"

namespace fluxnetes::workers {

Resync::Resync(sql::Pool& pool, queue::WorkQueue& jobs,
               cluster::Cluster& cluster, const cluster::ClusterCache& cache,
               Intake& intake, MatchReplica& match, Differences& differences,
               Options options)
    : pool_(pool),
      jobs_(jobs),
      cache_(cache),
      intake_(intake),
      match_(match),
      differences_(differences),
      options_(options),
      listing_(cluster, cache, intake, options.listing) {}

bool Resync::IsDue(cluster::Time now) {
  if (asked_.exchange(false)) return true;
  if (options_.interval.count() == 0) return false;
  const bool first = next_ == cluster::Time{};
  if (!first && now < next_) return false;
  next_ = now + options_.interval;
  return !first;  // the start lists the cluster anyway
}

bool Resync::RunOnce(cluster::Time now) {
  if (!cache_.Synced()) return false;
  const bool due = IsDue(now);
  if (due) {
    listing_.Begin(now);
    intake_.CompareEverything();
  }
  if (listed_.exchange(false) || due) {
    match_.Compare();
    if (intake_.leads()) CompareRecords(now);
  }
  ListingCheck::Missed missed = listing_.RunOnce(now);
  if (missed.Any()) {
    differences_.Note(DifferenceKind::kPodEvent, std::move(missed.pods));
    differences_.Note(DifferenceKind::kNodeEvent, std::move(missed.nodes));
    intake_.ListAgain();
  }
  differences_.Write(pool_);
  return listing_.ReadsOn();
}

void Resync::CompareRecords(cluster::Time now) {
  differences_.Note(DifferenceKind::kGroup, RecountGroups(now));
  differences_.Note(DifferenceKind::kJob, GiveJobs());
  differences_.Note(DifferenceKind::kPlace, ReleaseLeaked());
}

Resync::Names Resync::RecountGroups(cluster::Time now) {
  sql::Transaction transaction(pool_);
  Names namespaces, groups, names;
  for (const sql::Row row : transaction.Run(queries::kFindMiscountedGroups)) {
    namespaces.push_back(row.Get<std::string>("namespace"));
    groups.push_back(row.Get<std::string>("group_name"));
    names.push_back(namespaces.back() + "/" + groups.back());
  }
  if (names.empty()) return names;
  IntakeBatch batch(transaction, jobs_, cache_, now);
  batch.Rejudge(namespaces, groups);
  batch.Finish();
  transaction.Commit();
  return names;
}

Resync::Forgotten Resync::FindForgotten(sql::Transaction& transaction) {
  Forgotten found;
  for (const sql::Row row : transaction.Run(queries::kFindForgottenGroups)) {
    found.ids.push_back(row.Get<std::int64_t>("id"));
    found.queues.push_back(row.Get<std::string>("queue"));
    found.revisions.push_back(row.Get<std::int32_t>("revision"));
    found.names.push_back(row.Get<std::string>("namespace") + "/" +
                          row.Get<std::string>("group_name"));
    found.work.push_back(row.Get<std::string>("work"));
  }
  return found;
}

Resync::Names Resync::GiveJobs() {
  sql::Transaction transaction(pool_);
  Forgotten found = FindForgotten(transaction);
  if (found.ids.empty()) return {};
  // Find them again, now that their rows are locked.
  transaction.Run(queries::kLockGroups, found.ids);
  const std::set<std::int64_t> locked(found.ids.begin(), found.ids.end());
  found = FindForgotten(transaction);
  std::vector<std::int64_t> unmatched;
  Names queues, names;
  std::vector<queue::NewJob> jobs;
  for (std::size_t i = 0; i < found.ids.size(); ++i) {
    if (!locked.contains(found.ids[i])) continue;
    names.push_back(found.names[i]);
    if (found.work[i] == "match") {
      unmatched.push_back(found.ids[i]);
      queues.push_back(found.queues[i]);
    } else {
      jobs.push_back(found.work[i] == "bind"
                         ? BindJob(found.ids[i], found.revisions[i])
                         : CleanupJob(found.ids[i]));
    }
  }
  AskForPlaces(transaction, jobs_, unmatched, queues);
  if (!jobs.empty()) jobs_.Insert(transaction, jobs);
  if (!unmatched.empty())
    transaction.Run(queries::kTellGroupChanges, unmatched);
  transaction.Commit();
  return names;
}

Resync::Names Resync::ReleaseLeaked() {
  sql::Transaction transaction(pool_);
  Names names;
  std::vector<std::int64_t> groups;
  for (const sql::Row row : transaction.Run(queries::kFindLeakedPlaces)) {
    const auto group = row.Get<std::int64_t>("id");
    if (groups.empty() || groups.back() != group) groups.push_back(group);
    names.push_back(row.Get<std::string>("pod_uid") + " on " +
                    row.Get<std::string>("node_name"));
  }
  if (names.empty()) return names;
  transaction.Run(queries::kLockGroups, groups);
  transaction.Run(queries::kReleaseUnknownPlaces, groups);
  std::vector<queue::NewJob> jobs;
  for (const std::int64_t group : groups) jobs.push_back(CleanupJob(group));
  jobs_.Insert(transaction, jobs);
  transaction.Commit();
  return names;
}

}  // namespace fluxnetes::workers
