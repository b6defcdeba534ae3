// A random run of a Schedule on a small cluster: random events, and after each
// step the properties that always hold.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/workers/support/schedule_story.h"

namespace fluxnetes::workers {

// For failures.
void PrintTo(const Reservation& reservation, std::ostream* out);

// `calm`: nodes and queues do not change, and new groups come last in the
// pending order. `assumed`: the queues assume a duration, which groups do not
// keep.
struct RandomKind {
  bool calm = false;
  bool deadlines = true;
  bool assumed = false;
  bool rules = false;  // groups have rules about other groups' pods, by label
  bool keeps = false;  // queues keep reservations (hybrid, conservative)
  bool mixed = false;  // one queue keeps them, the other does not
  bool quotas = false;
  bool borrows = false;   // beyond their quotas
  bool preempts = false;  // queues evict lower priorities
  bool reclaims = false;  // and take back lent quota
  bool shallow = false;   // queues look at few shapes
  bool fair = false;      // and use fair shares of two namespaces
  bool topology = false;  // groups ask for levels, pods per node, whole nodes
};

class ScheduleRandomRun {
 public:
  ScheduleRandomRun(unsigned seed, const RandomKind& kind);

  int evictions() const { return evictions_; }
  int taken_back() const { return taken_back_; }

  // Each step makes something happen, decides, and checks the properties.
  void Steps(int count);

 private:
  static constexpr int kNodes = 5;
  // Namespace a has at most 6 cpu; b has 4, or, if it `borrows`, what both
  // leave of 9.
  static constexpr std::int64_t kQuotaOfA = 6;
  static constexpr std::int64_t kQuotaOfB = 4;
  static constexpr std::int64_t kQuotaOfBoth = 9;

  struct Site {  // a node
    bool present = false;
    bool cordoned = false;
    std::int64_t cpu = 0;
    std::int64_t unmanaged = 0;
    std::string zone;
    std::int64_t held = 0;  // as counted by the test
  };
  struct Running {
    Placed placed;
    std::int64_t cpu = 0;
    GroupOptions options;
    GroupId evicted_for = 0;
    bool whole = true;
  };
  struct Waiting {
    std::string pods;
    GroupOptions options;
    std::int64_t cpu = 0;
    bool unsatisfiable = false;
  };

  static std::vector<Account> Accounts(bool borrows);
  // Both borrow, from one another or from free nodes.
  static std::vector<Account> Lenders(bool limited);
  static std::int64_t HeldBy(const Running& running) {
    return running.cpu * std::ssize(running.placed.members);
  }
  // The app whose pods a group's pods avoid, and the topology key.
  static std::optional<std::pair<std::string, std::string>> Avoided(
      const GroupOptions& options);

  std::int64_t Up(std::int64_t from, std::int64_t to);
  template <typename Map>
  typename Map::iterator Any(Map& map);
  bool Keeps() const { return kind_.keeps || kind_.mixed; }
  Site& SiteOf(const std::string& node);
  std::string Line(int node) const;
  cluster::Resources Unmanaged(int node) const;
  PendingGroup Group(Story& story, GroupId id) const;
  std::string Domain(const std::string& node, const std::string& key);
  static std::pair<std::int64_t, GroupId> RankOf(GroupId group,
                                                 const GroupOptions& options) {
    return {-options.priority, group};
  }

  void Happen();
  // Lets time pass; reservations that are due must be looked at.
  void Pass(std::int64_t seconds);
  void Disturb(std::int64_t what);
  void Resize(int node);
  void SetNode(int node) { story_.Nodes(Line(node)); }
  void Come();
  void AddRules(GroupOptions& options);
  // Returns the number of the group's pods.
  std::int64_t AddTopology(GroupOptions& options);
  void EndGroup();
  void EndPod();
  void TakeMember(Running& running);
  void Cancel();
  void EndWhatIsDue();

  void Decide();
  void Take(const Verdict& verdict);
  // A gang is placed whole, where it may be, and no amount is given twice.
  void Take(const Placed& placed);
  // Its pods are in the zones and on the nodes that it asks for.
  void CheckTopology(const Placed& placed, const GroupOptions& options);
  // Victims have lower priority, are evicted once and whole, and for a group
  // that may evict.
  void Take(const Eviction& eviction);
  // Victims are the last groups that hold more than their quota, and only as
  // many that the preemptor stays within its own quota.
  void TakeBack(const Eviction& eviction, Preemption preemption);
  // Checks the preemptors' quotas after all evictions of a decision.
  void CheckWhoTookBack(const Decision& decision) const;
  // A preemptor starts when its victims are gone, unless another group is or
  // was ahead of it.
  void CheckPreemptors();
  void CheckQuotas() const;
  // True if a running pod excludes this one from its place, or the reverse.
  bool KeptAway(const PlacedMember& pod, const GroupOptions& options);
  // A reserved start moves later only if a group ahead started or got another
  // reservation: in a calm run ids are ranks.
  void CheckNoneIsDelayed(const std::map<GroupId, Reservation>& before,
                          const std::vector<GroupId>& started);
  // Compares with a schedule rebuilt from allocations and waiting groups: it
  // holds the same and decides the same, so nothing was overlooked.
  void CompareWithRebuilt();
  void Rebuild(Story& rebuilt) const;
  // True if the decision makes a group start later than its reservation.
  bool Delays(const Decision& decision) const;

  const RandomKind kind_;
  std::mt19937 engine_;
  Story story_;
  int step_ = 0;
  matcher::Time now_ = 0;
  GroupId last_ = 0;
  std::map<std::string, QueueSettings> queues_;
  Site sites_[kNodes];
  std::map<GroupId, Waiting> waiting_;
  std::map<GroupId, Running> running_;
  std::map<GroupId, Reservation> promised_;
  std::map<GroupId, matcher::Time> preemptors_;  // when their victims are gone
  std::vector<Account> accounts_;
  std::set<GroupId> took_back_;
  std::set<GroupId> takes_back_;  // in the last decision
  int evictions_ = 0;
  int taken_back_ = 0;  // of these evictions
};

}  // namespace fluxnetes::workers
