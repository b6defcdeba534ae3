#include "workers/news/group_statuses.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sql/faults.h"
#include "workers/news/group_status.h"
#include "workers/pods/version_number.h"

namespace fluxnetes::workers {

void GroupStatuses::Note(std::span<const cluster::PodGroupName> groups) {
  const sql::MutexLock lock(mutex_);
  for (const cluster::PodGroupName& group : groups) noted_[group];
}

void GroupStatuses::NoteWhy(const std::string& uid, const std::string& why) {
  const auto pod = cache_.PodByUid(uid);
  if (pod == nullptr) return;
  const sql::MutexLock lock(mutex_);
  for (const cluster::PodGroupName& group : cluster::NamedPodGroups(*pod))
    noted_[group].why = why;
}

bool GroupStatuses::RunOnce(cluster::Time now) {
  // Before that, pods that are not listed yet would not be counted.
  if (!cache_.Synced()) return false;
  if (!backpressure_.May(now)) return false;
  Batch batch = Take(now);
  if (batch.empty()) return false;
  const bool more = batch.size() == options_.batch;
  std::vector<cluster::PodGroupNews> news;
  for (auto it = batch.begin(); it != batch.end();) {
    auto one = NewsOf(it->first, it->second.why);
    if (!one) {
      it = batch.erase(it);
      continue;
    }
    news.push_back(*std::move(one));
    ++it;
  }
  if (news.empty()) return more;
  std::vector<cluster::StatusResult> results;
  try {
    results = cluster_.SetGroupStatuses(news);
  } catch (const cluster::Unreachable&) {
    PutBack(batch);
    throw;
  }
  sql::Failpoint("group-statuses-written");
  for (std::size_t i = 0; i < news.size(); ++i) {
    const auto noted = batch.find(news[i].group);
    if (results[i].outcome == cluster::StatusOutcome::kSet) {
      written_[news[i].group] = {news[i].uid, results[i].resource_version,
                                 std::move(news[i].status)};
      batch.erase(noted);
      continue;
    }
    auto& [why, due, pause] = noted->second;
    pause = std::clamp(pause * 2, options_.first_pause, options_.longest_pause);
    due = now + pause;
  }
  PutBack(batch);
  return more;
}

GroupStatuses::Batch GroupStatuses::Take(cluster::Time now) {
  Batch batch;
  const sql::MutexLock lock(mutex_);
  for (auto it = noted_.begin();
       it != noted_.end() && batch.size() < options_.batch;) {
    const auto next = std::next(it);
    if (it->second.due <= now) batch.insert(noted_.extract(it));
    it = next;
  }
  return batch;
}

// Entries noted since the batch was taken are newer.
void GroupStatuses::PutBack(const Batch& batch) {
  const sql::MutexLock lock(mutex_);
  for (const auto& [group, noted] : batch) {
    const auto [place, added] = noted_.try_emplace(group, noted);
    if (added) continue;
    if (place->second.why.empty()) place->second.why = noted.why;
    place->second.due = noted.due;
    place->second.pause = noted.pause;
  }
}

std::optional<cluster::PodGroupNews> GroupStatuses::NewsOf(
    const cluster::PodGroupName& name, const std::string& why) {
  const auto shown = cache_.PodGroupByName(name);
  auto written = written_.find(name);
  if (written != written_.end() &&
      (shown == nullptr || shown->uid != written->second.uid ||
       VersionNumber(shown->resource_version) >=
           VersionNumber(written->second.resource_version))) {
    written_.erase(written);
    written = written_.end();
  }
  if (shown == nullptr) return std::nullopt;
  cluster::PodGroup group = *shown;
  if (written != written_.end()) {
    group.status = written->second.status;
    group.resource_version = written->second.resource_version;
  }
  auto status = StatusOf(group, cache_.PodsOfGroup(name), why);
  if (SaysSo(group.status, status)) return std::nullopt;
  const bool turned = status.condition != group.status.condition;
  return cluster::PodGroupNews{name, group.uid, group.resource_version,
                               std::move(status), turned};
}

}  // namespace fluxnetes::workers
