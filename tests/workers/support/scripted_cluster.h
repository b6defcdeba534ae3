// A cluster in which nothing happens by itself: tests add pods and nodes,
// change them, and read the requests made to it. Its watch reports all events
// at once and in order.
//
// Used by one thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/cluster_cache.h"

namespace fluxnetes::workers {

class ScriptedCluster final : public cluster::Cluster {
 public:
  // Adds or changes a pod; it gets the next resource version.
  void Put(cluster::Pod pod) {
    pod.resource_version = std::to_string(++version_);
    const auto shared = std::make_shared<const cluster::Pod>(std::move(pod));
    pods_[cluster::Key(*shared)] = shared;
    Tell({cluster::WatchEvent::Kind::kChanged, shared});
  }

  template <typename Change>
  void ChangePod(const std::string& key, Change change) {
    cluster::Pod pod = *pods_.at(key);
    change(pod);
    Put(std::move(pod));
  }

  void Remove(const std::string& key) {
    const auto pod = pods_.at(key);
    pods_.erase(key);
    Tell({cluster::WatchEvent::Kind::kDeleted, pod});
  }

  void End(const std::string& key, cluster::PodPhase phase) {
    ChangePod(key, [phase](cluster::Pod& pod) { pod.phase = phase; });
  }

  void PutNode(cluster::Node node) {
    node.resource_version = std::to_string(++version_);
    const auto shared = std::make_shared<const cluster::Node>(std::move(node));
    nodes_[shared->name] = shared;
    Tell({cluster::WatchEvent::Kind::kChanged, shared});
  }

  // A PodGroup of the coscheduling plugin, or the native one; size 0 removes
  // it.
  void PutGroup(const cluster::PodGroupName& name, int size) {
    const auto before = groups_[name];
    if (size == 0) {
      groups_.erase(name);
      Tell({cluster::WatchEvent::Kind::kDeleted, before});
      return;
    }
    cluster::PodGroup group;
    group.name = name;
    group.min_members = size;
    if (before != nullptr) group.status = before->status;
    Put(std::move(group));
  }
  void Put(cluster::PodGroup group) {
    group.resource_version = std::to_string(++version_);
    const auto put =
        std::make_shared<const cluster::PodGroup>(std::move(group));
    groups_[put->name] = put;
    Tell({cluster::WatchEvent::Kind::kChanged, put});
  }

  void PutJob(cluster::JobAnnotations job) {
    job.resource_version = std::to_string(++version_);
    Tell({cluster::WatchEvent::Kind::kChanged,
          std::make_shared<const cluster::JobAnnotations>(std::move(job))});
  }

  // Adds a claim, a volume, a storage class, a namespace, or an object of
  // resource.k8s.io.
  template <typename Object>
  void PutOther(const std::string& key, Object object) {
    cluster::WatchedKind kind = cluster::WatchedKind::kNamespaces;
    if constexpr (std::is_same_v<Object, cluster::VolumeClaim>)
      kind = cluster::WatchedKind::kVolumeClaims;
    if constexpr (std::is_same_v<Object, cluster::Volume>)
      kind = cluster::WatchedKind::kVolumes;
    if constexpr (std::is_same_v<Object, cluster::StorageClass>)
      kind = cluster::WatchedKind::kStorageClasses;
    if constexpr (std::is_same_v<Object, cluster::ResourceClaim>)
      kind = cluster::WatchedKind::kResourceClaims;
    if constexpr (std::is_same_v<Object, cluster::ResourceSlice>)
      kind = cluster::WatchedKind::kResourceSlices;
    if constexpr (std::is_same_v<Object, cluster::DeviceClass>)
      kind = cluster::WatchedKind::kDeviceClasses;
    kind_of_[key] = kind;
    object.resource_version = std::to_string(++version_);
    others_[key] = {cluster::WatchEvent::Kind::kChanged,
                    std::make_shared<const Object>(std::move(object))};
    Tell(others_[key]);
  }
  void PutClaim(cluster::VolumeClaim claim) {
    const std::string key = "claim " + Key(claim);
    PutOther(key, std::move(claim));
  }
  cluster::VolumeClaim ClaimOf(const std::string& key) const {
    return *std::get<cluster::VolumeClaimPointer>(
        others_.at("claim " + key).object);
  }

  // Claims of devices; null: there is none of this key.
  void PutResourceClaim(cluster::ResourceClaim claim) {
    const std::string key = "devices " + Key(claim);
    PutOther(key, std::move(claim));
  }
  cluster::ResourceClaimPointer ResourceClaimOf(const std::string& key) const {
    const auto found = others_.find("devices " + key);
    return found == others_.end()
               ? nullptr
               : std::get<cluster::ResourceClaimPointer>(found->second.object);
  }

