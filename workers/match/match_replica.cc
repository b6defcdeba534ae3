#include "workers/match/match_replica.h"

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "sql/connection/transaction.h"
#include "workers/match/component_share.h"
#include "workers/match/replicas_queries.h"

namespace fluxnetes::workers {
namespace {

// A difference may be a change in progress: after this many attempts it is left
// to the next comparison.
constexpr int kLooks = 8;

}  // namespace

MatchReplica::Owned::Owned(MatchReplica& replica, const Component& queues)
    : store(replica.pool_, replica.jobs_, replica.client_, queues,
            replica.options_.handover),
      worker(store, replica.cache_, replica.options_.worker) {}

MatchReplica::MatchReplica(sql::Pool& pool, queue::WorkQueue& jobs,
                           const queue::Client& client,
                           cluster::ClusterCache& cache, Options options)
    : pool_(pool),
      jobs_(jobs),
      client_(client),
      cache_(cache),
      options_(std::move(options)),
      node_reporter_(pool, cache, options_.schedulers) {}

MatchReplica::~MatchReplica() = default;

bool MatchReplica::RunOnce(cluster::Time now) {
  if (!cache_.Synced()) return false;
  if (joined_as_ != client_.id()) ForgetEverything();
  NoteNodes();
  const bool moved = IsDueToLook() && LookAround();
  if (compare_.exchange(false)) {
    for (const auto& [component, owned] : owned_)
      to_compare_[component] = kLooks;
  }
  const bool more = RunWorkers(now) || moved;
  if (!more) CompareSome();
  return more || !to_compare_.empty();
}

// Compares one component per run, when there is nothing else to do.
void MatchReplica::CompareSome() {
  if (to_compare_.empty()) return;
  const auto next = to_compare_.begin();
  const auto owned = owned_.find(next->first);
  MatchWorker::Comparison found;
  if (owned != owned_.end()) found = owned->second->worker.Compare();
  if (found.Faulty()) {
    owned->second->worker.LoadAgain();
    if (options_.differences != nullptr) {
      options_.differences->Note(DifferenceKind::kGraphNode, found.nodes);
      options_.differences->Note(DifferenceKind::kGraphPlaces, found.places);
    }
  }
  if (found.Faulty() || !found.again || --next->second == 0)
    to_compare_.erase(next);
}

void MatchReplica::NoteNodes() {
  std::vector<std::string> changed = cache_.TakeChangedNodes();
  if (std::exchange(all_nodes_, false)) {
    for (const cluster::NodePointer& node : cache_.Nodes())
      partition_.SetNode(node);
  }
  for (const std::string& name : changed) {
    const cluster::NodePointer node = cache_.NodeByName(name);
    if (node != nullptr) {
      partition_.SetNode(node);
    } else {
      partition_.RemoveNode(name);
    }
  }
  const std::vector<std::string> claims = cache_.TakeChangedClaims();
  if (!claims.empty()) {
    for (const auto& [component, owned] : owned_)
      owned->worker.NoteClaims(claims);
  }
  const cluster::ChangedDevices devices = cache_.TakeChangedDevices();
  if (devices.Any()) {
    node_reporter_.NoteDevices(devices);
    for (const auto& [component, owned] : owned_)
      owned->worker.TakeDevices(devices);
  }
  if (changed.empty()) return;
  node_reporter_.Note(changed);
  for (const auto& [component, owned] : owned_)
    owned->worker.NoteNodes(changed);
}

bool MatchReplica::IsDueToLook() {
  const auto& components = partition_.Components();
  const bool changed = std::ranges::any_of(owned_, [&](const auto& owned) {
    return !std::ranges::binary_search(components, owned.first);
  });
  const auto now = Clock::now();
  if (!look_.exchange(false) && !changed && now < next_look_) return false;
  next_look_ = now + options_.look;
  return true;
}

// Reads the owners of all queues, and takes and leaves components.
bool MatchReplica::LookAround() {
  const int moves = moves_;
  std::map<std::string, Partition::Selector> queues;
  std::map<std::string, std::int64_t> owners;
  try {
    for (const sql::Row row : sql::RunAlone(pool_, queries::kReadOwners)) {
      const auto name = row.Get<std::string>("name");
      queues[name] =
          nlohmann::json::parse(row.Get<std::string>("node_selector"))
              .get<Partition::Selector>();
      owners[name] = row.Find<std::int64_t>("owner").value_or(kFree);
    }
    partition_.SetQueues(queues);
    std::vector<Component> gone;
    for (const auto& [component, owned] : owned_) {
      if (!std::ranges::binary_search(partition_.Components(), component))
        gone.push_back(component);
    }
    for (const Component& component : gone) {
      Leave(component);
      for (const std::string& queue : component) owners[queue] = kFree;
    }
    Divide(owners);
  } catch (...) {
    look_ = true;
    throw;
  }
  for (const auto& [component, owned] : owned_) owned->worker.ClaimAgain();
  return moves_ != moves;
}

void MatchReplica::Divide(const std::map<std::string, std::int64_t>& owners) {
  if (joined_as_ == 0) {
    const std::int64_t self = client_.id();
    sql::RunAlone(pool_, queries::kJoinReplicas, self);
    joined_as_ = self;
  }
  std::vector<std::int64_t> replicas;
  for (const sql::Row row : sql::RunAlone(pool_, queries::kReadReplicas))
    replicas.push_back(row.Get<std::int64_t>("id"));
  const std::vector<Component> components = partition_.Components();
  std::vector<std::int64_t> owner_of;
  for (const Component& component : components) {
    std::int64_t owner = owners.at(component.front());
    for (const std::string& queue : component) {
      if (owners.at(queue) != owner) owner = kUnderWay;
    }
    if (owned_.contains(component)) owner = joined_as_;
    if (owner == joined_as_) Take(component);  // unless it is loaded
    owner_of.push_back(owner);
  }
  const Share share = ShareOf(joined_as_, replicas, owner_of);
  for (std::size_t i = 0; i < components.size(); ++i) {
    const bool ours = std::ranges::find(share.take, i) != share.take.end();
    if (ours || IsPatienceOver(components[i], owner_of[i] == kFree))
      Take(components[i]);
  }
  for (const std::size_t i : share.leave) Leave(components[i]);
}

bool MatchReplica::IsPatienceOver(const Component& component, bool is_free) {
  if (!is_free) {
    free_since_.erase(component);
    return false;
  }
  const auto now = Clock::now();
  return now - free_since_.emplace(component, now).first->second >
         options_.patience;
}

void MatchReplica::Take(const Component& component) {
  auto& owned = owned_[component];
  if (owned != nullptr) return;
  owned = std::make_unique<Owned>(*this, component);
  ++moves_;
}

void MatchReplica::Leave(const Component& component) {
  const auto owned = owned_.find(component);
  if (owned == owned_.end()) return;
  owned->second->worker.Stop();
  owned_.erase(owned);
  ++moves_;
  if (options_.on_owner) options_.on_owner(component, false);
}

// The client id has changed: all components owned before are lost.
void MatchReplica::ForgetEverything() {
  owned_.clear();
  free_since_.clear();
  node_reporter_.Forget();
  joined_as_ = 0;
  look_ = true;
}

bool MatchReplica::RunWorkers(cluster::Time now) {
  bool more = false;
  std::exception_ptr failure;
  std::vector<Component> lost;
  for (const auto& [component, owned] : owned_) {
    const bool owned_before = owned->worker.Loaded();
    try {
      more |= owned->worker.RunOnce(now);
    } catch (...) {
      failure = std::current_exception();
    }
    if (!owned->worker.owns()) lost.push_back(component);
    if (owned_before != owned->worker.Loaded() && options_.on_owner)
      options_.on_owner(component, !owned_before);
    if (owned->worker.TakeChanged() && options_.on_change)
      options_.on_change(component);
  }
  for (const Component& component : lost) owned_.erase(component);
  if (failure) std::rethrow_exception(failure);
  return more;
}

void MatchReplica::ReportNodes(cluster::Time now) {
  const auto& components = partition_.Components();
  const auto owned =
      components.empty() ? owned_.end() : owned_.find(components.front());
  if (owned != owned_.end() && owned->second->worker.Loaded()) {
    node_reporter_.Write(now);
  } else {
    node_reporter_.Forget();
  }
}

std::optional<matcher::Time> MatchReplica::NextDue() const {
  std::optional<matcher::Time> next;
  for (const auto& [component, owned] : owned_) {
    const auto due = owned->worker.NextDue();
    if (due && (!next || *due < *next)) next = due;
  }
  return next;
}

void MatchReplica::Stop() {
  if (joined_as_ == 0) return;
  // First, so that the other replicas do not expect this one to take the
  // components again.
  sql::RunAlone(pool_, queries::kLeaveReplicas, joined_as_);
  while (!owned_.empty()) Leave(Component(owned_.begin()->first));
  ForgetEverything();
}

std::map<Partition::Component, std::string> MatchReplica::Describe() const {
  std::map<Component, std::string> pictures;
  for (const auto& [component, owned] : owned_) {
    if (owned->worker.Loaded()) pictures[component] = owned->worker.Describe();
  }
  return pictures;
}

}  // namespace fluxnetes::workers
