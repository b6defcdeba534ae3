#include "workers/match/match_worker.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "sql/faults.h"
#include "workers/match/device_feed.h"

namespace fluxnetes::workers {
namespace {

// A clock that goes back by more is believed: everything is loaded for the
// earlier time.
constexpr matcher::Time kStep = 10;  // seconds

// The amounts by which a pod was resized beyond its grant.
cluster::Resources Grown(const Schedule& schedule, const cluster::Pod& pod) {
  const cluster::Resources& grant = *schedule.GrantOf(pod.uid);
  cluster::Resources grown = cluster::Maximum(pod.request.resources, grant);
  grown -= grant;
  return grown;
}

}  // namespace

MatchWorker::MatchWorker(MatchStore& store, const cluster::ClusterCache& cache,
                         Options options)
    : store_(store),
      cache_(cache),
      options_(std::move(options)),
      gates_(cache, !options_.ahead,
             [this](PendingGroup group) { AddToSchedule(std::move(group)); }),
      external_pods_(cache) {}

void MatchWorker::NoteNodes(const std::vector<std::string>& names) {
  if (schedule_ != nullptr) noted_.insert(names.begin(), names.end());
}

void MatchWorker::NoteClaims(const std::vector<std::string>& claims) {
  if (schedule_ != nullptr) gates_.NoteClaims(claims);
}

void MatchWorker::TakeDevices(const cluster::ChangedDevices& changed) {
  if (schedule_ == nullptr) return;
  schedule_->SetDevices(ReadChanged(cache_, changed));
  changed_ = true;
}

bool MatchWorker::RunOnce(cluster::Time now) {
  const matcher::Time before = std::exchange(
      now_,
      std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count());
  if (now_ < before - kStep) Forget();
  try {
    bool more = true;
    if (schedule_ == nullptr) {
      owns_ = acquired_ = store_.Acquire();
      if (!owns_) return false;
      Load();
    } else {
      std::set<GroupId> of_others;
      for (const auto& [group, held] : others_) of_others.insert(group);
      const MatchStore::News news =
          store_.Take(schedule_->requests(), of_others);
      more = news.more;
      Apply(news);
      if (!more) schedule_->ForgetPromised();
      whole_ = whole_ || !more;
    }
    if (!whole_) return true;
    return DecideAndCommit(now) || more || gates_.More();
  } catch (const queue::LostTerm&) {
    Forget();
    owns_ = acquired_ = false;
    store_.GiveUp();
    store_.Resign();  // from the queues that it still owns
    return false;
  } catch (...) {
    Forget();
    throw;
  }
}

void MatchWorker::Forget() {
  schedule_.reset();
  queues_.clear();
  known_.clear();
  noted_.clear();
  claimed_.clear();
  wanted_.clear();
  namespaces_ = 0;
  maintenance_.Clear();
  gates_.Clear();
  external_pods_.Clear();
  others_.clear();
  charged_.clear();
  suspects_.clear();
}

void MatchWorker::Load() {
  schedule_ = std::make_unique<Schedule>();
  changed_ = true;
  if (options_.ahead) {
    schedule_->LeaveReasonsOut();
    schedule_->TrustPlans();
  }
  MatchStore::News news = store_.Load(schedule_->requests());
  whole_ = !news.more;
  const std::vector<PendingGroup> waiting = std::exchange(news.waiting, {});
  for (const std::string& node : store_.ReadNodes()) {
    claimed_.insert(node);
    noted_.insert(node);
  }
  for (const cluster::NodePointer& node : cache_.Nodes())
    noted_.insert(node->name);
  SetQueues(news.queues);
  if (news.maintenance) maintenance_.Set(*std::move(news.maintenance));
  if (news.accounts) schedule_->SetAccounts(*news.accounts);
  if (news.pools) schedule_->SetPools(*news.pools);
  if (news.pools_elsewhere) schedule_->SetPoolsElsewhere(*news.pools_elsewhere);
  if (news.elsewhere) schedule_->SetElsewhere(*news.elsewhere);
  // If the clock was set back since, the recorded use counts as of now.
  schedule_->SetUsed(news.used.uses, std::min(news.used.at, now_));
  LookAtNamespaces();
  for (const Held& held : news.held) Restore(held);
  LoadDevices();
  ApplyHoldersOfOthers(store_.ReadHoldersOfOthers(
      schedule_->requests(), Names(claimed_.begin(), claimed_.end())));
  ApplyNodes();
  for (const Reservation& promised : news.promised)
    schedule_->Promised(promised);
  for (const PendingGroup& group : waiting) Add(group);
  gates_.LookAgain(*schedule_, now_, options_.batch);
  LookAtNewSelectors();
  CloseNodes();
}

// Ahead of time no claim is given back, so what groups hold counts alone.
void MatchWorker::LoadDevices() {
  schedule_->SetDevices(AllDevices(cache_, [this](const std::string& uid) {
    return options_.ahead && schedule_->NodeOf(uid).has_value();
  }));
}

void MatchWorker::Restore(Held held) {
  // The clock of the replica that started it may have been ahead.
  held.start = std::min(held.start, now_);
  external_pods_.Put(held);
  for (PlacedMember& member : held.members) {
    if (const auto pod = cache_.PodByUid(member.uid))
      member.request = schedule_->OfPlaced(member.request, *pod);
  }
  schedule_->Restore(held);
}

void MatchWorker::Add(PendingGroup group) {
  external_pods_.Put(group);
  gates_.Put(std::move(group), *schedule_, now_);
}

void MatchWorker::AddToSchedule(PendingGroup group) {
  if (schedule_->LooksAtLabels()) {
    for (Member& member : group.members) {
      const auto pod = cache_.PodByUid(member.uid);
      if (pod != nullptr)
        member.request = schedule_->OfPod(member.request, *pod);
    }
  }
  schedule_->Add(std::move(group));
}

void MatchWorker::LookAtNamespaces() {
  const std::uint64_t version = cache_.NamespacesVersion();
  if (version == namespaces_) return;
  namespaces_ = version;
  std::map<std::string, cluster::LabelMap> labels;
  for (const cluster::NamespacePointer& space : cache_.Namespaces())
    labels.emplace(space->name, space->labels);
  schedule_->SetNamespaces(std::move(labels));
}

// Reads labels again after new rules look at labels that no rule looked at
// before.
void MatchWorker::LookAtNewSelectors() {
  while (schedule_->TakeNewSelectors()) {
    schedule_->RelabelAll(
        [this](const std::string& uid) { return cache_.PodByUid(uid); });
    for (const auto& [name, node] : known_) noted_.insert(name);
    ApplyNodes();
  }
}

void MatchWorker::SetQueues(const std::vector<QueueSettings>& queues) {
  std::map<std::string, QueueSettings> settings;
  bool selected_otherwise = false;
  for (const QueueSettings& queue : queues) {
    const auto known = queues_.find(queue.name);
    selected_otherwise |= known == queues_.end() ||
                          known->second.node_selector != queue.node_selector;
    schedule_->SetQueue(queue);
    settings.emplace(queue.name, queue);
  }
  for (const auto& [name, queue] : queues_) {
    if (!settings.contains(name)) schedule_->RemoveQueue(name);
  }
  selected_otherwise |= settings.size() != queues_.size();
  queues_ = std::move(settings);
  if (!selected_otherwise) return;
  for (const cluster::NodePointer& node : cache_.Nodes())
    noted_.insert(node->name);
}

void MatchWorker::Apply(const MatchStore::News& news) {
  changed_ = changed_ || news.Any() || !noted_.empty();
  if (!news.queues.empty()) SetQueues(news.queues);
  if (news.maintenance) maintenance_.Set(*news.maintenance);
  if (news.accounts) schedule_->SetAccounts(*news.accounts);
  if (news.pools) schedule_->SetPools(*news.pools);
  if (news.pools_elsewhere) schedule_->SetPoolsElsewhere(*news.pools_elsewhere);
  if (news.elsewhere) schedule_->SetElsewhere(*news.elsewhere);
  const auto touch = [&](GroupId group) {
    const auto nodes = schedule_->NodesOf(group);
    noted_.insert(nodes.begin(), nodes.end());
  };
  for (const auto& [group, uid] : news.released) {
    if (const auto node = schedule_->NodeOf(uid)) noted_.insert(*node);
    if (uid.empty() && external_pods_.Remove(group)) touch(group);
    if (!sql::BugPlanted("lost-release")) schedule_->Release(group, uid);
  }
  for (const GroupId group : news.changed) {
    touch(group);
    schedule_->Remove(group);
    gates_.Remove(group);
    external_pods_.Remove(group);
    schedule_->Release(group, "");
    charged_.erase(group);
  }
  for (const Held& held : news.held) {
    if (!sql::BugPlanted("change-lost")) Restore(held);
    touch(held.group);
  }
  ApplyHoldersOfOthers(news.of_others);
  LookAtNamespaces();
  if (!options_.ahead) ApplyNodes();
  for (const PendingGroup& group : news.waiting) Add(group);
  gates_.LookAgain(*schedule_, now_, options_.batch);
  if (!options_.ahead) LookAtNewSelectors();
  CloseNodes();
}

void MatchWorker::CloseNodes() {
  const auto closures = maintenance_.TakeChanges(now_, [this] {
    MaintenanceWindows::Nodes nodes;
    for (const auto& [name, node] : known_) nodes.push_back(&node);
    return nodes;
  });
  if (closures) schedule_->SetClosures(*closures, now_);
}

// `held`: all that groups of other components hold here; it replaces what was
// known of them.
void MatchWorker::ApplyHoldersOfOthers(const std::vector<Held>& held) {
  std::map<GroupId, Held> now;
  for (const Held& one : held) {
    Held here = one;
    std::erase_if(here.members, [this](const PlacedMember& member) {
      return !claimed_.contains(member.node);
    });
    if (!here.members.empty()) now.emplace(one.group, std::move(here));
  }
  for (const auto& [group, before] : others_) {
    if (now.contains(group)) continue;
    Held nothing;
    nothing.group = group;
    Charge(nothing);
    NoteNodesOf(before);
  }
  for (const auto& [group, here] : now) {
    const auto before = others_.find(group);
    if (before != others_.end() && before->second == here &&
        charged_.contains(group)) {
      continue;
    }
    Charge(here);
    if (before != others_.end()) NoteNodesOf(before->second);
    NoteNodesOf(here);
  }
  others_ = std::move(now);
}

void MatchWorker::NoteNodesOf(const Held& held) {
  for (const PlacedMember& member : held.members) noted_.insert(member.node);
}

// A pod that is seen on its node is charged there like any pod of others.
bool MatchWorker::IsSeen(const PlacedMember& member) const {
  const cluster::PodPointer pod = cache_.PodByUid(member.uid);
  return pod != nullptr && pod->node_name == member.node &&
         (pod->phase == cluster::PodPhase::kPending ||
          pod->phase == cluster::PodPhase::kRunning);
}

void MatchWorker::Charge(const Held& holder) {
  Held charged = holder;
  std::erase_if(charged.members, [this](const PlacedMember& member) {
    return IsSeen(member) || !claimed_.contains(member.node);
  });
  const auto known = charged_.find(holder.group);
  if (known != charged_.end() && known->second == charged) return;
  if (charged.members.empty()) {
    schedule_->Release(holder.group, "");
    external_pods_.Remove(holder.group);
  } else {
    Restore(charged);
  }
  if (holder.members.empty()) {
    charged_.erase(holder.group);
  } else {
    charged_[holder.group] = std::move(charged);
  }
}

void MatchWorker::ApplyNodes() {
  for (const auto& [group, held] : others_) {
    const bool noted =
        std::ranges::any_of(held.members, [this](const PlacedMember& member) {
          return noted_.contains(member.node);
        });
    if (noted) Charge(held);
  }
  Names let_go;
  for (const std::string& name : std::exchange(noted_, {})) {
    ApplyNode(name);
    if (claimed_.contains(name) && !known_.contains(name))
      let_go.push_back(name);
  }
  if (!let_go.empty()) {
    store_.LetGo(let_go);
    for (const std::string& name : let_go) claimed_.erase(name);
    std::vector<Held> of_others;
    for (const auto& [group, held] : others_) of_others.push_back(held);
    ApplyHoldersOfOthers(of_others);
  }
  if (claim_again_ && !wanted_.empty()) Claim();
}

void MatchWorker::Claim() {
  claim_again_ = false;
  const MatchStore::Claimed claimed = store_.Claim(
      schedule_->requests(), Names(wanted_.begin(), wanted_.end()));
  if (claimed.nodes.empty()) return;
  for (const std::string& name : claimed.nodes) {
    claimed_.insert(name);
    wanted_.erase(name);
    noted_.insert(name);
  }
  std::vector<Held> of_others = claimed.of_others;
  for (const auto& [group, held] : others_) {
    const auto same = [group = group](const Held& one) {
      return one.group == group;
    };
    if (std::ranges::none_of(of_others, same)) of_others.push_back(held);
  }
  ApplyHoldersOfOthers(of_others);
  ApplyNodes();
}

void MatchWorker::ApplyNode(const std::string& name) {
  const cluster::NodePointer node = cache_.NodeByName(name);
  const bool selected =
      node != nullptr && std::ranges::any_of(queues_, [&](const auto& queue) {
        return cluster::Selects(queue.second.node_selector, *node);
      });
  if (!selected) {
    wanted_.erase(name);
    return DropNode(name);
  }
  if (!claimed_.contains(name)) {
    claim_again_ |= wanted_.insert(name).second;
    return;
  }
  cluster::Node& known = known_[name];
  if (!(known == *node)) {
    if (known.labels != node->labels || known.allocatable != node->allocatable)
      maintenance_.NoteNode();
    schedule_->SetNode(*node);
    known = *node;
  }
  ApplyUnmanaged(*node);
}

void MatchWorker::DropNode(const std::string& name) {
  if (known_.erase(name) == 0) return;
  maintenance_.NoteNode();
  // Otherwise their use would be charged when the node comes back.
  schedule_->SetUnmanaged(name, {});
  schedule_->SetGrown(name, {});
  schedule_->RemoveNode(name);
}

void MatchWorker::ApplyUnmanaged(const cluster::Node& node) {
  const bool looks = schedule_->LooksAtLabels();
  const auto pod_of = [this](const std::string& uid) {
    return cache_.PodByUid(uid);
  };
  cluster::Resources sum;
  std::map<std::string, cluster::Resources> grown;
  std::vector<const cluster::PodRequest*> seen;
  int occupants = 0;
  ExternalPods::Places places = external_pods_.On(node.name);
  std::vector<std::string> admitted;
  for (const cluster::PodPointer& pod : cache_.PodsOnNode(node.name)) {
    if (schedule_->NodeOf(pod->uid) == node.name) {
      if (!node.zones.empty() && cluster::IsAdmitted(*pod))
        admitted.push_back(pod->uid);
      if (looks) schedule_->Relabel(*pod, pod_of);
      cluster::Resources more = Grown(*schedule_, *pod);
      if (!(more == cluster::Resources{}))
        grown.emplace(pod->uid, std::move(more));
      continue;
    }
    if (!places.Take(*pod)) {
      cluster::AddUpTo(node.allocatable, sum, pod->request.resources);
      if (!cluster::BelongsToItsNode(*pod)) ++occupants;
    }
    if (const auto* request = schedule_->OfPlaced(nullptr, *pod))
      seen.push_back(request);
  }
  if (sql::BugPlanted("others-forgotten")) sum = {};
  schedule_->SetUnmanaged(node.name, sum, seen, occupants);
  schedule_->SetGrown(node.name, grown);
  schedule_->SetAdmitted(node.name, std::move(admitted));
}

bool MatchWorker::DecideAndCommit(cluster::Time now) {
  const auto begin = std::chrono::steady_clock::now();
  Decision decision = schedule_->Decide(now_, options_.batch);
  gates_.Review(decision, *schedule_, now_);
  const auto decided = std::chrono::steady_clock::now();
  if (options_.times != nullptr)
    options_.times->decisions.Note(decided - begin);
  if (decision.Empty()) return schedule_->More();
  changed_ = true;
  const std::set<GroupId> refused = store_.Commit(
      decision, sql::BugPlanted("wrong-clock")
                    ? std::chrono::time_point_cast<std::chrono::microseconds>(
                          std::chrono::system_clock::now())
                    : now);
  if (options_.times != nullptr)
    options_.times->commits.Note(std::chrono::steady_clock::now() - decided);
  for (const GroupId group : decision.turned_down) external_pods_.Remove(group);
  for (const Placed& placed : decision.placed) {
    if (refused.contains(placed.group) || sql::BugPlanted("double-grant")) {
      schedule_->Undo(placed);
    } else if (external_pods_.Place(placed)) {
      for (const PlacedMember& member : placed.members)
        noted_.insert(member.node);
    }
  }
  if (options_.on_decision) {
    options_.on_decision(decision,
                         std::chrono::duration_cast<std::chrono::microseconds>(
                             std::chrono::steady_clock::now() - begin));
  }
  return schedule_->More() || !refused.empty() || !decision.turned_down.empty();
}

std::optional<matcher::Time> MatchWorker::NextDue() const {
  if (schedule_ == nullptr) return std::nullopt;
  std::optional<matcher::Time> next;
  for (const auto& due :
       {schedule_->NextDue(), gates_.NextDue(now_), maintenance_.NextDue()})
    if (due && *due > now_ && (!next || *due < *next)) next = due;
  return next;
}

std::vector<GroupId> MatchWorker::InOrder(std::size_t limit) {
  if (schedule_ == nullptr) return {};
  return schedule_->InOrder(limit);
}

void MatchWorker::Stop() {
  if (!std::exchange(acquired_, false)) return;
  Forget();
  store_.GiveUp();
  store_.Resign();
}

std::string MatchWorker::Describe() const {
  return schedule_ == nullptr ? "" : schedule_->Describe();
}

}  // namespace fluxnetes::workers
