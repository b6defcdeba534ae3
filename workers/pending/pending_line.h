// The waiting groups, in lines: a line holds the groups of one shape in one
// queue, in order, so that whether they fit is asked once for all of them.
// Groups whose pods must be together with pods that have a node already are in
// lines by the nodes of these; and groups whose other pods have devices of a
// claim that all of them share, by these claims.
//
//   order   first_in_line, priority (higher first), standing of the account
//           (if its queue goes by fair shares), age, id
//
// In a `shortest` queue a group's age counts from `ageing` times its duration
// after its submission. So no group submitted later than that goes ahead of it,
// and none waits for ever. With accounts, the groups of a line belong to one
// payer.
//
// Owned by one thread.
// Tests: tests/workers/schedule/schedule_test.cc,
// tests/workers/schedule/schedule_blocked_test.cc.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "matcher/gangs/gang.h"
#include "workers/accounts/fair_share.h"
#include "workers/accounts/quotas.h"
#include "workers/decision/decision.h"

namespace fluxnetes::workers {

struct PendingLine;
struct ScheduleQueue;
struct WaitingGroup;

// Orders the groups of one line.
struct EarlierInLineFirst {
  bool operator()(const WaitingGroup* a, const WaitingGroup* b) const;
};
using LineOfGroups = std::set<const WaitingGroup*, EarlierInLineFirst>;

// A PendingGroup without what a decision does not need, since there may be
// many.
struct WaitingGroup : WaitingTerms {
  cluster::Time counts_from{};  // its age
  PayerId payer = 0;
  std::vector<Member> members;
  PendingLine* line = nullptr;
  LineOfGroups::const_iterator place;  // in the line
  // Kept by the cycle; it stays while the group is blocked.
  mutable Standing standing;
};

// Whether `a` is ahead of `b` in the pending order.
bool Earlier(const WaitingGroup& a, const WaitingGroup& b);
// The same of two groups of one line.
bool EarlierInLine(const WaitingGroup& a, const WaitingGroup& b);

struct EarlierFirst {
  bool operator()(const WaitingGroup* a, const WaitingGroup* b) const {
    return Earlier(*a, *b);
  }
};

// What was missing when a line was last asked.
struct Shortage {
  enum class Kind {
    kNone,
    kNoPlace,      // no node for any pod of one of the requests
    kSomePlaces,   // nodes for some pods, not for all
    kNotTogether,  // nodes for all, but not together as they must be
    kKept,         // it would fit but for what is kept for other groups
    kMaintenance,  // it would fit but for maintenance that begins too soon
    kPool,         // a pool has too little free
  };
  Kind kind = Kind::kNone;
  int request = 0;  // or the number of the pool among those needed
  bool operator==(const Shortage&) const = default;
};

struct PendingLine {
  // Constant after construction.
  std::string queue_name;
  std::int64_t shape = 0;
  std::optional<std::int64_t> duration;
  RequestCounts requests;
  // The nodes of its other pods, one for each, if it matters where these are.
  std::vector<matcher::NodeIndex> beside;
  // Then the group that these are of, or that they extend (HolderOf).
  GroupId holder = 0;
  // Claims of devices, as "namespace/name", that its other pods have, so that
  // they are counted already.
  std::vector<std::string> counted_claims;
  std::optional<PayerId> payer;  // with accounts

  LineOfGroups groups;

  // Kept by the schedule.
  ScheduleQueue* queue = nullptr;
  matcher::Gang gang;                 // one task group for each of `requests`
  std::vector<std::int64_t> amounts;  // of all its pods, per resource
  bool ask = true;  // whether its groups fit is unknown, or may have changed
  std::uint64_t failed_in =
      0;  // the last cycle in which its groups did not fit
  std::uint64_t affinity_version = 0;  // then: see NodeGraph::AffinityVersion
  std::uint64_t arrivals = 0;          // then: see NodeGraph::AffinityArrivals
  Shortage shortage;                   // then
  std::string why_short;               // the same in words
  std::optional<matcher::Time> explained;  // when the words got their numbers
  bool checked = false;                    // `unsatisfiable` is up to date
  bool listed = false;                     // among the unchecked ones
  std::string unsatisfiable;  // why its groups can never fit; empty: they can
  const cluster::PodRequest* impossible = nullptr;  // the request that cannot
  std::uint64_t refused_in = 0;  // the last cycle that refused it for quota
  std::optional<Quotas::Refusal> refusal;  // as reported
  std::string why_refused;                 // the same in words
  matcher::Time refused_at = 0;            // when that was reported
  // A group of this priority found no victims that would help it when the graph
  // had this EvictionRanks::Version().
  std::optional<std::pair<std::int32_t, std::uint64_t>> spared;

  const WaitingGroup* Front() const { return *groups.begin(); }
};

// What groups of the line take of pools, by name, when they start. Those that
// hold something already have what they need.
const cluster::PoolAmounts& PoolsOf(const PendingLine& line);

class PendingLines {
 public:
  using Key =
      std::tuple<std::string, std::int64_t, std::optional<std::int64_t>,
                 RequestCounts, std::vector<matcher::NodeIndex>, GroupId,
                 std::vector<std::string>, std::optional<PayerId>>;
  using Lines = std::map<Key, std::unique_ptr<PendingLine>>;

  // What the line of a group depends on besides the group.
  struct Place {
    RequestCounts requests;  // of its members
    std::vector<matcher::NodeIndex> beside;
    GroupId holder = 0;
    std::vector<std::string> counted_claims;
    PayerId payer = 0;
    bool by_payer = false;  // only groups of this payer share its line
    cluster::Time counts_from{};
  };

  // The group must be unknown. A line that is new has no queue yet.
  WaitingGroup& Add(PendingGroup group, Place place);
  const WaitingGroup* Find(GroupId group) const;
  WaitingGroup* Find(GroupId group);
  // Takes a group out of its line, which goes with its last group.
  void Remove(GroupId group);

  // The first groups of the lines of a queue, in order but for the standing of
  // their accounts.
  using Fronts = std::set<const WaitingGroup*, EarlierInLineFirst>;
  const Fronts& FrontsOf(const std::string& queue) const;

  // Whether the line's groups can ever fit is to be looked at (again).
  void Uncheck(PendingLine& line);
  std::vector<PendingLine*> TakeUnchecked();

  // The groups that wait and extend this one.
  const std::set<GroupId>& Extending(GroupId group) const;

  // All lines are to be asked again whether their groups fit.
  void AskAll();

  // Groups of which it is to be reported whether they can ever fit, if that is
  // otherwise than was reported.
  void MarkUnreported(GroupId group) { unreported_.push_back(group); }
  bool AnyUnreported() const { return !unreported_.empty(); }
  GroupId TakeUnreported();

  std::size_t size() const { return groups_.size(); }
  const Lines& lines() const { return lines_; }

 private:
  Lines lines_;
  std::unordered_map<GroupId, WaitingGroup> groups_;
  std::map<std::string, Fronts> fronts_;
  std::unordered_map<GroupId, std::set<GroupId>> extending_;
  std::vector<PendingLine*> unchecked_;
  std::deque<GroupId> unreported_;
};

}  // namespace fluxnetes::workers