  void RemoveNode(const std::string& name) {
    const auto node = nodes_.at(name);
    nodes_.erase(name);
    Tell({cluster::WatchEvent::Kind::kDeleted, node});
  }

  // Loses events from now on until the next list.
  void LoseEvents() { telling_ = false; }
  void List() {
    telling_ = true;
    events_ = Listing();
  }

  bool Has(const std::string& key) const { return pods_.contains(key); }
  const cluster::Pod& PodOf(const std::string& key) const {
    return *pods_.at(key);
  }

  std::unique_ptr<cluster::Watch> WatchAll() override {
    events_ = Listing();
    return std::make_unique<ScriptedWatch>(*this);
  }

  std::vector<cluster::BindResult> Bind(
      std::span<const cluster::Binding> bindings,
      std::chrono::milliseconds) override {
    CheckReachable();
    if (before_bind) std::exchange(before_bind, nullptr)();
    std::vector<cluster::BindResult> results;
    for (const cluster::Binding& binding : bindings)
      results.push_back(BindOne(binding));
    return results;
  }

  std::vector<cluster::AnnounceResult> Announce(
      std::span<const cluster::NodeAnnouncement> told) override {
    CheckReachable();
    std::vector<cluster::AnnounceResult> results;
    for (const cluster::NodeAnnouncement& each : told) {
      announced.push_back(each.claim_name + " " + each.node_name);
      if (!refuses.empty()) {
        results.push_back({cluster::AnnounceOutcome::kRefused, refuses});
        continue;
      }
      auto claim = ClaimOf(each.namespace_name + "/" + each.claim_name);
      const bool same = claim.uid == each.uid &&
                        claim.resource_version == each.resource_version;
      results.push_back({same ? cluster::AnnounceOutcome::kWritten
                              : cluster::AnnounceOutcome::kConflict,
                         ""});
      claim.selected_node = each.node_name;
      if (same) PutClaim(std::move(claim));
    }
    return results;
  }

  std::vector<cluster::ClaimResult> AllocateClaims(
      std::span<const cluster::ClaimAllocation> claims) override {
    return WriteClaims(claims);
  }
  std::vector<cluster::ClaimResult> ReleaseClaims(
      std::span<const cluster::ClaimRelease> claims) override {
    return WriteClaims(claims);
  }

  std::optional<cluster::Pod> GetPod(const std::string& namespace_name,
                                     const std::string& name) override {
    CheckReachable();
    const auto pod = pods_.find(namespace_name + "/" + name);
    if (pod == pods_.end()) return std::nullopt;
    return *pod->second;
  }

  std::vector<cluster::TouchResult> Touch(
      std::span<const cluster::ObjectName> pods) override {
    CheckReachable();
    std::vector<cluster::TouchResult> results;
    for (const cluster::ObjectName& name : pods) {
      if (refuses_touches && name.name.starts_with(*refuses_touches))
        throw cluster::Refused("touching pods: forbidden");
      touched.push_back(name.namespace_name + "/" + name.name);
      cluster::TouchResult& result = results.emplace_back();
      const auto pod = GetPod(name.namespace_name, name.name);
      if (!pod || pod->uid != name.uid) continue;
      if (!pod->node_name.empty()) {
        result.bound = std::make_shared<const cluster::Pod>(*pod);
        continue;
      }
      Put(*pod);
      result.resource_version = std::to_string(version_);
    }
    return results;
  }

  bool Delete(const cluster::ObjectName& object) override {
    CheckReachable();
    deleted.push_back(object.kind + " " + object.namespace_name + "/" +
                      object.name);
    if (undeletable.contains(deleted.back()))
      throw cluster::Refused("deleting " + deleted.back() + ": forbidden");
    if (object.kind != "Pod") return owners.contains(object.uid);
    const auto key = object.namespace_name + "/" + object.name;
    if (!Has(key) || PodOf(key).uid != object.uid) return false;
    Remove(key);
    return true;
  }

  std::optional<cluster::ObjectName> TopOwner(
      const cluster::ObjectName& owner) override {
    CheckReachable();
    const auto found = owners.find(owner.uid);
    if (found == owners.end()) return std::nullopt;
    return found->second;
  }

  bool MayReplace(const cluster::ObjectName& owner) override {
    CheckReachable();
    asked_for_owners += 1;
    return owners.contains(owner.uid) && !over.contains(owner.uid);
  }

