#include "services/feed/group_feed.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <grpcpp/support/byte_buffer.h>

#include <algorithm>
#include <charconv>
#include <random>
#include <utility>

#include "fluxnetes/v1/scheduler.pb.h"
#include "services/feed/group_messages.h"
#include "services/feed/look_pace.h"
#include "services/records/group_search.h"

namespace fluxnetes::services {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kOverRemembered = 100'000;
constexpr std::chrono::seconds kForgetAfter{60};
constexpr std::chrono::seconds kIndexKept{60};
constexpr std::chrono::seconds kLongestLoad{30};
constexpr std::chrono::seconds kLookAnyway{1};

grpc::ByteBuffer BufferOf(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return {&slice, 1};
}

std::string EncodedGone(std::int64_t id) {
  v1::WatchGroupsResponse answer;
  answer.add_gone(id);
  return answer.SerializeAsString();
}

std::int64_t Microseconds(sql::Timestamp time) {
  return time.time_since_epoch().count();
}

// Selects a group also when it is over, for who must be told of its end.
bool IsFor(const GroupQuery& query, const FeedEntry& entry) {
  return (query.namespace_name.empty() ||
          query.namespace_name == entry.namespace_name) &&
         (query.queue.empty() || query.queue == entry.queue);
}

std::shared_ptr<FeedEntry> EntryOf(const GroupRow& row) {
  auto entry = std::make_shared<FeedEntry>();
  v1::WatchGroupsResponse answer;
  v1::Group& group = *answer.add_groups();
  Fill(group, row);
  entry->id = row.id;
  entry->namespace_name = row.namespace_name;
  entry->name = row.name;
  entry->queue = row.queue;
  entry->account = row.account;
  entry->state = group.state();
  entry->shown_state = row.shown_state;
  entry->size = row.size;
  entry->priority = row.priority;
  entry->submitted_us = Microseconds(row.submitted_at);
  if (const auto start =
          row.allocated_at ? row.allocated_at : row.estimated_start)
    entry->start_us = Microseconds(*start);
  entry->searched = SearchedText(row);
  entry->nodes = row.nodes.empty() ? row.reserved_nodes : row.nodes;
  entry->over = row.state == "finished";
  entry->encoded = answer.SerializeAsString();
  return entry;
}

// Parses "EPOCH.CHANGE".
std::optional<std::pair<std::int64_t, std::int64_t>> ParseToken(
    const std::string& text) {
  std::pair<std::int64_t, std::int64_t> token;
  const char* const last = text.data() + text.size();
  const auto first = std::from_chars(text.data(), last, token.first);
  if (first.ec != std::errc() || first.ptr == last || *first.ptr != '.')
    return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, last, token.second);
  if (second.ec != std::errc() || second.ptr != last) return std::nullopt;
  return token;
}

}  // namespace

GroupFeed::GroupFeed(sql::Pool& pool, const Log& log, Options options)
    : database_(pool.options()), log_(log), options_(options), reader_(pool) {
  epoch_ = static_cast<std::int64_t>(std::random_device()());
}

GroupFeed::~GroupFeed() { Stop(); }

void GroupFeed::Start() {
  bell_ = std::make_unique<ChangeBell>(database_);
  thread_ = std::thread([this] { Run(); });
}

