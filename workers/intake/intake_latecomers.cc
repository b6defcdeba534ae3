#include "workers/intake/intake_latecomers.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/json/request_json.h"
#include "workers/intake/members_queries.h"
#include "workers/intake/promoter.h"
#include "workers/pods/pod_rules.h"

namespace fluxnetes::workers {

namespace {

bool HasShapeOf(const Vacancy& vacancy, const cluster::Pod& pod) {
  if (vacancy.succeeded || vacancy.completion_index != pod.completion_index)
    return false;
  return pod.completion_index || vacancy.request == pod.request;
}

}  // namespace

std::optional<std::size_t> FindVacancy(std::span<const Vacancy> vacancies,
                                       const cluster::Pod& pod) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < vacancies.size(); ++i) {
    const Vacancy& vacancy = vacancies[i];
    if (vacancy.taken || !HasShapeOf(vacancy, pod)) continue;
    if (vacancy.pod_name == pod.name) return i;
    if (!found) found = i;
  }
  return found;
}

std::optional<std::size_t> FindFreeVacancy(std::span<const Vacancy> vacancies,
                                           const cluster::Pod& pod) {
  const std::string kind = pod.controller ? pod.controller->kind : "";
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < vacancies.size(); ++i) {
    const Vacancy& vacancy = vacancies[i];
    if (vacancy.taken || vacancy.owner_kind != kind) continue;
    if (vacancy.pod_name == pod.name) return i;
    if (!found && HasShapeOf(vacancy, pod)) found = i;
  }
  return found;
}

bool IsFree(const cluster::Pod& pod) {
  return !pod.controller || !cluster::MakesPods(pod.controller->kind);
}

std::vector<std::string> PodMakingKinds() {
  return {cluster::kPodMakingKinds.begin(), cluster::kPodMakingKinds.end()};
}

Latecomers::Latecomers(sql::Transaction& transaction, queue::WorkQueue& jobs,
                       const cluster::ClusterCache& cache, cluster::Time now)
    : transaction_(transaction), jobs_(jobs), cache_(cache), now_(now) {}

void Latecomers::Add(cluster::PodPointer pod, GroupLabels labels) {
  if (labels.begins_group) return;
  GroupLabels of_pod = labels;
  of_pod.topology = {};  // of its group, as vacancies have none
  cluster::PodRequest request = RequestOf(*pod, of_pod);
  if (!(request == pod->request)) {
    auto asking = std::make_shared<cluster::Pod>(*pod);
    asking->request = std::move(request);
    pod = std::move(asking);
  }
  arrivals_.push_back({std::move(pod), std::move(labels)});
}

void Latecomers::Receive(GroupChanges& groups) {
  if (arrivals_.empty()) return;
  ReadGroups();
  if (groups_.empty()) return;
  ReadVacancies();
  ReadMaintenance();
  std::ranges::sort(arrivals_, {}, [](const Arrival& arrival) {
    return std::pair(arrival.pod->created_at, arrival.pod->uid);
  });
  // Not std::ranges::unique: clang 14 does not compile its result.
  const auto same = [](const Arrival& a, const Arrival& b) {
    return a.pod->uid == b.pod->uid;
  };
  arrivals_.erase(std::unique(arrivals_.begin(), arrivals_.end(), same),
                  arrivals_.end());
  for (const Arrival& arrival : arrivals_) Receive(arrival);
  Write(groups);
}

void Latecomers::Receive(const Arrival& arrival) {
  if (ActiveGroup* const group = GroupOf(arrival)) {
    if (const auto found = FindVacancy(group->vacancies, *arrival.pod)) {
      Take(*group, group->vacancies[*found], *arrival.pod);
    } else if (group->alive) {
      surplus_of_.push_back(group->id);
      surplus_.push_back(arrival.pod->uid);
    }
    return;
  }
  if (!IsFree(*arrival.pod)) return;
  for (ActiveGroup& group : groups_) {
    if (!group.alive || !IsNamed(group, arrival)) continue;
    const auto found = FindFreeVacancy(group.vacancies, *arrival.pod);
    if (found) return Take(group, group.vacancies[*found], *arrival.pod);
  }
}

void Latecomers::ReadGroups() {
  std::vector<std::string> namespaces, names;
  for (const Arrival& arrival : arrivals_) {
    namespaces.push_back(arrival.pod->namespace_name);
    names.push_back(arrival.labels.group_name);
  }
  for (const sql::Row row :
       transaction_.Run(queries::kReadActiveGroups, namespaces, names)) {
    ActiveGroup& group = groups_.emplace_back();
    group.id = row.Get<std::int64_t>("id");
    group.namespace_name = row.Get<std::string>("namespace");
    group.group_name = row.Get<std::string>("group_name");
    group.group_size = row.Get<std::int32_t>("group_size");
    group.queue = row.Get<std::string>("queue");
    group.account = row.Get<std::string>("account");
    group.max_size = row.Find<std::int32_t>("max_size");
    group.topology = cluster::TopologyFromJson(
        row.Find<std::string>("topology").value_or(""));
    group.owners = row.Get<std::vector<std::string>>("owners");
    group.alive = row.Get<bool>("alive");
  }
}

