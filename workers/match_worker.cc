#include "workers/match_worker.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <stdexcept>
#include <utility>

#include "sql/faults.h"

namespace fluxnetes::workers {

MatchWorker::MatchWorker(MatchStore& store, queue::Leadership& leadership,
                         const queue::Client& client,
                         cluster::ClusterCache& cache, Options options)
    : store_(store),
      leadership_(leadership),
      client_(client),
      cache_(cache),
      options_(std::move(options)) {}

bool MatchWorker::RunOnce(cluster::Time now) {
  if (!cache_.Synced() || !Own()) return false;
  try {
    MatchStore::News news;
    const bool fresh = schedule_ == nullptr;
    if (fresh) {
      schedule_ = std::make_unique<Schedule>();
      news = store_.Load(*schedule_, term_);
    } else {
      news = store_.Take(*schedule_, term_);
    }
    Apply(news, fresh);
    return DecideAndCommit(now) || news.more;
  } catch (const queue::LostTerm&) {
    Forget();
    store_.GiveUp();
    return false;
  } catch (...) {
    Forget();
    throw;
  }
}

bool MatchWorker::Own() {
  if (term_ != 0 && owner_client_ == client_.id()) return true;
  Forget();
  owner_client_ = client_.id();
  term_ = leadership_.TryAcquire().value_or(0);
  return term_ != 0;
}

void MatchWorker::Forget() {
  term_ = 0;
  schedule_.reset();
  reports_.clear();
  known_.clear();
  reported_all_ = false;
}

void MatchWorker::Apply(const MatchStore::News& news, bool fresh) {
  if (!news.queues.empty()) {
    std::vector<std::string> names;
    for (const QueueSettings& queue : news.queues) {
      schedule_->SetQueue(queue);
      names.push_back(queue.name);
    }
    for (const std::string& name : fresh ? names : queue_names_) {
      if (std::ranges::find(names, name) == names.end()) {
        schedule_->RemoveQueue(name);
      }
    }
    queue_names_ = std::move(names);
  }
  std::set<std::string> touched;
  const auto touch = [&](GroupId group) {
    const auto nodes = schedule_->NodesOf(group);
    touched.insert(nodes.begin(), nodes.end());
  };
  const auto release = [&](GroupId group, const std::string& uid) {
    if (const auto node = schedule_->NodeOf(uid)) touched.insert(*node);
    if (!sql::BugPlanted("lost-release")) schedule_->Release(group, uid);
  };
  for (const auto& [group, uid] : news.released) release(group, uid);
  for (const GroupId group : news.changed) {
    touch(group);
    schedule_->Remove(group);
    schedule_->Release(group, "");
  }
  for (const Held& held : news.held) {
    if (!sql::BugPlanted("change-lost")) schedule_->Restore(held);
    if (!fresh) touch(held.group);
  }
  ApplyNodes(fresh);
  for (const std::string& node : touched) ApplyNode(node);
  for (const PendingGroup& group : news.waiting) schedule_->Add(group);
}

void MatchWorker::ApplyNodes(bool all) {
  const std::vector<std::string> changed = cache_.TakeChangedNodes();
  if (!all) {
    for (const std::string& node : changed) ApplyNode(node);
    return;
  }
  for (const cluster::NodePointer& node : cache_.Nodes()) {
    ApplyNode(node->name);
  }
}

void MatchWorker::ApplyNode(const std::string& name) {
  const cluster::NodePointer node = cache_.NodeByName(name);
  if (node == nullptr) {
    if (known_.erase(name) > 0) {
      // Else what others used there would be charged when it comes back.
      schedule_->SetForeign(name, {});
      schedule_->RemoveNode(name);
    }
    return;
  }
  NodeReport& known = known_[name];
  if (!(known.node == *node)) {
    schedule_->SetNode(*node);
    known.node = *node;
  }
  const cluster::Resources foreign = ForeignOn(*node);
  if (!(known.foreign == foreign)) {
    schedule_->SetForeign(name, foreign);
    known.foreign = foreign;
  }
}

cluster::Resources MatchWorker::ForeignOn(const cluster::Node& node) const {
  cluster::Resources sum;
  try {
    for (const cluster::PodPointer& pod : cache_.PodsOnNode(node.name)) {
      if (schedule_->NodeOf(pod->uid) != node.name)
        sum += pod->request.resources;
    }
  } catch (const std::overflow_error&) {  // over 64 bits: all that there is
    sum = cluster::Maximum(sum, node.allocatable);
  }
  if (sql::BugPlanted("others-forgotten")) return {};
  return sum;
}

bool MatchWorker::DecideAndCommit(cluster::Time now) {
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds =
      std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  const Decision decision = schedule_->Decide(seconds, options_.batch);
  if (decision.Empty()) return schedule_->More();
  const std::set<GroupId> refused = store_.Commit(
      decision, term_,
      sql::BugPlanted("wrong-clock")
          ? std::chrono::time_point_cast<std::chrono::microseconds>(
                std::chrono::system_clock::now())
          : now);
  for (const Placed& placed : decision.placed) {
    if (refused.contains(placed.group) || sql::BugPlanted("double-grant")) {
      schedule_->Undo(placed);
    }
  }
  if (options_.on_decision) {
    options_.on_decision(decision,
                         std::chrono::duration_cast<std::chrono::microseconds>(
                             std::chrono::steady_clock::now() - begin));
  }
  return schedule_->More() || !refused.empty();
}

void MatchWorker::ReportNodes(cluster::Time now) {
  if (schedule_ == nullptr) return;
  std::vector<NodeReport> changed;
  std::vector<std::string> gone;
  for (const auto& [name, report] : known_) {
    const auto written = reports_.find(name);
    if (written == reports_.end() || !(written->second == report)) {
      changed.push_back(report);
    }
  }
  for (const auto& [name, report] : reports_) {
    if (!known_.contains(name)) gone.push_back(name);
  }
  if (reported_all_ && changed.empty() && gone.empty()) return;
  store_.WriteNodes(changed, gone, !reported_all_, now);
  reports_ = known_;
  reported_all_ = true;
}

std::optional<matcher::Time> MatchWorker::NextDue() const {
  return schedule_ == nullptr ? std::nullopt : schedule_->NextDue();
}

void MatchWorker::Stop() {
  if (term_ == 0) return;
  Forget();
  store_.GiveUp();
  leadership_.Resign();
}

std::string MatchWorker::Describe() const {
  return schedule_ == nullptr ? "" : schedule_->Describe();
}

}  // namespace fluxnetes::workers
