// What a scheduling cycle decided, as values: nothing has been written yet.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/objects/pod.h"
#include "matcher/units.h"
#include "workers/decision/accounts.h"

namespace fluxnetes::workers {

using GroupId = std::int64_t;

// A member of a group that needs a node. Requests are interned: members of one
// shape point to the same one.
struct Member {
  std::string uid;
  const cluster::PodRequest* request = nullptr;
};

// What a group asks for: how many of which requests.
using RequestCounts = std::vector<std::pair<const cluster::PodRequest*, int>>;

// A group that waits for its place, as read from the database.
// The pods by which an elastic group has grown are groups of one that stand
// behind all others.
inline constexpr std::int32_t kGrowthPriority =
    std::numeric_limits<std::int32_t>::min();

struct PendingGroup {
  GroupId id = 0;
  std::string namespace_name;
  std::string name;
  std::string queue;
  std::string account = {};  // the label of its pods
  std::int32_t priority = 0;
  bool first_in_line = false;
  cluster::Time submitted_at{};
  int revision = 1;
  std::int64_t shape = 0;
  std::optional<std::int64_t> duration;  // seconds; nothing: without end
  std::int64_t job_id = 0;               // the lease on its match job
  int job_attempt = 0;
  std::vector<Member> members;  // those that have no place yet
  bool unsatisfiable = false;   // its state in the database
  std::string reason = {};      // why it alone waits; the same
  bool held = false;            // by somebody
  // When it may start, in whole seconds within the asked ones.
  std::optional<matcher::Time> start_after = {};
  std::optional<matcher::Time> start_by = {};
  // What the requests of its members say: for those who make them anew.
  cluster::GroupTopology topology = {};
  bool preempts = true;     // if its queue does; else one of its pods does not
  std::int64_t grace = 30;  // seconds that its pods take to end, if evicted
  bool growth = false;      // of an elastic group, beyond its minimum
  // Others start its pods (external_groups.h). Who asked waits for the answer:
  // without a place, or a promise if that will do, it is turned down.
  bool external = false;
  bool pressing = false;
  bool takes_promise = false;
};

struct PlacedMember {
  std::string uid;
  std::string node;
  const cluster::PodRequest* request = nullptr;
  bool operator==(const PlacedMember&) const = default;
};

// `start` and `end` are those of all that the group holds: if it held places
// already, they stay as they were.
struct Placed {
  GroupId group = 0;
  int revision = 1;
  std::int64_t job_id = 0;
  int job_attempt = 0;
  std::string queue;
  matcher::Time start = 0;
  std::optional<matcher::Time> end;
  std::vector<PlacedMember> members;
};

struct Reservation {
  GroupId group = 0;
  std::string queue;
  std::optional<matcher::Time> start;  // nothing: a drain set
  std::vector<std::string> nodes;      // each once, in order of name
  // Of a time: the node of each pod, as its place in `nodes`; pods in the order
  // in which a schedule counts their requests.
  std::vector<int> places = {};
  bool operator==(const Reservation&) const = default;
};

// A group whose state or own reason changed without a placement.
struct Verdict {
  GroupId group = 0;
  int revision = 1;
  bool unsatisfiable = false;  // else pending again
  std::string reason;
  std::string member;     // UID of one that is the cause; empty: not one alone
  bool deferred = false;  // pending, but not before a time
};

// Why the groups of a shape wait in a queue; an empty reason takes it back.
struct WaitReason {
  // What people could do about it: they are told when this changes.
  enum class Kind { kRoom, kOrder, kDepth, kPaused, kNoQueue, kQuota };
  std::string queue;
  std::int64_t shape = 0;
  Kind kind = Kind::kRoom;
  std::string reason;
  // Where there are accounts: of those that these decide to whom they belong.
  std::string namespace_name = {};
  std::string account = {};
};

// A group has to go, whole, for another one that waits.
struct Eviction {
  GroupId group = 0;
  GroupId preemptor = 0;
  int preemptor_revision = 1;
  matcher::Time end = 0;  // when its places are expected to be free
};

// What groups hold, for whoever else counts it against quotas.
struct HoldsNews {
  bool all = false;  // others than these hold nothing; else these as they are
  std::vector<AccountHolds> holds;
};

struct Decision {
  std::vector<Placed> placed;
  std::vector<Eviction> evicted;
  std::vector<Verdict> verdicts;
  // Only what differs from what earlier decisions said:
  std::vector<Reservation> reserved;  // new or changed
  std::vector<GroupId> unreserved;    // taken back, or over as it was placed
  std::vector<WaitReason> reasons;
  // Of those whose callers wait for the answer: they wait for their
  // reservation from now on; or they wait no longer.
  std::vector<GroupId> promised;
  std::vector<GroupId> turned_down;
  std::vector<AccountUse> used;  // at times, of all
  std::optional<HoldsNews> holds;
  bool Empty() const {
    return placed.empty() && evicted.empty() && verdicts.empty() &&
           reserved.empty() && unreserved.empty() && reasons.empty() &&
           promised.empty() && turned_down.empty() && used.empty() && !holds;
  }
};

// Adds what was found about groups by themselves. Where the decision says
// something of a group too, an own reason goes first.
void PutFirst(const std::map<GroupId, Verdict>& own, Decision& decision);

}  // namespace fluxnetes::workers