  std::vector<cluster::ControllerState> ReadControllers(
      std::span<const cluster::ObjectName> names) override {
    CheckReachable();
    std::vector<cluster::ControllerState> states;
    for (const cluster::ObjectName& name : names) {
      asked_for_controllers += 1;
      const auto found = controllers.find(name.uid);
      states.push_back(found == controllers.end() ? cluster::ControllerState{}
                                                  : found->second);
    }
    if (after_controllers) std::exchange(after_controllers, nullptr)();
    return states;
  }

  void Record(std::span<const cluster::PodEvent> told) override {
    if (before_record) std::exchange(before_record, nullptr)();
    CheckReachable();
    events.insert(events.end(), told.begin(), told.end());
    if (after_record) std::exchange(after_record, nullptr)();
  }

  // A condition that names a version is set only on a pod at that version; a
  // condition that the pod has already does not change it.
  std::vector<cluster::StatusResult> SetConditions(
      std::span<const cluster::PodCondition> told) override {
    CheckReachable();
    if (before_conditions) std::exchange(before_conditions, nullptr)();
    std::vector<cluster::StatusResult> results;
    for (const cluster::PodCondition& condition : told) {
      auto& result = results.emplace_back();
      result.outcome = cluster::StatusOutcome::kConflict;
      if (refuses_conditions) {
        ++refused_conditions;
        result.outcome = cluster::StatusOutcome::kRefused;
        continue;
      }
      const auto key = condition.namespace_name + "/" + condition.pod_name;
      const bool any = condition.resource_version.empty();
      const bool same =
          Has(key) && PodOf(key).uid == condition.pod_uid &&
          (any || PodOf(key).resource_version == condition.resource_version);
      if (any || same) conditions.push_back(condition);
      if (!same) continue;
      std::string& said = said_[condition.pod_uid];
      if (said != condition.reason + condition.message) {
        ChangePod(key, [](cluster::Pod&) {});
        said = condition.reason + condition.message;
      }
      result = {cluster::StatusOutcome::kSet, PodOf(key).resource_version};
    }
    return results;
  }

  std::vector<cluster::StatusResult> SetGroupStatuses(
      std::span<const cluster::PodGroupNews> told) override {
    CheckReachable();
    std::vector<cluster::StatusResult> results;
    for (const cluster::PodGroupNews& news : told) {
      if (refuses_statuses) {
        ++refused_statuses;
        results.push_back({cluster::StatusOutcome::kRefused, ""});
        continue;
      }
      const auto found = groups_.find(news.group);
      if (found == groups_.end() ||
          found->second->resource_version != news.resource_version) {
        results.push_back({cluster::StatusOutcome::kConflict, ""});
        continue;
      }
      group_news.push_back(news);
      cluster::PodGroup group = *found->second;
      group.status = news.status;
      group.resource_version = std::to_string(++version_);
      found->second = std::make_shared<const cluster::PodGroup>(group);
      Tell({cluster::WatchEvent::Kind::kChanged, found->second});
      results.push_back({cluster::StatusOutcome::kSet, group.resource_version});
    }
    return results;
  }

  bool reachable = true;
  std::function<void()> before_bind;           // called once
  std::function<void()> before_conditions;     // the same
  std::function<void()> after_controllers;     // the same
  std::function<void()> before_record;         // the same
  std::function<void()> after_record;          // the same
  std::optional<std::string> refuses_touches;  // for pods with this prefix
  bool refuses_conditions = false;
  int refused_conditions = 0;
  bool refuses_statuses = false;
  int refused_statuses = 0;
  // Existing controllers by UID, with the owner of each.
  std::map<std::string, cluster::ObjectName> owners;

  std::set<std::string> over;  // those that make no more pods
  int asked_for_owners = 0;    // calls of MayReplace

  // What controllers say of their pods, by UID; the others are unknown.
  std::map<std::string, cluster::ControllerState> controllers;
  int asked_for_controllers = 0;

  // The requests made, in order.
  std::vector<std::string> touched;
  std::vector<std::string> deleted;    // "Pod default/a"
  std::vector<std::string> announced;  // "data n1"
  int asked_for_claims = 0;            // of devices: written, or read for it
  std::string refuses;  // why announcements are refused; empty: they are not
  std::string refuses_bindings;       // the same for bindings
  std::string refuses_claims;         // and for claims of devices
  std::set<std::string> undeletable;  // "Job default/train"
  std::vector<cluster::PodEvent> events;
  std::vector<cluster::PodCondition> conditions;
  std::vector<cluster::PodGroupNews> group_news;