void GroupFeed::Stop() {
  {
    const sql::MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.NotifyAll();
  if (thread_.joinable()) thread_.join();
  bell_.reset();
  RingAll();
}

std::optional<std::int64_t> GroupFeed::Join(Ring ring) {
  const sql::MutexLock lock(rings_mutex_);
  if (rings_.size() >= options_.watchers) return std::nullopt;
  rings_.emplace(++last_watcher_, std::move(ring));
  return last_watcher_;
}

void GroupFeed::RingAll() {
  const sql::MutexLock lock(rings_mutex_);
  for (const auto& [watcher, ring] : rings_) ring();
}

void GroupFeed::Leave(std::int64_t watcher) {
  const sql::MutexLock lock(rings_mutex_);
  rings_.erase(watcher);
}

bool GroupFeed::IsWanted() {
  {
    const sql::MutexLock lock(rings_mutex_);
    if (!rings_.empty()) return true;
  }
  const sql::MutexLock lock(mutex_);
  return asked_ != steady_clock::time_point() &&
         steady_clock::now() - asked_ < kIndexKept;
}

void GroupFeed::Run() {
  auto looked = steady_clock::time_point();
  auto watched = steady_clock::now();
  LookPace pace;  // reading the groups that have changed does not count
  milliseconds rest = options_.interval;
  while (true) {
    if (!Rest(rest)) return;
    const auto now = steady_clock::now();
    rest = options_.interval;
    if (!IsWanted()) {
      if (now - watched > kForgetAfter) Forget();
      continue;
    }
    watched = now;
    try {
      if (!IsDue(now - looked)) continue;
      looked = now;
      rest = std::max(rest,
                      std::chrono::ceil<milliseconds>(pace.RestAfter(Look())));
      if (!std::exchange(said_, "").empty()) log_.Info("watches go on");
    } catch (const std::exception& error) {
      rest = std::max<milliseconds>(rest, kLookAnyway);
      if (std::exchange(said_, error.what()) != error.what())
        log_.Warn("watches wait, changed groups cannot be read",
                  {{"why", error.what()}});
    }
    RingAll();
  }
}

bool GroupFeed::Rest(steady_clock::duration time) {
  const auto until = steady_clock::now() + time;
  const sql::MutexLock lock(mutex_);
  while (!stopping_ && changed_.WaitUntil(mutex_, until)) {
  }
  return !stopping_;
}

bool GroupFeed::IsDue(steady_clock::duration since) {
  const bool rung = bell_->HasRung();
  return rung || since >= kLookAnyway || !IsLoaded() || reader_.HasMoved();
}

bool GroupFeed::IsLoaded() {
  const sql::MutexLock lock(mutex_);
  return loaded_;
}

steady_clock::duration GroupFeed::Look() {
  if (!IsLoaded()) {
    Load();
    return {};
  }
  const auto took = ReadChanges();
  if (steady_clock::now() - swept_ > options_.between_sweeps) Sweep();
  return took;
}

void GroupFeed::Forget() {
  const sql::MutexLock lock(mutex_);
  if (!loaded_) return;
  loaded_ = false;
  ++epoch_;
  groups_.clear();
  changes_.clear();
  changes_bytes_ = 0;
  pieces_.clear();
  window_pieces_.clear();
  others_.clear();
  index_.Clear();
}

void GroupFeed::Load() {
  reader_.ReadAll([this](const FeedReader::Rows& rows) { Take(rows); });
  swept_ = steady_clock::now();
  const sql::MutexLock lock(mutex_);
  changes_.clear();  // the initial state is no change
  changes_bytes_ = 0;
  over_.clear();
  loaded_ = true;
  changed_.NotifyAll();
}

steady_clock::duration GroupFeed::ReadChanges() {
  const FeedReader::Changes changes = reader_.ReadChanges();
  Take(changes.rows);
  const sql::MutexLock lock(mutex_);
  for (const std::int64_t id : changes.gone) {
    const auto known = groups_.find(id);
    if (known != groups_.end()) End(*known->second);
  }
  pieces_.clear();
  window_pieces_.clear();
  return changes.took;
}

// Finds groups that were deleted without a trace in the tables.
void GroupFeed::Sweep() {
  const auto there = reader_.ReadIds();
  swept_ = steady_clock::now();
  const sql::MutexLock lock(mutex_);
  if (over_.size() > kOverRemembered) over_.clear();
  std::vector<FeedEntryPtr> gone;
  for (const auto& [id, entry] : groups_)
    if (!there.contains(id)) gone.push_back(entry);
  for (const FeedEntryPtr& entry : gone) End(*entry);
}

void GroupFeed::End(const FeedEntry& entry) {
  auto over = std::make_shared<FeedEntry>(entry);
  over->over = true;
  over->encoded = EncodedGone(entry.id);
  Note(std::move(over));
}

void GroupFeed::Take(const std::vector<GroupRow>& rows) {
  std::vector<FeedEntryPtr> entries;
  entries.reserve(rows.size());
  for (const GroupRow& row : rows) entries.push_back(EntryOf(row));
  const sql::MutexLock lock(mutex_);
  for (auto& entry : entries) Note(std::move(entry));
}

void GroupFeed::Note(FeedEntryPtr entry) {
  const auto known = groups_.find(entry->id);
  const FeedEntryPtr before = known == groups_.end() ? nullptr : known->second;
  if (before && before->encoded == entry->encoded) return;
  if (entry->over) {
    if (!over_.insert(entry->id).second) return;
    if (known != groups_.end()) groups_.erase(known);
  } else {
    groups_[entry->id] = entry;
  }
  index_.Replace(before, entry);
  others_.clear();
  changes_bytes_ += entry->encoded.size();
  changes_.push_back({before, std::move(entry)});
  ++last_change_;
  while (changes_.size() > options_.changes ||
         changes_bytes_ > options_.bytes) {
    changes_bytes_ -= changes_.front().after->encoded.size();
    changes_.pop_front();
  }
}

std::string GroupFeed::TokenAt(std::int64_t change) const {
  return std::to_string(epoch_) + "." + std::to_string(change);
}

void GroupFeed::Begin(Place& place) {
  const auto oldest = last_change_ - static_cast<std::int64_t>(changes_.size());
  const auto token = ParseToken(place.resume);
  place.begun = true;
  place.epoch = epoch_;
  if (token && token->first == epoch_ && token->second >= oldest &&
      token->second <= last_change_) {
    // A window may be another one than that of the token.
    place.after_id = place.window.empty() || place.only_changes ? -1 : 0;
    place.change = token->second;
    return;
  }
  place.after_id = 0;
  place.change = last_change_;
  place.reset = true;
}

GroupFeed::Piece GroupFeed::FromGroups(Place& place) {
  v1::WatchGroupsResponse rest;
  std::string bytes;
  std::size_t count = 0;
  auto next = groups_.upper_bound(place.after_id);
  for (; next != groups_.end() && count < options_.piece &&
         bytes.size() < options_.piece_bytes;
       ++next) {
    if (!IsFor(place.query, *next->second)) continue;
    bytes += next->second->encoded;
    ++count;
    place.after_id = next->first;
  }
  rest.set_reset(std::exchange(place.reset, false));
  if (next == groups_.end()) {
    place.after_id = -1;
    rest.set_current(true);
    rest.set_resume_token(TokenAt(place.change));
  }
  return std::make_shared<const grpc::ByteBuffer>(
      BufferOf(bytes + rest.SerializeAsString()));
}

// The token from which changes are sent, and the groups of a window.
GroupFeed::Piece GroupFeed::OfBegin(Place& place) {
  v1::WatchGroupsResponse begin;
  std::string bytes;
  if (!place.only_changes) {
    for (const std::int64_t id : place.window) {
      const auto known = groups_.find(id);
      if (known == groups_.end())
        begin.add_gone(id);
      else
        bytes += known->second->encoded;
    }
  }
  begin.set_reset(std::exchange(place.reset, false));
  begin.set_current(true);
  begin.set_resume_token(TokenAt(place.change));
  place.after_id = -1;
  return std::make_shared<const grpc::ByteBuffer>(
      BufferOf(bytes + begin.SerializeAsString()));
}

GroupFeed::Piece GroupFeed::FromChanges(Place& place) {
  const PieceKey key(place.query, place.change);
  if (const auto made = pieces_.find(key); made != pieces_.end()) {
    place.change = made->second.change;
    return made->second.piece;
  }
  const auto behind = static_cast<std::size_t>(last_change_ - place.change);
  std::map<std::int64_t, const FeedEntry*> last;
  std::size_t size = 0;
  for (auto it = changes_.end() - static_cast<std::ptrdiff_t>(behind);
       it != changes_.end() && size < options_.piece_bytes; ++it) {
    ++place.change;
    const FeedEntry& entry = *it->after;
    if (!IsFor(place.query, entry)) continue;
    const FeedEntry*& known = last[entry.id];
    if (known != nullptr) size -= known->encoded.size();
    known = &entry;
    size += known->encoded.size();
  }
  Piece piece;
  if (!last.empty()) {
    std::string bytes;
    for (const auto& [id, entry] : last) bytes += entry->encoded;
    v1::WatchGroupsResponse rest;
    rest.set_resume_token(TokenAt(place.change));
    piece = std::make_shared<const grpc::ByteBuffer>(
        BufferOf(bytes + rest.SerializeAsString()));
  }
  pieces_[key] = {piece, place.change};
  return piece;
}

// How often groups came into or left what is selected, between the place and
// now; counted once for all windows of one query at one place.
std::int64_t GroupFeed::OthersSince(const Place& place) {
  const auto [known, is_new] =
      others_.try_emplace(PieceKey(place.query, place.change), 0);
  if (!is_new) return known->second;
  const auto behind = last_change_ - place.change;
  for (auto it = changes_.end() - static_cast<std::ptrdiff_t>(behind);
       it != changes_.end(); ++it) {
    const bool was = it->before && place.query.Selects(*it->before);
    if (was != place.query.Selects(*it->after)) ++known->second;
  }
  return known->second;
}

// The others are told with the next change in the window, or after a while.
GroupFeed::Piece GroupFeed::FromWindow(Place& place) {
  const auto behind = last_change_ - place.change;
  if (behind > 0) place.others += OthersSince(place);
  const auto now = steady_clock::now();
  const bool tells =
      place.others > 0 && now - place.told_others >= options_.between_others;
  const WindowKey key(place.change, tells ? -1 - place.others : place.others,
                      place.window);
  place.change = last_change_;
  auto made = window_pieces_.find(key);
  if (made == window_pieces_.end()) {
    made =
        window_pieces_
            .emplace(key, OfWindow(place.window, behind, place.others, tells))
            .first;
  }
  if (made->second) {
    place.others = 0;
    place.told_others = now;
  }
  return made->second;
}

// The last `behind` changes as far as they are in the window; null if none is,
// and nothing is to be told.
GroupFeed::Piece GroupFeed::OfWindow(const std::vector<std::int64_t>& window,
                                     std::int64_t behind, std::int64_t others,
                                     bool tells) {
  std::map<std::int64_t, const FeedEntry*> last;
  for (auto it = changes_.end() - static_cast<std::ptrdiff_t>(behind);
       it != changes_.end(); ++it)
    if (std::ranges::binary_search(window, it->after->id))
      last[it->after->id] = it->after.get();
  if (last.empty() && !tells) return nullptr;
  std::string bytes;
  for (const auto& [id, entry] : last) bytes += entry->encoded;
  v1::WatchGroupsResponse rest;
  rest.set_others(others);
  rest.set_resume_token(TokenAt(last_change_));
  return std::make_shared<const grpc::ByteBuffer>(
      BufferOf(bytes + rest.SerializeAsString()));
}

GroupIndex* GroupFeed::Index(std::chrono::system_clock::time_point deadline) {
  const auto until =
      steady_clock::now() +
      std::min<steady_clock::duration>(
          kLongestLoad, deadline - std::chrono::system_clock::now());
  const sql::MutexLock lock(mutex_);
  asked_ = steady_clock::now();
  changed_.NotifyAll();
  while (!loaded_ && !stopping_)
    if (!changed_.WaitUntil(mutex_, until)) break;
  return loaded_ ? &index_ : nullptr;
}

GroupFeed::Outcome GroupFeed::Next(Place& place, Piece& piece) {
  const sql::MutexLock lock(mutex_);
  if (stopping_) return Outcome::kStopped;
  if (!loaded_) return Outcome::kNothingNew;
  if (!place.begun) Begin(place);
  const auto behind = static_cast<std::size_t>(last_change_ - place.change);
  if (place.epoch != epoch_ || behind > changes_.size())
    return Outcome::kFellBehind;
  if (place.after_id >= 0) {
    piece = place.only_changes || !place.window.empty() ? OfBegin(place)
                                                        : FromGroups(place);
    return Outcome::kPiece;
  }
  if (!place.window.empty()) {
    piece = FromWindow(place);
    return piece ? Outcome::kPiece : Outcome::kNothingNew;
  }
  if (behind == 0) return Outcome::kNothingNew;
  piece = FromChanges(place);
  return piece ? Outcome::kPiece : Outcome::kNothingNew;
}

}  // namespace fluxnetes::services
