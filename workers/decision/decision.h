// The input and the result of scheduling decisions, as values: waiting groups,
// and what a cycle decided about them. Nothing has been written yet.
// Tests: tests/workers/schedule/schedule_test.cc,
// tests/workers/gates/hold_gate_test.cc.
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

// A member of a group that needs a node. Requests are interned: members with
// equal requests share one.
struct Member {
  std::string uid;
  const cluster::PodRequest* request = nullptr;
};

// The requests of a group, with the number of members for each.
using RequestCounts = std::vector<std::pair<const cluster::PodRequest*, int>>;

// The priority of pods by which an elastic group grows: they are groups of one
// that come last in the pending order.
inline constexpr std::int32_t kGrowthPriority =
    std::numeric_limits<std::int32_t>::min();

// What preemption asks of a group, whether it waits or holds something.
struct PreemptionTerms {
  std::int64_t grace = 30;  // seconds until its pods end after an eviction
  std::int32_t priority = 0;
  bool growth = false;    // it extends an elastic group beyond its minimum
  GroupId extends = 0;    // that group; 0: none
  bool external = false;  // a client starts its pods (external_groups.h): it is
                          // never evicted
  bool operator==(const PreemptionTerms&) const = default;
};

// The names of a group and of those that it belongs to.
struct GroupNames {
  std::string namespace_name = {};
  std::string name = {};
  std::string queue = {};
  std::string account = {};  // the account label of its pods
  bool operator==(const GroupNames&) const = default;
};

// What a schedule keeps of a waiting group besides its members and its line.
struct WaitingTerms : PreemptionTerms {
  GroupId id = 0;
  cluster::Time submitted_at{};
  std::int64_t job_id = 0;  // the lease on its match job
  std::optional<matcher::Time> start_by = {};
  int revision = 1;
  int job_attempt = 0;
  bool first_in_line = false;
  bool unsatisfiable = false;  // as reported, or in the database
  // It may evict others if its queue preempts; false if one of its pods forbids
  // it.
  bool preempts = true;
};

// A waiting group, as read from the database.
struct PendingGroup : WaitingTerms, GroupNames {
  std::int64_t shape = 0;
  std::optional<std::int64_t> duration;  // seconds; nothing: without end
  std::vector<Member> members;           // members without a place
  // Its own reason to wait in the database; empty: none.
  std::string reason = {};
  bool held = false;  // a user holds it
  // The first start time that its pods ask for, as `start_by` the last: rounded
  // to whole seconds within them.
  std::optional<matcher::Time> start_after = {};
  // The topology in its members' requests, for code that rebuilds them.
  cluster::GroupTopology topology = {};
  // The call of an external group's client waits for the answer, so the group
  // is turned down unless it gets a placement, or, with `takes_promise`, a
  // reservation.
  bool pressing = false;
  bool takes_promise = false;
};

struct PlacedMember {
  std::string uid;
  std::string node;
  const cluster::PodRequest* request = nullptr;
  // What it has inside of its node (matcher/inside/parts_text.h); empty:
  // amounts alone.
  std::string parts = {};
  // The devices of its claims (matcher/devices/devices_text.h); empty: none.
  std::string devices = {};
  bool operator==(const PlacedMember&) const = default;
};

// How a group shares its nodes with others: not at all, or without regard to
// those that have nodes for themselves (of a DaemonSet).
struct Sharing {
  bool whole_nodes = false;
  bool aside = false;
  bool operator==(const Sharing&) const = default;
};

// A placement. `start` and `end` are those of the group's whole allocation:
// they do not change if it held nodes before.
struct Placed {
  GroupId group = 0;
  int revision = 1;
  std::int64_t job_id = 0;
  int job_attempt = 0;
  std::string queue;
  matcher::Time start = 0;
  std::optional<matcher::Time> end;
  std::vector<PlacedMember> members;
  Sharing sharing = {};
  // R version 1 of what each member has inside of its node, in JSON; empty if
  // none has anything there.
  std::vector<std::string> resource_sets = {};
  cluster::PoolAmounts pools = {};  // of the whole allocation
};

// The number under which whole nodes of a group are held: those of an elastic
// group are also for the pods by which it has grown.
inline matcher::JobId HolderOf(GroupId group, const PreemptionTerms& terms) {
  return terms.extends != 0 ? terms.extends : group;
}

struct Reservation {
  GroupId group = 0;
  std::string queue;
  std::optional<matcher::Time> start;  // nothing: a drain set
  std::vector<std::string> nodes;      // each once, in order of name
  // For a reservation with a start: the node of each pod, as an index of
  // `nodes`; pods are in the order in which a schedule counts their requests.
  std::vector<int> places = {};
  // What each pod is to have inside of its node; empty if none has anything.
  std::vector<std::string> parts = {};
  // The devices of each pod; empty if none has any.
  std::vector<std::string> devices = {};
  bool operator==(const Reservation&) const = default;
};

// A change of a group's state or own reason without a placement.
struct Verdict {
  GroupId group = 0;
  int revision = 1;
  bool unsatisfiable = false;  // else pending again
  std::string reason;
  // UID of the pod that is the cause; empty: not a single one.
  std::string member;
  bool deferred = false;  // pending, but not before its start time
};

// Why the groups of a shape wait in a queue; an empty reason means that they no
// longer do.
struct WaitReason {
  // The kind of remedy; a change of the kind is reported to the pods.
  enum class Kind { kRoom, kOrder, kDepth, kPaused, kNoQueue, kQuota };
  std::string queue;
  std::int64_t shape = 0;
  Kind kind = Kind::kRoom;
  std::string reason;
  // With accounts: the two fields that select the account.
  std::string namespace_name = {};
  std::string account = {};
};

// A group that must end, with all its pods, for a waiting group.
struct Eviction {
  GroupId group = 0;
  GroupId preemptor = 0;
  int preemptor_revision = 1;
  matcher::Time end = 0;  // when its places are expected to be free
};

// The amounts that groups hold in sum, by payer, for other components whose
// quotas count them.
struct HoldsNews {
  bool all = false;  // `holds` has all payers; else only those that changed
  std::vector<AccountHolds> holds;
};

struct Decision {
  std::vector<Placed> placed;
  std::vector<Eviction> evicted;
  std::vector<Verdict> verdicts;
  // Only differences from earlier decisions:
  std::vector<Reservation> reserved;  // new or changed
  std::vector<GroupId> unreserved;    // withdrawn, or used by a placement
  std::vector<WaitReason> reasons;
  // Groups whose callers wait: `promised` wait for their reservation from now
  // on, `turned_down` end.
  std::vector<GroupId> promised;
  std::vector<GroupId> turned_down;
  std::vector<AccountUse> used;  // now and then, of all payers
  std::optional<HoldsNews> holds;
  bool Empty() const {
    return placed.empty() && evicted.empty() && verdicts.empty() &&
           reserved.empty() && unreserved.empty() && reasons.empty() &&
           promised.empty() && turned_down.empty() && used.empty() && !holds;
  }
};

// Adds verdicts about single groups (`own`). One with a reason replaces the
// decision's verdict about its group.
void PutFirst(const std::map<GroupId, Verdict>& own, Decision& decision);

}  // namespace fluxnetes::workers
