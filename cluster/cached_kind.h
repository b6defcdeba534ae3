// The objects of one kind as last seen, by key; part of ClusterCache. Repeated
// and late events change nothing. Resource versions are compared as numbers,
// which Kubernetes allows within one kind; an event whose version is not a
// number is always applied. Events of several objects may come in any order:
// the latest kMostGone deletions are remembered.
//
// Not thread-safe.
// Tests: tests/cluster/cluster_cache_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace fluxnetes::cluster {

// Decides which events of a kind are late.
class KindVersions {
 public:
  // Forgets all versions: after a gap the cluster may be another one, whose
  // versions start again. Events from before a list do not come after it.
  void BeginList();
  void EndList() { listing_ = false; }
  bool listing() const { return listing_; }

  void See(const std::string& version);
  void SeeDeleted(const std::string& key, const std::string& version);
  // True for a repeated event, or one older than an event of the object that
  // was already applied. `held` is the version of the cached object; null: not
  // cached.
  bool IsLate(const std::string& key, const std::string& version,
              const std::string* held) const;

 private:
  static constexpr std::size_t kMostGone = 10'000;

  // The versions at which objects outside the list were deleted, by key and in
  // order of arrival.
  std::unordered_map<std::string, std::uint64_t> gone_;
  std::deque<std::pair<std::string, std::uint64_t>> gone_in_order_;
  // An event of an unknown object at this version or below is of a deleted one.
  std::uint64_t forgotten_ = 0;
  bool listing_ = false;
};

template <typename Object>
class CachedKind {
 public:
  using Pointer = std::shared_ptr<const Object>;

  void BeginList() {
    versions_.BeginList();
    listed_.clear();
  }

  // Returns the keys that the list left out, sorted; none if no list had begun.
  std::vector<std::string> EndList() {
    std::vector<std::string> vanished;
    if (!versions_.listing()) return vanished;
    versions_.EndList();
    for (const auto& [key, object] : objects_) {
      if (!listed_.contains(key)) vanished.push_back(key);
    }
    std::ranges::sort(vanished);
    for (const std::string& key : vanished) objects_.erase(key);
    listed_ = {};
    return vanished;
  }

  // Returns false if the event was late. `before` receives the former object.
  bool Put(const std::string& key, const Pointer& object, Pointer& before) {
    if (versions_.listing()) listed_.insert(key);
    before = Find(key);
    if (versions_.IsLate(key, object->resource_version,
                         before ? &before->resource_version : nullptr)) {
      return false;
    }
    versions_.See(object->resource_version);
    objects_[key] = object;
    return true;
  }

  // Returns false if the object was not cached.
  bool Drop(const std::string& key, const std::string& version) {
    versions_.SeeDeleted(key, version);
    listed_.erase(key);
    return objects_.erase(key) > 0;
  }

  Pointer Find(const std::string& key) const {
    const auto found = objects_.find(key);
    return found == objects_.end() ? nullptr : found->second;
  }

  std::vector<Pointer> All() const {
    std::vector<Pointer> all;
    all.reserve(objects_.size());
    for (const auto& [key, object] : objects_) all.push_back(object);
    return all;
  }

 private:
  KindVersions versions_;
  std::unordered_map<std::string, Pointer> objects_;
  std::unordered_set<std::string> listed_;  // keys of the current list
};

}  // namespace fluxnetes::cluster