 private:
  class ScriptedWatch final : public cluster::Watch {
   public:
    explicit ScriptedWatch(ScriptedCluster& cluster) : cluster_(cluster) {}
    std::vector<cluster::WatchEvent> Next(int limit,
                                          std::chrono::milliseconds) override {
      std::vector<cluster::WatchEvent> events;
      while (!cluster_.events_.empty() && std::ssize(events) < limit) {
        events.push_back(std::move(cluster_.events_.front()));
        cluster_.events_.pop_front();
      }
      return events;
    }

   private:
    ScriptedCluster& cluster_;
  };

  std::map<std::string, std::string> said_;  // last conditions, by UID

  void Tell(cluster::WatchEvent event) {
    if (telling_) events_.push_back(std::move(event));
  }

  std::deque<cluster::WatchEvent> Listing() const {
    using Kind = cluster::WatchEvent::Kind;
    std::deque<cluster::WatchEvent> events{{Kind::kListBegin, {}}};
    for (const auto& [name, node] : nodes_)
      events.push_back({Kind::kChanged, node});
    for (const auto& [name, group] : groups_)
      events.push_back({Kind::kChanged, group});
    // Lists of their own, as they are in no order.
    for (const auto kind :
         {cluster::WatchedKind::kNamespaces,
          cluster::WatchedKind::kStorageClasses, cluster::WatchedKind::kVolumes,
          cluster::WatchedKind::kVolumeClaims,
          cluster::WatchedKind::kDeviceClasses,
          cluster::WatchedKind::kResourceSlices,
          cluster::WatchedKind::kResourceClaims}) {
      events.push_back({Kind::kListBegin, {}, kind});
      for (const auto& [key, event] : others_) {
        if (kind_of_.at(key) == kind) events.push_back(event);
      }
      events.push_back({Kind::kListEnd, {}, kind});
    }
    for (const auto& [key, pod] : pods_)
      events.push_back({Kind::kChanged, pod});
    events.push_back({Kind::kListEnd, {}});
    return events;
  }

  template <typename Wish>
  std::vector<cluster::ClaimResult> WriteClaims(std::span<const Wish> wishes) {
    using cluster::ClaimOutcome;
    CheckReachable();
    asked_for_claims += static_cast<int>(wishes.size());
    std::vector<cluster::ClaimResult> results;
    for (const Wish& wish : wishes) {
      const auto now = ResourceClaimOf(Key(*wish.claim));
      if (!refuses_claims.empty()) {
        results.push_back({ClaimOutcome::kRefused, refuses_claims});
      } else if (now == nullptr || now->uid != wish.claim->uid) {
        results.push_back({ClaimOutcome::kGone, "there is no such claim"});
      } else if (auto done = WhyDone(wish, *now)) {
        results.push_back(*std::move(done));
      } else {
        cluster::ResourceClaim changed = *now;
        Apply(wish, changed);
        PutResourceClaim(std::move(changed));
        results.push_back(
            {ClaimOutcome::kWritten, "", ResourceClaimOf(Key(*wish.claim))});
      }
    }
    return results;
  }

  cluster::BindResult BindOne(const cluster::Binding& binding) {
    using cluster::BindOutcome;
    const auto key = binding.namespace_name + "/" + binding.pod_name;
    if (!Has(key)) return {BindOutcome::kGone, ""};
    if (!refuses_bindings.empty())
      return {BindOutcome::kRefused, refuses_bindings};
    const cluster::Pod& pod = PodOf(key);
    const bool stale = !binding.resource_version.empty() &&
                       binding.resource_version != pod.resource_version;
    if (pod.uid != binding.uid || stale || !pod.node_name.empty())
      return {BindOutcome::kConflict, "precondition failed"};
    ChangePod(key, [&](cluster::Pod& p) {
      p.node_name = binding.node_name;
      for (const auto& [name, value] : binding.annotations)
        p.annotations[name] = value;
    });
    return {BindOutcome::kBound, ""};
  }

  void CheckReachable() const {
    if (!reachable) throw cluster::Unreachable("the cluster is away");
  }

  std::map<std::string, std::shared_ptr<const cluster::Pod>> pods_;
  std::map<std::string, std::shared_ptr<const cluster::Node>> nodes_;
  std::map<cluster::PodGroupName, cluster::PodGroupPointer> groups_;
  std::map<std::string, cluster::WatchEvent> others_;
  std::map<std::string, cluster::WatchedKind> kind_of_;  // the same
  std::deque<cluster::WatchEvent> events_;
  bool telling_ = true;
  long version_ = 100;
};

}  // namespace fluxnetes::workers
