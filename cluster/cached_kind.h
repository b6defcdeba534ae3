// The objects of one kind as last seen, by key; part of ClusterCache. Events
// that come twice or late change nothing: versions are compared as numbers,
// which Kubernetes allows within one kind; others are taken as they come.
// Events of several objects may come in any order, as long as the latest
// deletions (kMostGone) are remembered.
//
// Not thread-safe.
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

// Which events of a kind are late.
class KindVersions {
 public:
  // It may be another cluster by now, whose versions begin again; events from
  // before a list do not come after it.
  void BeginList();
  void EndList() { listing_ = false; }
  bool listing() const { return listing_; }

  void See(const std::string& version);
  void SeeDeleted(const std::string& key, const std::string& version);
  // A repeated event, or one that came after a newer one of the object. `held`
  // is the version of the object if it is known.
  bool IsLate(const std::string& key, const std::string& version,
              const std::string* held) const;

 private:
  static constexpr std::size_t kMostGone = 10'000;

  // What is deleted and was not in the list, with the versions of the
  // deletions; in the order in which they came.
  std::unordered_map<std::string, std::uint64_t> gone_;
  std::deque<std::pair<std::string, std::uint64_t>> gone_in_order_;
  // Whatever is as old as that and is not known is deleted.
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

  // The keys that a list left out, in order; none if there was no list.
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

  // False if it was late. `before` is what was there.
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

  // False if it was not there.
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
  std::unordered_set<std::string> listed_;  // during a list
};

}  // namespace fluxnetes::cluster
