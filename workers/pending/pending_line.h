// The groups that wait, in lines: a line holds the groups of one shape in one
// queue, in order, so that whether they fit is asked once for all of them.
// Those that must be together with pods that have a place are asked by where
// these are.
//
//   order   first in line, priority (higher first), standing of the account
//           (where its queue goes by fair shares), age, id
//
// In a queue that takes the shortest first, age counts from `ageing` times the
// duration after the group was submitted: nobody goes before it that comes
// later than that, and so nobody waits for ever. Where there are accounts, the
// groups of a line belong to the same.
//
// Owned by one thread.
#pragma once

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

// The groups of one line.
struct EarlierInLineFirst {
  bool operator()(const WaitingGroup* a, const WaitingGroup* b) const;
};
using LineOfGroups = std::set<const WaitingGroup*, EarlierInLineFirst>;

// A PendingGroup without what a decision does not need: there may be many.
struct WaitingGroup {
  GroupId id = 0;
  cluster::Time submitted_at{};
  cluster::Time counts_from{};  // its age
  std::int64_t job_id = 0;
  PayerId payer = 0;
  std::int32_t priority = 0;
  int revision = 1;
  int job_attempt = 0;
  bool first_in_line = false;
  bool unsatisfiable = false;  // was said, or is so in the database
  bool preempts = true;        // as in PendingGroup, like what follows
  std::int64_t grace = 30;
  bool growth = false;
  bool external = false;
  std::optional<matcher::Time> start_by = {};
  std::vector<Member> members;
  PendingLine* line = nullptr;
  LineOfGroups::const_iterator place;  // in the line
  // Kept by the cycle; while the group is promised something it stays.
  mutable Standing standing;
};

// Whether `a` goes before `b`.
bool Earlier(const WaitingGroup& a, const WaitingGroup& b);
// The same of two of one line.
bool EarlierInLine(const WaitingGroup& a, const WaitingGroup& b);

struct EarlierFirst {
  bool operator()(const WaitingGroup* a, const WaitingGroup* b) const {
    return Earlier(*a, *b);
  }
};

// What was missing when a group was last asked.
struct Shortage {
  enum class Kind {
    kNone,
    kNoPlace,      // for any pod of one of the requests
    kSomePlaces,   // not for all pods
    kNotTogether,  // for all, but they must be together
    kKept,         // it would fit but for what others are promised
    kMaintenance,  // it would fit but for maintenance that begins too soon
  };
  Kind kind = Kind::kNone;
  int request = 0;
  bool operator==(const Shortage&) const = default;
};

struct PendingLine {
  // Constant after construction.
  std::string queue_name;
  std::int64_t shape = 0;
  std::optional<std::int64_t> duration;
  RequestCounts requests;
  // Of a group with a topology: where its other pods are.
  std::vector<matcher::NodeIndex> beside;
  std::optional<PayerId> payer;  // if it matters

  LineOfGroups groups;

  // Kept by the schedule.
  ScheduleQueue* queue = nullptr;
  matcher::Gang gang;                 // one task group for each of `requests`
  std::vector<std::int64_t> amounts;  // of all, per resource
  bool ask = true;  // whether they fit is not known, or may be better
  std::uint64_t failed_in = 0;     // the last cycle in which they did not fit
  std::uint64_t surroundings = 0;  // of then: see NodeGraph::Surroundings
  std::uint64_t arrivals = 0;      // the same: NodeGraph::Arrivals
  Shortage shortage;               // of then
  std::string why_short;           // the same in words
  std::optional<matcher::Time> explained;  // when numbers were put into these
  bool checked = false;                    // `unsatisfiable` is up to date
  bool listed = false;                     // among those that are to be checked
  std::string unsatisfiable;  // why they can never fit; empty: they can
  const cluster::PodRequest* impossible = nullptr;  // that is the cause
  std::uint64_t refused_in = 0;  // the last cycle in which quota did not do
  std::optional<Quotas::Refusal> refusal;  // as was said
  std::string why_refused;                 // the same in words
  matcher::Time refused_at = 0;            // when it was said
  // Nobody whom a group of this priority may evict would help it, as of then.
  std::optional<std::pair<std::int32_t, std::uint64_t>> spared;

  const WaitingGroup* Front() const { return *groups.begin(); }
};

class PendingLines {
 public:
  using Key = std::tuple<std::string, std::int64_t, std::optional<std::int64_t>,
                         RequestCounts, std::vector<matcher::NodeIndex>,
                         std::optional<PayerId>>;
  using Lines = std::map<Key, std::unique_ptr<PendingLine>>;

  // What decides where a group belongs, besides what it says itself.
  struct Place {
    RequestCounts requests;  // those of its members
    std::vector<matcher::NodeIndex> beside;
    PayerId payer = 0;
    bool by_payer = false;  // only groups of this payer share its line
    cluster::Time counts_from{};
  };

  // The group must be unknown. A line that is new has no queue yet.
  WaitingGroup& Add(PendingGroup group, Place place);
  const WaitingGroup* Find(GroupId group) const;
  WaitingGroup* Find(GroupId group);
  // It leaves its line; the line goes with its last group.
  void Remove(GroupId group);

  // Who is at the front of the lines of a queue, in order, but for where their
  // accounts stand.
  using Fronts = std::set<const WaitingGroup*, EarlierInLineFirst>;
  const Fronts& FrontsOf(const std::string& queue) const;

  // Whether its groups can ever fit is to be looked at (again).
  void Uncheck(PendingLine& line);
  std::vector<PendingLine*> TakeUnchecked();

  std::size_t size() const { return groups_.size(); }
  const Lines& lines() const { return lines_; }

 private:
  Lines lines_;
  std::unordered_map<GroupId, WaitingGroup> groups_;
  std::map<std::string, Fronts> fronts_;
  std::vector<PendingLine*> unchecked_;
};

}  // namespace fluxnetes::workers
