#include "workers/intake/intake.h"

#include <algorithm>
#include <map>
#include <utility>

#include "cluster/text/quote.h"
#include "sql/faults.h"
#include "workers/intake/filling_queries.h"
#include "workers/intake/intake_batch.h"
#include "workers/intake/intake_filling.h"
#include "workers/intake/members_queries.h"
#include "workers/intake/promoter.h"
#include "workers/loops/group_jobs.h"
#include "workers/pods/group_labels.h"
#include "workers/pods/version_number.h"

namespace fluxnetes::workers {
namespace {

constexpr std::chrono::milliseconds kQueuesInterval{500};

bool IsBinding(const cluster::PodPointer& before,
               const cluster::PodPointer& after) {
  return before != nullptr && after != nullptr && before->node_name.empty() &&
         !after->node_name.empty() &&
         (after->phase == cluster::PodPhase::kPending ||
          after->phase == cluster::PodPhase::kRunning);
}

// True if a change of a pod can change its record.
bool Matters(const cluster::Pod& before, const cluster::Pod& after) {
  if (before.node_name.empty()) return true;
  return after.phase != before.phase &&
         after.phase != cluster::PodPhase::kRunning;
}

}  // namespace

Intake::Intake(sql::Pool& pool, queue::WorkQueue& jobs,
               queue::Leadership& leadership, cluster::Cluster& cluster,
               cluster::ClusterCache& cache, Options options)
    : pool_(pool),
      jobs_(jobs),
      leadership_(leadership),
      cluster_(cluster),
      cache_(cache),
      options_(std::move(options)) {}

bool Intake::RunOnce(cluster::Time now) {
  const bool more_events = Watch();
  if (cache_.Synced() && Lead() && !IsBehind()) {
    try {
      Write(now);
    } catch (const queue::LostTerm&) {
      term_ = 0;
    } catch (const sql::Error& error) {
      compare_ |= error.InDoubt();
      throw;
    }
  }
  return more_events || MayWrite() || watch_ == nullptr;
}

bool Intake::MayWrite() const {
  return term_ != 0 && cache_.Synced() && HasSeenLists() && !changed_.empty();
}

bool Intake::IsBehind() {
  if (newly_leads_) {
    if (told_pods_.until < RecordedUntil()) {
      watch_.reset();
      lists_to_see_ = told_pods_.lists + 1;
    }
    newly_leads_ = false;
  }
  return !HasSeenLists();
}

std::uint64_t Intake::RecordedUntil() {
  const sql::Result newest = sql::RunAlone(pool_, queries::kReadNewestVersion);
  return VersionNumber(newest[0].Get<std::string>(0));
}

bool Intake::Watch() {
  if (list_again_.exchange(false)) watch_.reset();
  if (watch_ == nullptr) watch_ = cluster_.WatchAll();
  const auto timeout =
      MayWrite() ? std::chrono::milliseconds(0) : options_.watch_timeout;
  auto events = watch_->Next(options_.events, timeout);
  if (sql::BugPlanted("event-lost")) events.clear();
  told_ = !events.empty();
  const cluster::CacheChanges changes = cache_.Apply(events);
  for (const cluster::WatchEvent& event : events) NoteTold(event);
  if (options_.on_node_warning) {
    for (const std::string& warning : changes.warnings)
      options_.on_node_warning(warning);
  }
  compare_ |= changes.listed || asked_.exchange(false);
  if (changes.listed && options_.binding_ledger != nullptr)
    options_.binding_ledger->ForgetRecorded();
  NoticeBindings();
  for (const auto& [before, after] : changes.pods) Notice(before, after);
  NoticeGroups(changes);
  for (const std::string& uid : changes.regrouped_pods) {
    const cluster::PodPointer pod = cache_.PodByUid(uid);
    if (pod != nullptr && IsOurs(*pod)) Remember(uid);
  }
  if (changes.listed && options_.on_listed) options_.on_listed();
  return std::ssize(events) == options_.events;
}

void Intake::NoteTold(const cluster::WatchEvent& event) {
  NoteTold(event, cluster::WatchedKind::kPods, told_pods_);
  NoteTold(event, cluster::WatchedKind::kNodes, told_nodes_);
}

void Intake::NoteTold(const cluster::WatchEvent& event,
                      cluster::WatchedKind kind, Told& told) {
  using Kind = cluster::WatchEvent::Kind;
  if (event.kind == Kind::kListBegin || event.kind == Kind::kListEnd) {
    if (event.listed.value_or(kind) != kind) return;
    told.listing = event.kind == Kind::kListBegin;
    if (told.listing) told.newest = 0;  // it may be another cluster
    if (!told.listing) ++told.lists;
  } else if (kind == cluster::WatchedKind::kPods) {
    const auto* pod = std::get_if<cluster::PodPointer>(&event.object);
    if (pod == nullptr) return;
    told.newest =
        std::max(told.newest, VersionNumber((*pod)->resource_version));
  } else {
    const auto* node = std::get_if<cluster::NodePointer>(&event.object);
    if (node == nullptr) return;
    told.newest =
        std::max(told.newest, VersionNumber((*node)->resource_version));
  }
  told.until = told.listing ? 0 : told.newest;
}

std::uint64_t Intake::ToldUntil(cluster::WatchedKind kind) const {
  return kind == cluster::WatchedKind::kNodes ? told_nodes_.until
                                              : told_pods_.until;
}

void Intake::Notice(const cluster::PodPointer& before,
                    const cluster::PodPointer& after) {
  const cluster::Pod& pod = after ? *after : *before;
  if (!IsOurs(pod)) {
    if (before == nullptr && pod.node_name.empty() &&
        pod.labels.contains(kGroupNameLabel) &&
        strays_.size() < options_.remembered) {
      strays_.push_back(pod.uid);
    }
    return;
  }
  if (options_.binding_ledger != nullptr && IsBinding(before, after)) {
    switch (options_.binding_ledger->Take(pod.uid, pod.node_name)) {
      case BindingLedger::Standing::kRecorded:
        return;
      case BindingLedger::Standing::kUnderWay:
        under_way_.push_back(after);
        return;
      case BindingLedger::Standing::kUnknown:
        break;
    }
  }
  if (before == nullptr || after == nullptr || Matters(*before, *after))
    Remember(pod.uid);
}

void Intake::NoticeBindings() {
  std::vector<cluster::PodPointer> still;
  for (const cluster::PodPointer& pod : under_way_) {
    const auto standing =
        options_.binding_ledger->Take(pod->uid, pod->node_name);
    if (standing == BindingLedger::Standing::kUnderWay) still.push_back(pod);
    if (standing == BindingLedger::Standing::kUnknown) Remember(pod->uid);
  }
  under_way_ = std::move(still);
}

void Intake::NoticeGroups(const cluster::CacheChanges& changes) {
  if (!options_.on_pod_groups || !leads()) return;
  std::vector<cluster::PodGroupName> groups;
  for (const auto& [before, after] : changes.pods) {
    const cluster::Pod& pod = after ? *after : *before;
    if (!IsOurs(pod)) continue;
    for (auto& name : cluster::NamedPodGroups(pod))
      groups.push_back(std::move(name));
  }
  for (const cluster::PodGroupName& name : changes.pod_groups) {
    const auto pods = cache_.PodsOfGroup(name);
    const bool ours = std::ranges::any_of(
        pods, [this](const auto& pod) { return IsOurs(*pod); });
    if (ours || cache_.PodGroupByName(name) == nullptr) groups.push_back(name);
  }
  if (!groups.empty()) options_.on_pod_groups(groups);
}

bool Intake::IsOurs(const cluster::Pod& pod) const {
  return options_.schedulers.Contain(pod.scheduler_name);
}

void Intake::Remember(const std::string& uid) {
  if (sql::BugPlanted("pod-forgotten")) return;
  compared_.erase(uid);
  if (!remembered_.insert(uid).second) return;
  changed_.push_back(uid);
  if (changed_.size() - comparing_ <= options_.remembered) return;
  changed_.clear();
  remembered_.clear();
  compared_.clear();
  comparing_ = 0;
  compare_ = catching_up_ = true;
}

bool Intake::Lead() {
  if (term_ != 0) return true;
  term_ = leadership_.TryAcquire().value_or(0);
  if (term_ == 0) {
    changed_.clear();
    remembered_.clear();
    compared_.clear();
    comparing_ = 0;
    strays_.clear();
    return false;
  }
  compare_ = catching_up_ = newly_leads_ = true;
  recalled_ = true;
  queue_names_.clear();
  return true;
}

void Intake::LookForCrash() {
  const std::int64_t broken = pool_.broken();
  if (std::exchange(broken_, broken) != broken) compare_ = catching_up_ = true;
}

void Intake::Write(cluster::Time now) {
  LookForCrash();
  if (compare_) RememberAll();
  RecordChanges(now);
  TellStrays();
  ConsiderQueues(now);
  if (recalled_) TakeBackRecalled(now);
}

void Intake::RememberAll() {
  Pods recorded;
  {
    sql::Transaction transaction(pool_, sql::Isolation::kReadOnly);
    for (const sql::Row row : transaction.Run(queries::kReadLivingPods))
      recorded.push_back(row.Get<std::string>("uid"));
    transaction.Commit();
  }
  compare_ = false;
  const bool catching_up = std::exchange(catching_up_, false);
  ++counts_.resyncs;
  queue_names_.clear();
  const auto add = [&](const std::string& uid) {
    if (!remembered_.insert(uid).second) return;
    changed_.push_back(uid);
    if (!catching_up && !MayStillChange(uid)) compared_.insert(uid);
  };
  for (const std::string& uid : recorded) {
    if (cache_.PodByUid(uid) == nullptr) add(uid);
  }
  std::vector<cluster::PodGroupName> groups;
  for (const cluster::PodPointer& pod : cache_.Pods()) {
    if (!IsOurs(*pod)) continue;
    add(pod->uid);
    for (auto& name : cluster::NamedPodGroups(*pod))
      groups.push_back(std::move(name));
  }
  if (options_.on_pod_groups) options_.on_pod_groups(groups);
  comparing_ = changed_.size();
}

// The watch may report a binding of this process before it is recorded.
bool Intake::MayStillChange(const std::string& uid) const {
  const auto is_same = [&uid](const cluster::PodPointer& pod) {
    return pod->uid == uid;
  };
  return std::ranges::any_of(under_way_, is_same) ||
         (options_.binding_ledger != nullptr &&
          options_.binding_ledger->Knows(uid));
}

void Intake::NoteDifferences(const Pods& wrong) {
  if (options_.differences == nullptr || compared_.empty()) return;
  Pods names;
  for (const std::string& uid : wrong) {
    if (!compared_.contains(uid)) continue;
    const cluster::PodPointer pod = cache_.PodByUid(uid);
    names.push_back(pod == nullptr ? uid : cluster::Key(*pod));
  }
  options_.differences->Note(DifferenceKind::kPod, std::move(names));
}

void Intake::TellStrays() {
  if (strays_.empty()) return;
  std::vector<queue::NewJob> notices;
  for (const std::string& uid : strays_) {
    const cluster::PodPointer pod = cache_.PodByUid(uid);
    if (pod == nullptr) continue;
    notices.push_back(
        NoticeOf(pod->namespace_name, pod->name, uid, pod->created_at,
                 "the pod has the label " + std::string(kGroupNameLabel) +
                     ", but does not count for its group, since its "
                     "schedulerName is " +
                     cluster::Quote(pod->scheduler_name) + "; it must be " +
                     options_.schedulers.Quoted(),
                 "OtherScheduler"));
  }
  sql::Transaction transaction(pool_);
  leadership_.Check(transaction, term_);
  jobs_.Insert(transaction, notices);
  transaction.Commit();
  strays_.clear();
}

void Intake::RecordChanges(cluster::Time now) {
  if (changed_.empty()) return;
  const auto count = std::min<std::size_t>(changed_.size(), options_.batch);
  const Pods uids(changed_.begin(),
                  changed_.begin() + static_cast<std::ptrdiff_t>(count));
  int differed = 0;
  try {
    differed = Record(uids, now);
  } catch (const queue::LostTerm&) {
    throw;
  } catch (const sql::Error& error) {
    if (error.MayRetry() || error.InDoubt()) throw;
    differed = RecordOneByOne(uids, now);
  }
  for (const std::string& uid : uids) {
    remembered_.erase(uid);
    compared_.erase(uid);
  }
  changed_.erase(changed_.begin(),
                 changed_.begin() + static_cast<std::ptrdiff_t>(count));
  counts_.recorded += differed;
  if (comparing_ > 0) counts_.healed += differed;
  comparing_ -= std::min(comparing_, count);
}

int Intake::Record(const Pods& uids, cluster::Time now) {
  sql::Transaction transaction(pool_, sql::Isolation::kReadCommitted,
                               sql::Durability::kNoWait);
  leadership_.Check(transaction, term_);
  IntakeBatch batch(transaction, jobs_, cache_, now);
  const int differed = batch.Record(uids);
  if (differed == 0) return 0;
  Finish(transaction, batch, now);
  sql::Failpoint("intake-committed");
  NoteDifferences(batch.wrong());
  recalled_ |= batch.recalled();
  return differed;
}

void Intake::Finish(sql::Transaction& transaction, IntakeBatch& batch,
                    cluster::Time now) {
  batch.Finish();
  Recorded recorded{.for_match = batch.for_match(),
                    .for_cleanup = batch.ended()};
  if (options_.promoter != nullptr)
    recorded.for_match |= options_.promoter->Promote(transaction, now) > 0;
  sql::Failpoint("intake-before-commit");
  transaction.Commit();
  if (options_.on_recorded) options_.on_recorded(recorded);
}

// Records pods one by one, so that one that PostgreSQL rejects does not keep
// the others back.
int Intake::RecordOneByOne(const Pods& uids, cluster::Time now) {
  int differed = 0;
  for (const std::string& uid : uids) {
    try {
      differed += Record({uid}, now);
    } catch (const sql::Error& error) {
      if (error.MayRetry() || error.InDoubt()) throw;
      ++counts_.set_aside;
      if (options_.on_set_aside) options_.on_set_aside(uid, error.what());
    }
  }
  return differed;
}

bool Intake::IsDueToReadQueues() {
  const auto now = std::chrono::steady_clock::now();
  if (told_ && !queue_names_.empty() && now - queues_read_ < kQueuesInterval)
    return false;
  queues_read_ = now;
  return true;
}

void Intake::ConsiderQueues(cluster::Time now) {
  if (!IsDueToReadQueues()) return;
  const auto names =
      sql::RunAlone(pool_, queries::kReadQueueNames)[0].Get<std::string>(
          "names");
  if (names == queue_names_) return;
  sql::Transaction transaction(pool_);
  leadership_.Check(transaction, term_);
  Pods namespaces, groups;
  for (const sql::Row row : transaction.Run(queries::kReadRefusedGroups)) {
    namespaces.push_back(row.Get<std::string>("namespace"));
    groups.push_back(row.Get<std::string>("group_name"));
  }
  if (!groups.empty()) {
    IntakeBatch batch(transaction, jobs_, cache_, now);
    batch.Rejudge(namespaces, groups);
    Finish(transaction, batch, now);
  }
  queue_names_ = names;
}

void Intake::TakeBackRecalled(cluster::Time now) {
  std::map<std::int64_t, std::vector<cluster::ObjectName>> groups;
  {
    sql::Transaction transaction(pool_, sql::Isolation::kReadOnly);
    for (const sql::Row row : transaction.Run(queries::kReadRecalledGroups)) {
      auto& pods = groups[row.Get<std::int64_t>("id")];
      const auto uid = row.Find<std::string>("uid");
      if (!uid) continue;
      pods.push_back({"Pod", row.Get<std::string>("namespace"),
                      row.Get<std::string>("pod_name"), *uid});
    }
    transaction.Commit();
  }
  std::optional<cluster::Refused> refused;
  for (const auto& [group, pods] : groups) {
    Pods uids;
    for (const cluster::ObjectName& name : pods) uids.push_back(name.uid);
    std::vector<cluster::PodPointer> bound;
    try {
      for (cluster::TouchResult& result : cluster_.Touch(pods))
        if (result.bound != nullptr) bound.push_back(std::move(result.bound));
    } catch (const cluster::Refused& error) {
      refused = error;  // only this group was refused; the others go on
      continue;
    }
    sql::Failpoint("intake-touched");
    TakeBack(group, uids, bound, now);
  }
  if (refused) throw *refused;
  recalled_ = false;
}

void Intake::TakeBack(std::int64_t group, const Pods& uids,
                      const std::vector<cluster::PodPointer>& bound,
                      cluster::Time now) {
  sql::Transaction transaction(pool_);
  leadership_.Check(transaction, term_);
  IntakeBatch batch(transaction, jobs_, cache_, now);
  batch.SettleRecalled(group, uids, bound);
  Finish(transaction, batch, now);
  sql::Failpoint("intake-taken-back");
}

}  // namespace fluxnetes::workers
