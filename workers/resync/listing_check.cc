#include "workers/resync/listing_check.h"

#include <algorithm>

#include "workers/pods/version_number.h"

namespace fluxnetes::workers {

using cluster::WatchedKind;
using cluster::WatchEvent;

void ListingCheck::Begin(cluster::Time now) {
  if (IsUnderWay()) return;
  state_ = State::kFirst;
  give_up_at_ = now + options_.patience;
  List();
}

void ListingCheck::List() {
  watch_ = cluster_.WatchAll();
  reads_on_ = true;
  pods_ = nodes_ = {};
  pod_names_.clear();
}

void ListingCheck::Stop() {
  state_ = State::kIdle;
  watch_.reset();
  pods_ = nodes_ = {};
  pod_names_.clear();
  suspects_.clear();
}

ListingCheck::Missed ListingCheck::RunOnce(cluster::Time now) {
  Missed missed;
  if (state_ == State::kIdle) return missed;
  if (state_ == State::kWaiting) {
    std::erase_if(suspects_,
                  [this](const auto& each) { return !StillDiffers(each); });
    const bool told = std::ranges::all_of(
        suspects_, [this](const auto& each) { return IsTold(each); });
    if (!suspects_.empty() && told) {
      state_ = State::kSecond;
      List();
    }
  } else if (ReadOn()) {
    watch_.reset();
    if (state_ == State::kFirst) {
      FindSuspects();
      state_ = State::kWaiting;
    } else {
      missed = Confirm();
      suspects_.clear();
    }
  }
  const bool over = state_ != State::kFirst && suspects_.empty();
  if (over || now >= give_up_at_) Stop();
  return missed;
}

void ListingCheck::Keep(Listing& listing, const std::string& key,
                        const std::string& version) {
  const std::uint64_t number = VersionNumber(version);
  listing.versions[key] = number;
  listing.newest = std::max(listing.newest, number);
}

bool ListingCheck::ReadOn() {
  const auto events = watch_->Next(options_.events, options_.watch_timeout);
  reads_on_ = !events.empty();
  for (const WatchEvent& event : events) {
    const auto is_of = [&event](WatchedKind kind) {
      return event.listed.value_or(kind) == kind;
    };
    const auto* pod = std::get_if<cluster::PodPointer>(&event.object);
    const auto* node = std::get_if<cluster::NodePointer>(&event.object);
    const bool is_gone = event.kind == WatchEvent::Kind::kDeleted;
    if (event.kind == WatchEvent::Kind::kListEnd && !event.listed) return true;
    if (event.kind == WatchEvent::Kind::kListBegin) {
      if (is_of(WatchedKind::kPods)) pods_ = {};
      if (is_of(WatchedKind::kNodes)) nodes_ = {};
    } else if (pod != nullptr) {
      Keep(pods_, (*pod)->uid, (*pod)->resource_version);
      if (is_gone) pods_.versions.erase((*pod)->uid);
      if (cache_.PodByUid((*pod)->uid) == nullptr)
        pod_names_[(*pod)->uid] = cluster::Key(**pod);
    } else if (node != nullptr) {
      Keep(nodes_, (*node)->name, (*node)->resource_version);
      if (is_gone) nodes_.versions.erase((*node)->name);
    }
  }
  return false;
}

std::uint64_t ListingCheck::CachedVersion(WatchedKind kind,
                                          const std::string& key) const {
  if (kind == WatchedKind::kNodes) {
    const cluster::NodePointer node = cache_.NodeByName(key);
    return node == nullptr ? 0 : VersionNumber(node->resource_version);
  }
  const cluster::PodPointer pod = cache_.PodByUid(key);
  return pod == nullptr ? 0 : VersionNumber(pod->resource_version);
}

void ListingCheck::SuspectOf(WatchedKind kind, const std::string& key,
                             const std::string& name, std::uint64_t version,
                             bool gone) {
  Suspect suspect{kind, key, name, version, gone};
  if (version > 0 && StillDiffers(suspect))
    suspects_.push_back(std::move(suspect));
}

bool ListingCheck::StillDiffers(const Suspect& suspect) const {
  const std::uint64_t cached = CachedVersion(suspect.kind, suspect.key);
  if (suspect.gone) return cached > 0 && cached <= suspect.version;
  return cached < suspect.version;
}

// A deletion has a version of its own, later than all listed ones.
bool ListingCheck::IsTold(const Suspect& suspect) const {
  const std::uint64_t told = intake_.ToldUntil(suspect.kind);
  return suspect.gone ? told > suspect.version : told >= suspect.version;
}

void ListingCheck::FindSuspects() {
  for (const auto& [uid, version] : pods_.versions) {
    const auto name = pod_names_.find(uid);
    SuspectOf(WatchedKind::kPods, uid,
              name == pod_names_.end() ? "" : name->second, version, false);
  }
  for (const auto& [name, version] : nodes_.versions)
    SuspectOf(WatchedKind::kNodes, name, name, version, false);
  for (const cluster::PodPointer& pod : cache_.Pods()) {
    if (!pods_.versions.contains(pod->uid))
      SuspectOf(WatchedKind::kPods, pod->uid, cluster::Key(*pod), pods_.newest,
                true);
  }
  for (const cluster::NodePointer& node : cache_.Nodes()) {
    if (!nodes_.versions.contains(node->name))
      SuspectOf(WatchedKind::kNodes, node->name, node->name, nodes_.newest,
                true);
  }
}

ListingCheck::Missed ListingCheck::Confirm() const {
  Missed missed;
  for (const Suspect& suspect : suspects_) {
    const bool of_pods = suspect.kind == WatchedKind::kPods;
    const Listing& listing = of_pods ? pods_ : nodes_;
    const bool is_there = listing.versions.contains(suspect.key);
    if (is_there == suspect.gone || !StillDiffers(suspect)) continue;
    if (!of_pods) {
      missed.nodes.push_back(suspect.name);
      continue;
    }
    const cluster::PodPointer pod = cache_.PodByUid(suspect.key);
    missed.pods.push_back(pod == nullptr ? suspect.name : cluster::Key(*pod));
  }
  std::ranges::sort(missed.pods);
  std::ranges::sort(missed.nodes);
  return missed;
}

}  // namespace fluxnetes::workers
