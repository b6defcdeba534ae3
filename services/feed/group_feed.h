// A change feed of groups for many watchers. One thread polls the database, at
// most ten times a second, and keeps the groups' present state and the last
// changes. It reads when the bell has rung or anything has been committed. A
// watcher has a position in this feed,
//
//   groups, by id ──▶ changes, by number ──▶ waits for the next
//
// and asks for the next piece whenever it can take one. So there is no queue
// per watcher, and a watcher that falls behind the kept changes is told to
// start anew. A group is encoded when it changes; a piece is shared by all
// watchers at the same position.
//
// A watcher may have a window instead: it gets the changes of these groups, and
// how many others came or went. What the feed knows is also in an index, for
// lists in other orders than by id.
//
// Without watchers and lists the thread does not poll, and after a minute it
// drops its state. Refused groups are left out. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "services/config/log.h"
#include "services/database/change_bell.h"
#include "services/feed/feed_reader.h"
#include "services/feed/group_index.h"
#include "services/feed/group_query.h"
#include "services/records/group_row.h"
#include "sql/condition_variable.h"
#include "sql/connection/pool.h"
#include "sql/mutex.h"

namespace grpc {
class ByteBuffer;
}

namespace fluxnetes::services {

class GroupFeed {
 public:
  struct Options {
    std::chrono::milliseconds interval{100};     // between two polls
    std::size_t changes = 20'000;                // changes kept, at most
    std::size_t bytes = std::size_t{64} << 20U;  // their size, at most
    std::size_t piece = 1'000;                   // groups in one, at most
    // The group that exceeds this size is the last of its piece; clients accept
    // 4 MiB.
    std::size_t piece_bytes = std::size_t{2} << 20U;
    std::size_t watchers = 5'000;
    // The longest time for which a watcher may take nothing of what is sent.
    std::chrono::milliseconds slowest{30'000};
    // A window that has no other news is told so often of others at most.
    std::chrono::milliseconds between_others{1'000};
    // How often groups are looked for that left no trace of their end.
    std::chrono::milliseconds between_sweeps{60'000};
  };

  // A watcher's position.
  struct Place {
    GroupQuery query = {};  // of a watcher of all: namespace and queue alone
    std::vector<std::int64_t> window = {};  // in order; empty: none
    bool begun = false;                     // whether the start is determined
    std::int64_t after_id = 0;  // the last group sent; -1: all have been sent
    std::int64_t change = 0;    // the last change sent
    std::int64_t epoch = 0;
    std::string resume;  // a resume token to begin from
    // Whether the watcher wants changes alone, because it reads the groups
    // itself, in pages.
    bool only_changes = false;
    bool reset = false;       // the watcher must still be told of the restart
    std::int64_t others = 0;  // came or went, not yet told
    std::chrono::steady_clock::time_point told_others = {};
  };
  enum class Outcome { kPiece, kNothingNew, kFellBehind, kStopped };
  // An encoded v1::WatchGroupsResponse, shared by the watchers at one position.
  using Piece = std::shared_ptr<const grpc::ByteBuffer>;

  GroupFeed(sql::Pool& pool, const Log& log, Options options);
  ~GroupFeed();  // Stop()
  GroupFeed(const GroupFeed&) = delete;
  GroupFeed& operator=(const GroupFeed&) = delete;

  void Start();
  void Stop() EXCLUDES(mutex_, rings_mutex_);

  const Options& options() const { return options_; }

  // Returns the next piece and moves the place past it. Does not wait.
  Outcome Next(Place& place, Piece& piece) EXCLUDES(mutex_);

  // Returns the groups in memory. Waits until they are read, if nobody has
  // watched for a while; returns null if that takes until `deadline`.
  GroupIndex* Index(std::chrono::system_clock::time_point deadline)
      EXCLUDES(mutex_);

  // `ring` is called on the feed's thread after each poll until Leave() has
  // returned, and once more by Stop(). Returns nullopt if there are too many
  // watchers.
  using Ring = std::function<void()>;
  std::optional<std::int64_t> Join(Ring ring) EXCLUDES(rings_mutex_);
  void Leave(std::int64_t watcher) EXCLUDES(rings_mutex_);

 private:
  // A change of a group, and what it was before; null: not there.
  struct Change {
    FeedEntryPtr before;
    FeedEntryPtr after;
  };
  struct Encoded {
    Piece piece;
    std::int64_t change;
  };
  using PieceKey = std::pair<GroupQuery, std::int64_t>;
  // Windows with the same groups, at the same change, that have been told of
  // the same others, get the same piece.
  using WindowKey =
      std::tuple<std::int64_t, std::int64_t, std::vector<std::int64_t>>;

  void Run();
  // Returns false if the feed is to stop.
  bool Rest(std::chrono::steady_clock::duration time) EXCLUDES(mutex_);
  bool IsLoaded() EXCLUDES(mutex_);
  // Returns how long a full read of the tables took.
  std::chrono::steady_clock::duration Look() EXCLUDES(mutex_);
  void Load() EXCLUDES(mutex_);
  void Forget() EXCLUDES(mutex_);
  // Whether it is time for a look, `since` the last one.
  bool IsDue(std::chrono::steady_clock::duration since) EXCLUDES(mutex_);
  std::chrono::steady_clock::duration ReadChanges() EXCLUDES(mutex_);
  void Sweep() EXCLUDES(mutex_);
  void End(const FeedEntry& entry) REQUIRES(mutex_);
  void Take(const std::vector<GroupRow>& rows) EXCLUDES(mutex_);
  void Note(FeedEntryPtr entry) REQUIRES(mutex_);
  void Begin(Place& place) REQUIRES(mutex_);
  Piece FromGroups(Place& place) REQUIRES(mutex_);
  Piece OfBegin(Place& place) REQUIRES(mutex_);
  Piece FromChanges(Place& place) REQUIRES(mutex_);
  Piece FromWindow(Place& place) REQUIRES(mutex_);
  Piece OfWindow(const std::vector<std::int64_t>& window, std::int64_t behind,
                 std::int64_t others, bool tells) REQUIRES(mutex_);
  std::int64_t OthersSince(const Place& place) REQUIRES(mutex_);
  std::string TokenAt(std::int64_t change) const REQUIRES(mutex_);
  // Whether somebody watches, or has asked for the index of late.
  bool IsWanted() EXCLUDES(mutex_, rings_mutex_);
  // Not with mutex_ held either: a watcher that is rung asks for the next
  // piece.
  void RingAll() EXCLUDES(mutex_, rings_mutex_);

  const sql::PoolOptions database_;
  const Log& log_;
  const Options options_;
  // Set by Start(), before the thread begins, and reset by Stop(), after it.
  std::unique_ptr<ChangeBell> bell_;
  std::thread thread_;

  // Used by the thread only.
  FeedReader reader_;
  std::chrono::steady_clock::time_point swept_;
  std::string said_;

  sql::Mutex mutex_;
  sql::ConditionVariable changed_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool loaded_ GUARDED_BY(mutex_) = false;
  std::int64_t epoch_ GUARDED_BY(mutex_) = 0;
  std::chrono::steady_clock::time_point asked_ GUARDED_BY(mutex_) = {};
  std::map<std::int64_t, FeedEntryPtr> groups_ GUARDED_BY(mutex_);
  std::deque<Change> changes_ GUARDED_BY(mutex_);
  std::size_t changes_bytes_ GUARDED_BY(mutex_) = 0;
  // The number of the last change.
  std::int64_t last_change_ GUARDED_BY(mutex_) = 0;
  // Ids already reported as over.
  std::set<std::int64_t> over_ GUARDED_BY(mutex_);
  // Since the last poll.
  std::map<PieceKey, Encoded> pieces_ GUARDED_BY(mutex_);
  std::map<WindowKey, Piece> window_pieces_ GUARDED_BY(mutex_);
  std::map<PieceKey, std::int64_t> others_ GUARDED_BY(mutex_);
  GroupIndex index_;

  sql::Mutex rings_mutex_;  // held while rings are called
  std::map<std::int64_t, Ring> rings_ GUARDED_BY(rings_mutex_);
  std::int64_t last_watcher_ GUARDED_BY(rings_mutex_) = 0;
};

}  // namespace fluxnetes::services
