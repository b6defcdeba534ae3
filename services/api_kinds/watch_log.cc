#include "services/api_kinds/watch_log.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace fluxnetes::services {

namespace {

using cluster::WatchedKind;
using cluster::WatchEvent;

constexpr int kBatch = 1'000;
constexpr std::chrono::milliseconds kLongestWait{100};

}  // namespace

std::uint64_t VersionNumber(const std::string& version) {
  std::uint64_t number = 0;
  const char* end = version.data() + version.size();
  const auto [stop, error] = std::from_chars(version.data(), end, number);
  return error == std::errc() && stop == end ? number : 0;
}

WatchLog::WatchLog(cluster::SimulatedCluster& cluster, int entries_kept)
    : cluster_(cluster),
      entries_kept_(static_cast<std::size_t>(entries_kept)) {}

WatchLog::~WatchLog() { Stop(); }

void WatchLog::Start() {
  FollowJobs();
  watch_ = cluster_.WatchAll();
  while (!begun_) {
    for (const WatchEvent& event : watch_->Next(kBatch, kLongestWait)) {
      Apply(event);
    }
  }
  thread_ = std::thread([this] { Follow(); });
}

void WatchLog::Stop() {
  if (watch_ != nullptr) cluster_.ListenToJobs(nullptr);
  {
    const sql::MutexLock lock(mutex_);
    closed_ = true;
  }
  changed_.NotifyAll();
  if (thread_.joinable()) thread_.join();
  watch_.reset();
}

void WatchLog::FollowJobs() {
  const std::string version = cluster_.ListenToJobs(
      [this](const auto& job, bool deleted) { NoteJob(job, deleted); });
  const auto jobs = cluster_.Jobs();
  const sql::MutexLock lock(mutex_);
  TrackOf(WatchedKind::kJobs).forgotten = VersionNumber(version);
  for (const auto& job : jobs) known_jobs_.insert(job.uid);
}

void WatchLog::NoteJob(const cluster::KubernetesJobStatus& job, bool deleted) {
  {
    const sql::MutexLock lock(mutex_);
    Entry entry;
    entry.type = deleted                              ? Entry::Type::kDeleted
                 : known_jobs_.insert(job.uid).second ? Entry::Type::kAdded
                                                      : Entry::Type::kModified;
    if (deleted) known_jobs_.erase(job.uid);
    entry.version = VersionNumber(job.resource_version);
    entry.object = std::make_shared<const cluster::KubernetesJobStatus>(job);
    Push(WatchedKind::kJobs, std::move(entry));
  }
  changed_.NotifyAll();
}

void WatchLog::Follow() {
  while (true) {
    const auto events = watch_->Next(kBatch, kLongestWait);
    for (const WatchEvent& event : events) Apply(event);
    if (!events.empty()) changed_.NotifyAll();
    const sql::MutexLock lock(mutex_);
    if (closed_) return;
  }
}

void WatchLog::Apply(const WatchEvent& event) {
  if (event.listed) return;  // a list of one kind is within that of all kinds
  if (event.kind == WatchEvent::Kind::kListBegin) {
    listing_ = true;
    known_.clear();
    Forget();
    return;
  }
  if (event.kind == WatchEvent::Kind::kListEnd) {
    listing_ = false;
    begun_ = true;
    return;
  }
  ServedObject object = ServedOf(event);
  if (object.index() != 0) Append(event, std::move(object));
}

void WatchLog::Append(const WatchEvent& event, ServedObject object) {
  const ServedName name = NameOf(object);
  const bool deleted = event.kind == WatchEvent::Kind::kDeleted;
  const bool added = !deleted && known_.insert(name.key).second;
  if (deleted) known_.erase(name.key);
  if (listing_) return;
  Entry entry;
  entry.object = std::move(object);
  entry.type = deleted ? Entry::Type::kDeleted
               : added ? Entry::Type::kAdded
                       : Entry::Type::kModified;
  entry.version = VersionNumber(name.version);
  const sql::MutexLock lock(mutex_);
  Push(name.kind, std::move(entry));
}

void WatchLog::Push(WatchedKind kind, Entry entry) {
  Track& track = TrackOf(kind);
  track.entries.push_back(std::move(entry));
  if (track.entries.size() > entries_kept_) {
    track.forgotten = std::max(track.forgotten, track.entries.front().version);
    track.entries.pop_front();
    ++track.first_place;
  }
}

// A list begins, and may hide missed events. The snapshot is taken after the
// list, so all changes after the snapshot are still to come.
void WatchLog::Forget() {
  const std::uint64_t version =
      VersionNumber(cluster_.TakeSnapshot().resource_version);
  const sql::MutexLock lock(mutex_);
  for (Track& track : tracks_) {
    if (&track == &TrackOf(WatchedKind::kJobs)) continue;  // none is missed
    // One extra, so that readers at the end notice the loss too.
    track.first_place += track.entries.size() + 1;
    track.entries.clear();
    track.forgotten = version;
  }
}

std::optional<std::uint64_t> WatchLog::PlaceBehind(
    WatchedKind kind, std::uint64_t version) const {
  const sql::MutexLock lock(mutex_);
  const Track& track = TrackOf(kind);
  if (version < track.forgotten) return std::nullopt;
  const auto next = std::ranges::find_if(
      track.entries,
      [&](const Entry& entry) { return entry.version > version; });
  return track.first_place +
         static_cast<std::uint64_t>(next - track.entries.begin());
}

WatchLog::Batch WatchLog::Read(WatchedKind kind, std::uint64_t& place,
                               int limit,
                               std::chrono::milliseconds timeout) const {
  const auto until = std::chrono::steady_clock::now() + timeout;
  const sql::MutexLock lock(mutex_);
  const Track& track = TrackOf(kind);
  const auto end = [&] { return track.first_place + track.entries.size(); };
  while (!closed_ && place >= end() && changed_.WaitUntil(mutex_, until)) {
  }
  Batch batch;
  batch.closed = closed_;
  batch.lost = place < track.first_place;
  if (batch.lost) return batch;
  while (place < end() && std::ssize(batch.entries) < limit) {
    batch.entries.push_back(track.entries[place++ - track.first_place]);
  }
  return batch;
}

std::uint64_t WatchLog::OldestVersion(WatchedKind kind) const {
  const sql::MutexLock lock(mutex_);
  return TrackOf(kind).forgotten;
}

WatchLog::Track& WatchLog::TrackOf(WatchedKind kind) {
  return tracks_.at(static_cast<std::size_t>(kind));
}

const WatchLog::Track& WatchLog::TrackOf(WatchedKind kind) const {
  return tracks_.at(static_cast<std::size_t>(kind));
}

}  // namespace fluxnetes::services