// The members on a node that are being deleted, of the groups to whose
// controllers pods belong that have come.
std::vector<std::string> Latecomers::FindLeaving() {
  std::set<std::int64_t> ids;
  for (const Arrival& arrival : arrivals_) {
    const ActiveGroup* const group = GroupOf(arrival);
    if (group != nullptr && group->alive) ids.insert(group->id);
  }
  std::vector<std::string> leaving;
  if (ids.empty()) return leaving;
  for (const sql::Row row :
       transaction_.Run(queries::kReadBoundMembers,
                        std::vector<std::int64_t>(ids.begin(), ids.end()))) {
    auto uid = row.Get<std::string>("uid");
    const cluster::PodPointer pod = cache_.PodByUid(uid);
    if (pod != nullptr && pod->terminating) leaving.push_back(std::move(uid));
  }
  return leaving;
}

void Latecomers::ReadVacancies() {
  std::map<std::int64_t, ActiveGroup*> by_id;
  std::vector<std::int64_t> ids;
  for (ActiveGroup& group : groups_) {
    by_id[group.id] = &group;
    ids.push_back(group.id);
  }
  std::vector<std::string> free_names;
  for (const Arrival& arrival : arrivals_)
    if (IsFree(*arrival.pod)) free_names.push_back(arrival.pod->name);
  for (const sql::Row row : transaction_.Run(queries::kReadVacancies, ids,
                                             free_names, FindLeaving())) {
    by_id.at(row.Get<std::int64_t>("group_id"))
        ->vacancies.push_back(
            {row.Get<std::string>("uid"),
             row.Find<std::int32_t>("completion_index"),
             cluster::WithTopology(
                 cluster::PodRequestFromJson(row.Get<std::string>("request")),
                 {}),
             row.Find<std::string>("node_name"), false,
             row.Get<std::string>("pod_name"),
             row.Find<std::string>("owner_kind").value_or(""),
             row.Get<bool>("succeeded")});
  }
}

void Latecomers::ReadMaintenance() {
  std::set<std::string> held;
  for (const ActiveGroup& group : groups_)
    for (const Vacancy& vacancy : group.vacancies)
      if (vacancy.node) held.insert(*vacancy.node);
  std::vector<std::string> nodes, labels;
  for (const std::string& name : held) {
    const cluster::NodePointer node = cache_.NodeByName(name);
    if (node == nullptr) continue;
    nodes.push_back(name);
    labels.push_back(nlohmann::json(node->labels).dump());
  }
  if (nodes.empty()) return;
  for (const sql::Row row :
       transaction_.Run(queries::kFindNodesInMaintenance, nodes, labels, now_))
    closed_.insert(row.Get<std::string>("node"));
}

bool Latecomers::IsNamed(const ActiveGroup& group,
                         const Arrival& arrival) const {
  return group.namespace_name == arrival.pod->namespace_name &&
         group.group_name == arrival.labels.group_name &&
         group.group_size == arrival.labels.group_size &&
         group.queue == arrival.labels.queue &&
         group.account == arrival.labels.account &&
         group.max_size == arrival.labels.max_size &&
         AgreesWith(arrival.labels.topology, group.topology);
}

Latecomers::ActiveGroup* Latecomers::GroupOf(const Arrival& arrival) {
  if (!arrival.pod->controller) return nullptr;
  for (ActiveGroup& group : groups_) {
    if (IsNamed(group, arrival) &&
        std::ranges::count(group.owners, arrival.pod->controller->uid) > 0)
      return &group;
  }
  return nullptr;
}

bool Latecomers::PlaceCanBeUsed(const Vacancy& vacancy,
                                const cluster::Pod& pod) const {
  if (!vacancy.node || !(vacancy.request == pod.request)) return false;
  const cluster::NodePointer node = cache_.NodeByName(*vacancy.node);
  return node != nullptr && !closed_.contains(*vacancy.node) &&
         cluster::WhyClosed(*node).empty() && Suits(*node, pod.request);
}

void Latecomers::Take(ActiveGroup& group, Vacancy& vacancy,
                      const cluster::Pod& pod) {
  const bool with_place = PlaceCanBeUsed(vacancy, pod);
  vacancy.taken = true;
  replacing_.push_back(pod.uid);
  replaced_.push_back(vacancy.uid);
  replaced_in_.push_back(group.id);
  with_place_.push_back(with_place);
  (with_place ? rebind_ : rematch_).push_back(group.id);
}

void Latecomers::Write(GroupChanges& groups) {
  if (!replacing_.empty()) {
    transaction_.Run(queries::kReplaceMembers, replacing_, replaced_,
                     replaced_in_, with_place_);
    const std::set<std::int64_t> rematched(rematch_.begin(), rematch_.end());
    std::set<std::int64_t> rebound(rebind_.begin(), rebind_.end());
    std::erase_if(rebound, [&](auto id) { return rematched.contains(id); });
    groups.Requeue({rematched.begin(), rematched.end()});
    groups.Rebind({rebound.begin(), rebound.end()});
  }
  if (surplus_.empty()) return;
  PromoteSurplus(transaction_, jobs_, surplus_of_, surplus_, now_);
  groups.CallMatch();
}

}  // namespace fluxnetes::workers
