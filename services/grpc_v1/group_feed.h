// What happens to groups, for many who watch: one thread looks what has changed
// in the database, at most ten times a second, and remembers the groups as they
// are and the last changes. A watcher has a place in this,
//
//   groups, by id ──▶ changes, by number ──▶ waits for the next
//
// and asks for the next piece whenever it can take one: so nothing is kept for
// a watcher, and one that falls behind what is remembered is told so. A group
// is encoded when it changes, and a piece for all who ask for the same one.
//
// While nobody watches it does not look, and after a minute forgets. Refused
// groups are left out. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "services/config/log.h"
#include "services/database/change_bell.h"
#include "services/records/group_row.h"
#include "sql/connection/pool.h"

namespace grpc {
class ByteBuffer;
}

namespace fluxnetes::services {

class GroupFeed {
 public:
  struct Options {
    std::chrono::milliseconds interval{100};     // between two looks
    std::size_t changes = 20'000;                // that are remembered, and
    std::size_t bytes = std::size_t{64} << 20U;  // so much of them
    std::size_t piece = 1'000;                   // groups in one, at most
    // A piece ends with the group that makes it larger; clients take 4 MiB.
    std::size_t piece_bytes = std::size_t{2} << 20U;
    std::size_t watchers = 5'000;
    // So long a watcher may take nothing of what is sent to it.
    std::chrono::milliseconds slowest{30'000};
  };

  // A watcher's place.
  struct Place {
    std::string namespace_name;  // empty: all
    std::string queue;           // empty: all
    bool begun = false;          // where it is to begin is known
    std::int64_t after_id = 0;   // of the groups; -1: all have been sent
    std::int64_t change = 0;     // of which it has all up to this
    std::int64_t epoch = 0;
    std::string resume;  // a token to begin from
    bool reset = false;  // it is still to be told that it begins anew
  };
  enum class Outcome { kPiece, kNothingNew, kFellBehind, kStopped };
  // An encoded v1::WatchGroupsResponse; shared by all who ask for the same one.
  using Piece = std::shared_ptr<const grpc::ByteBuffer>;

  GroupFeed(sql::Pool& pool, const Log& log, Options options);
  ~GroupFeed();  // Stop()
  GroupFeed(const GroupFeed&) = delete;
  GroupFeed& operator=(const GroupFeed&) = delete;

  void Start();
  void Stop();

  const Options& options() const { return options_; }

  // The next piece, and the place moves behind it. Does not wait.
  Outcome Next(Place& place, Piece& piece);

  // `ring` is called, from the feed's thread, after each look, until Leave()
  // has returned, and once more by Stop(). Nothing: too many watch.
  using Ring = std::function<void()>;
  std::optional<std::int64_t> Join(Ring ring);
  void Leave(std::int64_t watcher);

 private:
  // A group as it was at a change.
  struct Entry {
    std::int64_t id = 0;
    std::string namespace_name;
    std::string queue;
    bool over = false;    // finished, or gone
    std::string encoded;  // field `groups` or `gone` of the answer
  };
  using EntryPtr = std::shared_ptr<const Entry>;  // in the log, the map, pieces
  struct Encoded {
    Piece piece;
    std::int64_t change;
  };
  using PieceKey = std::tuple<std::string, std::string, std::int64_t>;

  void Run();
  // How long the tables were read from one end to the other.
  std::chrono::steady_clock::duration Look();
  void Load();
  void Forget();
  std::chrono::steady_clock::duration ReadChanges();
  void Sweep();
  void Take(const std::vector<GroupRow>& rows);
  void Note(EntryPtr entry);
  void Begin(Place& place);
  Piece FromGroups(Place& place);
  Piece FromChanges(Place& place);
  std::string TokenAt(std::int64_t change) const;
  bool Waits();
  void RingAll();

  sql::Pool& pool_;
  const Log& log_;
  const Options options_;
  std::unique_ptr<ChangeBell> bell_;
  std::thread thread_;

  // Of the thread.
  std::string horizon_;
  std::set<std::int64_t> filling_;
  std::chrono::steady_clock::time_point swept_;
  std::string said_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Protected by mutex_.
  bool stopping_ = false;
  bool loaded_ = false;
  std::int64_t epoch_ = 0;
  std::map<std::int64_t, EntryPtr> groups_;
  std::deque<EntryPtr> changes_;
  std::size_t changes_bytes_ = 0;
  std::int64_t last_change_ = 0;        // the number of the last of these
  std::set<std::int64_t> over_;         // ids that need not be told again
  std::map<PieceKey, Encoded> pieces_;  // since the last look

  std::mutex rings_mutex_;  // held while they are rung
  // Protected by rings_mutex_.
  std::map<std::int64_t, Ring> rings_;
  std::int64_t last_watcher_ = 0;
};

}  // namespace fluxnetes::services
