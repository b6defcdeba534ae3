// A random run of a Schedule on a small cluster: everything that can happen to
// it, and after each step the claims that always hold.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/workers/support/schedule_story.h"

namespace fluxnetes::workers {

// `calm`: nodes and queues stay as they are, and who comes goes to the back.
// `assumed`: the queues assume a duration, and groups do not keep to it.
struct RandomKind {
  bool calm = false;
  bool deadlines = true;
  bool assumed = false;
  bool rules = false;  // groups have rules about pods of others, by label
  bool keeps = false;  // queues are hybrid or conservative
  bool mixed = false;  // one is, the other is not
  bool quotas = false;
  bool borrows = false;   // beyond these
  bool preempts = false;  // queues evict lower priorities
  bool reclaims = false;  // and what was lent
  bool shallow = false;   // queues look at few shapes
  bool fair = false;      // and go by fair shares of two namespaces
};

class ScheduleRandomRun {
 public:
  ScheduleRandomRun(unsigned seed, const RandomKind& kind);

  int evictions() const { return evictions_; }
  int taken_back() const { return taken_back_; }

  // Each makes something happen, decides, and checks the claims.
  void Steps(int count);

 private:
  static constexpr int kNodes = 5;
  // Of namespace a: 6 cpu at most. Of b: 4, if it `borrows` what both have left
  // of 9.
  static constexpr std::int64_t kQuotaOfA = 6;
  static constexpr std::int64_t kQuotaOfB = 4;
  static constexpr std::int64_t kQuotaOfBoth = 9;

  struct Site {  // a node
    bool present = false;
    bool cordoned = false;
    std::int64_t cpu = 0;
    std::int64_t foreign = 0;
    std::string zone;
    std::int64_t held = 0;  // by our count
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
  // Both borrow, from one another or whatever there is.
  static std::vector<Account> Lenders(bool limited);
  static std::int64_t HeldBy(const Running& running) {
    return running.cpu * std::ssize(running.placed.members);
  }
  // The app that a group's pods keep away from, and by which key.
  static std::optional<std::pair<std::string, std::string>> Avoided(
      const GroupOptions& options);

  std::int64_t Up(std::int64_t from, std::int64_t to);
  template <typename Map>
  typename Map::iterator Any(Map& map);
  bool Keeps() const { return kind_.keeps || kind_.mixed; }
  Site& SiteOf(const std::string& node);
  std::string Line(int node) const;
  cluster::Resources Foreign(int node) const;
  PendingGroup Group(Story& story, GroupId id) const;
  std::string Domain(const std::string& node, const std::string& key);
  static std::pair<std::int64_t, GroupId> RankOf(GroupId group,
                                                 const GroupOptions& options) {
    return {-options.priority, group};
  }

  void Happen();
  // Who is promised a time has to be looked at then.
  void Pass(std::int64_t seconds);
  void Disturb(std::int64_t what);
  void Resize(int node);
  void SetNode(int node) { story_.Nodes(Line(node)); }
  void Come();
  void AddRules(GroupOptions& options);
  void EndGroup();
  void EndPod();
  void TakeMember(Running& running);
  void Cancel();
  void EndWhatIsDue();

  void Decide();
  void Take(const Verdict& verdict);
  // A gang is placed whole, where it may be, and nothing is given twice.
  void Take(const Placed& placed);
  // Lower groups only, each once and whole, for one who may.
  void Take(const Eviction& eviction);
  // Of those who hold more than is theirs the last, and only so many that the
  // preemptor holds no more than is its own.
  void TakeBack(const Eviction& eviction, Preemption preemption);
  // After all that were evicted for them.
  void CheckWhoTookBack(const Decision& decision) const;
  // For whom others were evicted starts when they are gone, unless somebody is
  // or was before it.
  void CheckPreemptors();
  void CheckQuotas() const;
  // Whether a pod that runs may not be where this one is, or the reverse.
  bool KeptAway(const PlacedMember& pod, const GroupOptions& options);
  // A promised time comes later only if a group before started or was promised
  // something else: in a calm run numbers are ranks.
  void CheckNoneIsDelayed(const std::map<GroupId, Reservation>& before,
                          const std::vector<GroupId>& started);
  // Made anew from what is held and who waits, it holds the same, and decides
  // what this one has decided: nothing was overlooked.
  void CompareWithRebuilt();
  void Rebuild(Story& rebuilt) const;
  // Whether it makes a group wait for longer than it was promised.
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
  std::map<GroupId, matcher::Time> preemptors_;  // when the victims are gone
  std::vector<Account> accounts_;
  std::set<GroupId> took_back_;
  std::set<GroupId> takes_back_;  // by the last decision
  int evictions_ = 0;
  int taken_back_ = 0;  // of these
};

}  // namespace fluxnetes::workers
