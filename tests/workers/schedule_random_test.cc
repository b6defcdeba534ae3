// Random runs of a Schedule on a small cluster: everything that can happen to
// it, and after each step the claims that always hold. One that fails says by
// which seed; FLUXNETES_TEST_SEED runs that one alone, and FLUXNETES_TEST_LONG
// eight times as many.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "tests/workers/schedule_story.h"

namespace fluxnetes::workers {
namespace {

constexpr int kNodes = 5;

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

// `calm`: nodes and queues stay as they are, and who comes goes to the back.
// `assumed`: the queues assume a duration, and groups do not keep to it.
struct Kind {
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

// Of namespace a: 6 cpu at most. Of b: 4, if it `borrows` what both have left
// of 9.
constexpr std::int64_t kQuotaOfA = 6;
constexpr std::int64_t kQuotaOfB = 4;
constexpr std::int64_t kQuotaOfBoth = 9;
std::vector<Account> Accounts(bool borrows) {
  return {{.name = "both", .quota = {{"cpu", 1'000 * kQuotaOfBoth}}},
          {.name = "a",
           .parent = "both",
           .namespace_name = "a",
           .quota = {{"cpu", 1'000 * kQuotaOfA}}},
          {.name = "b",
           .parent = "both",
           .namespace_name = "b",
           .quota = {{"cpu", 1'000 * kQuotaOfB}},
           .borrows = borrows}};
}

// Both borrow, from one another or whatever there is.
std::vector<Account> Lenders(bool limited) {
  std::vector<Account> accounts = Accounts(true);
  accounts[1].borrows = true;
  accounts[1].quota = accounts[2].quota;
  if (!limited) accounts[0].quota.clear();
  return accounts;
}

// The app that a group's pods keep away from, and by which key.
std::optional<std::pair<std::string, std::string>> Avoided(
    const GroupOptions& options) {
  if (options.rules.anti_affinity.empty()) return std::nullopt;
  const auto& term = options.rules.anti_affinity[0];
  return std::pair((*term.selector)[0].values[0], term.topology_key);
}

class RandomRun {
 public:
  RandomRun(unsigned seed, Kind kind) : kind_(kind), engine_(seed) {
    for (const char* name : {"default", "other"}) {
      queues_[name].name = name;
      if (Up(0, 3) == 0) queues_[name].queue_policy = QueuePolicy::kFcfs;
      const bool keeps =
          kind_.keeps || (kind_.mixed && std::string(name) == "other");
      if (keeps) {
        queues_[name].queue_policy =
            Up(0, 1) == 0 ? QueuePolicy::kHybrid : QueuePolicy::kConservative;
        if (queues_[name].queue_policy == QueuePolicy::kHybrid)
          queues_[name].reservation_depth = static_cast<int>(Up(1, 3));
      }
      if (kind_.assumed) queues_[name].assumed_duration = 20;
      if (kind_.fair) queues_[name].queue_order = QueueOrder::kFairShare;
      if (kind_.shallow) queues_[name].queue_depth = static_cast<int>(Up(1, 3));
      if (kind_.preempts && Up(0, 2) > 0)
        queues_[name].preemption = kind_.reclaims
                                       ? static_cast<Preemption>(Up(2, 3))
                                       : Preemption::kLowerPriority;
      story_.schedule.SetQueue(queues_[name]);
    }
    if (kind_.quotas) accounts_ = Accounts(kind_.borrows);
    if (kind_.reclaims) accounts_ = Lenders(Up(0, 1) == 0);
    if (kind_.quotas) story_.schedule.SetAccounts(accounts_);
    for (int i = 0; i < kNodes; ++i) {
      Resize(i);
      SetNode(i);
    }
  }

  int evictions() const { return evictions_; }
  int taken_back() const { return taken_back_; }

  void Steps(int count) {
    for (step_ = 0; step_ < count && !::testing::Test::HasFailure(); ++step_) {
      for (std::int64_t i = Up(1, 3); i > 0; --i) Happen();
      EndWhatIsDue();
      Decide();
      if (::testing::Test::HasFailure()) return;
      CompareWithRebuilt();
    }
  }

 private:
  std::int64_t Up(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(engine_);
  }

  void Resize(int node) {
    sites_[node].present = true;
    sites_[node].cpu = Up(1, 6);
    sites_[node].zone = Up(0, 1) == 0 ? "a" : "b";
  }

  std::string Line(int node) const {
    const Site& site = sites_[node];
    return fmt::format("node{} cpu={} zone={} host={}{}", node, site.cpu,
                       site.zone, node, site.cordoned ? " cordoned=1" : "");
  }

  void SetNode(int node) { story_.Nodes(Line(node)); }

  void Happen() {
    const std::int64_t what = Up(0, kind_.calm ? 8 : 13);
    if (what <= 3) {
      Come();
    } else if (what == 4) {
      Pass(Up(1, 15));
    } else if (what == 5) {
      EndGroup();
    } else if (what == 6) {
      EndPod();
    } else if (what == 7) {
      Cancel();
    } else if (what == 8) {
      Pass(1);
    } else {
      Disturb(what);
    }
  }

  // Who is promised a time has to be looked at then.
  void Pass(std::int64_t seconds) {
    const auto due = story_.schedule.NextDue();
    now_ += seconds;
    if (due) now_ = std::min(now_, *due);
  }

  void Disturb(std::int64_t what) {
    const int node = static_cast<int>(Up(0, kNodes - 1));
    Site& site = sites_[node];
    if (what == 9) {
      site.cordoned = site.present && !site.cordoned;
      if (site.present) SetNode(node);
    } else if (what == 10 && site.present) {
      site.present = false;
      story_.schedule.RemoveNode(fmt::format("node{}", node));
    } else if (what == 11 || what == 10) {
      Resize(node);
      SetNode(node);
    } else if (what == 12) {
      site.foreign = Up(0, 2);
      story_.schedule.SetForeign(fmt::format("node{}", node), Foreign(node));
    } else {
      QueueSettings& queue = queues_[Up(0, 1) == 0 ? "default" : "other"];
      queue.paused = !queue.paused && Up(0, 1) == 0;
      queue.node_selector.clear();
      if (Up(0, 1) == 0) queue.node_selector["zone"] = "a";
      story_.schedule.SetQueue(queue);
    }
  }

  cluster::Resources Foreign(int node) const {
    cluster::Resources used;
    used.cpu_milli = 1'000 * sites_[node].foreign;
    return used;
  }

  void Come() {
    const GroupId id = ++last_;
    GroupOptions options;
    options.queue = Up(0, 2) == 0 ? "other" : "default";
    if (kind_.deadlines || Up(0, 1) == 0) options.duration = 5 * Up(1, 8);
    if (!kind_.calm) options.priority = static_cast<int>(Up(0, 2) / 2);
    if (kind_.preempts) {
      options.priority = static_cast<int>(Up(0, kind_.reclaims ? 1 : 3));
      options.grace = Up(1, 8);
      options.preempts = Up(0, 5) > 0;
    }
    if (Up(0, 3) == 0) options.selector = "zone=a";
    if (kind_.rules) AddRules(options);
    if (kind_.quotas || kind_.fair)
      options.namespace_name = Up(0, 1) == 0 ? "a" : "b";
    const std::int64_t cpu = Up(1, kind_.reclaims ? 2 : 3);
    const std::int64_t pods = Up(1, kind_.reclaims ? 2 : 5);
    waiting_[id] = {fmt::format("{}x{}", pods, cpu), options, cpu};
    story_.schedule.Add(Group(story_, id));
  }

  void AddRules(GroupOptions& options) {
    const auto app = [&] { return Up(0, 1) == 0 ? "a" : "b"; };
    const char* key = Up(0, 1) == 0 ? "zone" : "host";
    if (Up(0, 2) > 0) options.labels["app"] = app();
    const std::int64_t what = Up(0, 7);
    if (what <= 1) {
      options.rules.anti_affinity = {Near(app(), key)};
    } else if (what == 2) {
      options.rules.affinity = {Near(app(), key)};
    } else if (what == 3) {
      options.rules.spread = {
          {.topology_key = key,
           .selector = cluster::PodSelector{{"app", "In", {app()}}},
           .max_skew = static_cast<int>(Up(1, 2))}};
    } else if (what == 4) {
      options.rules.host_ports = {{static_cast<int>(Up(80, 81))}};
    }
  }

  PendingGroup Group(Story& story, GroupId id) const {
    const Waiting& waiting = waiting_.at(id);
    PendingGroup group = story.MakeGroup(id, waiting.pods, waiting.options);
    group.unsatisfiable = waiting.unsatisfiable;
    return group;
  }

  template <typename Map>
  typename Map::iterator Any(Map& map) {
    return std::next(map.begin(),
                     Up(0, static_cast<std::int64_t>(map.size()) - 1));
  }

  void EndGroup() {
    if (running_.empty()) return;
    const auto it = Any(running_);
    while (!it->second.placed.members.empty()) TakeMember(it->second);
    EXPECT_TRUE(story_.schedule.Release(it->first, ""));
    running_.erase(it);
  }

  void EndPod() {
    if (running_.empty()) return;
    const auto it = Any(running_);
    const std::string uid = it->second.placed.members.back().uid;
    TakeMember(it->second);
    it->second.whole = false;
    EXPECT_TRUE(story_.schedule.Release(it->first, uid));
    EXPECT_FALSE(story_.schedule.Release(it->first, uid));
    if (it->second.placed.members.empty()) running_.erase(it);
  }

  void TakeMember(Running& running) {
    SiteOf(running.placed.members.back().node).held -= running.cpu;
    running.placed.members.pop_back();
  }

  void Cancel() {
    if (waiting_.empty()) return;
    const auto it = Any(waiting_);
    EXPECT_TRUE(story_.schedule.Remove(it->first));
    waiting_.erase(it);
  }

  void EndWhatIsDue() {
    for (auto it = running_.begin(); it != running_.end();) {
      const auto end = it->second.placed.end;
      const bool over = end ? *end <= now_ : Up(0, 30) == 0;
      if (!over) {
        ++it;
        continue;
      }
      while (!it->second.placed.members.empty()) TakeMember(it->second);
      story_.schedule.Release(it->first, "");
      it = running_.erase(it);
    }
  }

  Site& SiteOf(const std::string& node) {
    return sites_[std::stoi(node.substr(4))];
  }

  void Decide() {
    const auto before = promised_;
    std::vector<GroupId> started;
    const int limit = Up(0, 3) == 0 ? 1 : 1'000;
    int cycles = 0;
    do {
      ASSERT_LT(++cycles, 1'000) << "it never comes to an end";
      const Decision decision = story_.schedule.Decide(now_, limit);
      for (const Verdict& verdict : decision.verdicts) Take(verdict);
      takes_back_.clear();
      for (const Eviction& eviction : decision.evicted) Take(eviction);
      CheckWhoTookBack(decision);
      for (const Placed& placed : decision.placed) {
        started.push_back(placed.group);
        Take(placed);
      }
      for (const GroupId group : decision.unreserved) {
        EXPECT_EQ(promised_.erase(group), 1U);
      }
      for (const Reservation& reservation : decision.reserved) {
        EXPECT_NE(promised_[reservation.group], reservation);
        promised_[reservation.group] = reservation;
      }
    } while (story_.schedule.More());
    if (kind_.quotas) CheckQuotas();
    if (!Keeps()) {
      // Those keep theirs for whom others leave.
      std::set<GroupId> left_for;
      for (const auto& [group, running] : running_)
        left_for.insert(running.evicted_for);
      EXPECT_LE(
          std::ranges::count_if(promised_,
                                [&](const auto& promised) {
                                  return !left_for.contains(promised.first);
                                }),
          std::ssize(queues_));
    }
    for (const auto& [group, reservation] : promised_) {
      EXPECT_TRUE(waiting_.contains(group)) << "group " << group;
    }
    if (kind_.calm && !kind_.preempts) CheckNoneIsDelayed(before, started);
    if (kind_.calm) CheckPreemptors();
  }

  static auto RankOf(GroupId group, const GroupOptions& options) {
    return std::pair(-options.priority, group);
  }

  // Lower groups only, each once and whole, for one who may.
  void Take(const Eviction& eviction) {
    ASSERT_TRUE(running_.contains(eviction.group));
    ASSERT_TRUE(waiting_.contains(eviction.preemptor));
    Running& victim = running_[eviction.group];
    const GroupOptions& preemptor = waiting_[eviction.preemptor].options;
    const Preemption preemption = queues_[preemptor.queue].preemption;
    EXPECT_TRUE(preemptor.preempts);
    if (!EvictsLower(preemption) ||
        victim.options.priority >= preemptor.priority) {
      TakeBack(eviction, preemption);
    }
    EXPECT_EQ(victim.evicted_for, 0);
    EXPECT_EQ(eviction.end, now_ + victim.options.grace);
    EXPECT_TRUE(!victim.placed.end || eviction.end < *victim.placed.end);
    victim.placed.end = eviction.end;
    victim.evicted_for = eviction.preemptor;
    auto [known, added] = preemptors_.try_emplace(eviction.preemptor, 0);
    known->second = std::max(known->second, eviction.end);
    ++evictions_;
  }

  // Of those who hold more than is theirs the last, and only so many that the
  // preemptor holds no more than is its own.
  void TakeBack(const Eviction& eviction, Preemption preemption) {
    const Running& victim = running_[eviction.group];
    const Waiting& preemptor = waiting_[eviction.preemptor];
    EXPECT_TRUE(TakesBack(preemption));
    EXPECT_LE(victim.options.priority, preemptor.options.priority);
    EXPECT_NE(victim.options.namespace_name, preemptor.options.namespace_name);
    EXPECT_FALSE(took_back_.contains(eviction.group));
    std::int64_t until_then = 0;
    for (const auto& [id, running] : running_) {
      if (running.options.namespace_name == victim.options.namespace_name &&
          (running.evicted_for == 0 ||
           running.evicted_for == eviction.preemptor) &&
          std::pair(running.placed.start, id) <=
              std::pair(victim.placed.start, eviction.group))
        until_then += HeldBy(running);
    }
    EXPECT_GT(until_then, kQuotaOfB);
    took_back_.insert(eviction.preemptor);
    takes_back_.insert(eviction.preemptor);
    ++taken_back_;
  }

  static std::int64_t HeldBy(const Running& running) {
    return running.cpu * std::ssize(running.placed.members);
  }

  // After all that were evicted for them.
  void CheckWhoTookBack(const Decision& decision) const {
    for (const Eviction& eviction : decision.evicted) {
      if (!takes_back_.contains(eviction.preemptor)) continue;
      const Waiting& preemptor = waiting_.at(eviction.preemptor);
      std::int64_t own = preemptor.cpu * CountOf(preemptor.pods);
      for (const auto& [id, running] : running_) {
        if (running.evicted_for == 0 &&
            running.options.namespace_name == preemptor.options.namespace_name)
          own += HeldBy(running);
      }
      EXPECT_LE(own, kQuotaOfB);
    }
  }

  static std::int64_t CountOf(const std::string& pods) {
    return std::stoll(pods.substr(0, pods.find('x')));
  }

  // For whom others were evicted starts when they are gone, unless somebody is
  // or was before it.
  void CheckPreemptors() {
    for (auto it = preemptors_.begin(); it != preemptors_.end();) {
      const auto waiting = waiting_.find(it->first);
      const bool passed =
          waiting != waiting_.end() &&
          std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& each) {
            return RankOf(each.first, each.second.options) <
                   RankOf(it->first, waiting->second.options);
          });
      // Who borrows is passed by those who do not.
      const bool borrows = kind_.reclaims && !took_back_.contains(it->first);
      if (waiting == waiting_.end() || passed || borrows) {
        it = preemptors_.erase(it);
        continue;
      }
      EXPECT_LT(now_, it->second) << "group " << it->first;
      ++it;
    }
  }

  bool Keeps() const { return kind_.keeps || kind_.mixed; }

  void CheckQuotas() const {
    std::map<std::string, std::int64_t> held;
    for (const auto& [id, running] : running_)
      held[running.options.namespace_name] +=
          running.cpu * std::ssize(running.placed.members);
    if (!kind_.reclaims) {
      EXPECT_LE(held["a"], kQuotaOfA);
    }
    if (!kind_.borrows) {
      EXPECT_LE(held["b"], kQuotaOfB);
    }
    if (!accounts_[0].quota.empty()) {
      EXPECT_LE(held["a"] + held["b"], kQuotaOfBoth);
    }
  }

  void Take(const Verdict& verdict) {
    ASSERT_TRUE(waiting_.contains(verdict.group));
    Waiting& waiting = waiting_[verdict.group];
    EXPECT_NE(waiting.unsatisfiable, verdict.unsatisfiable);
    EXPECT_EQ(verdict.reason.empty(), !verdict.unsatisfiable);
    waiting.unsatisfiable = verdict.unsatisfiable;
  }

  // A gang is placed whole, where it may be, and nothing is given twice.
  void Take(const Placed& placed) {
    ASSERT_TRUE(waiting_.contains(placed.group));
    const Waiting waiting = waiting_[placed.group];
    EXPECT_FALSE(waiting.unsatisfiable);
    EXPECT_FALSE(queues_[placed.queue].paused);
    std::set<std::string> uids;
    for (const PlacedMember& member : placed.members) {
      uids.insert(member.uid);
      Site& site = SiteOf(member.node);
      site.held += waiting.cpu;
      EXPECT_TRUE(site.present && !site.cordoned) << member.node;
      EXPECT_LE(site.held + site.foreign, site.cpu) << member.node;
      const bool bound_to_a = !waiting.options.selector.empty() ||
                              !queues_[placed.queue].node_selector.empty();
      EXPECT_TRUE(!bound_to_a || site.zone == "a") << member.node;
    }
    const auto size = static_cast<std::size_t>(std::stoi(waiting.pods));
    EXPECT_EQ(placed.members.size(), size);
    EXPECT_EQ(uids.size(), size);
    running_[placed.group] = {placed, waiting.cpu, waiting.options};
    std::erase_if(preemptors_, [&](const auto& each) {
      const auto before = waiting_.find(each.first);
      return before == waiting_.end() ||
             RankOf(placed.group, waiting.options) <=
                 RankOf(each.first, before->second.options) ||
             (kind_.reclaims &&
              waiting.options.priority == before->second.options.priority);
    });
    waiting_.erase(placed.group);
    for (const PlacedMember& member : placed.members) {
      EXPECT_FALSE(KeptAway(member, waiting.options))
          << "group " << placed.group;
    }
  }

  std::string Domain(const std::string& node, const std::string& key) {
    return key == "zone" ? SiteOf(node).zone : node;
  }

  // Whether a pod that runs may not be where this one is, or the reverse.
  bool KeptAway(const PlacedMember& pod, const GroupOptions& options) {
    const auto avoids = [&](const GroupOptions& who, const std::string& where,
                            const GroupOptions& whom,
                            const std::string& there) {
      const auto avoided = Avoided(who);
      const auto app = whom.labels.find("app");
      return avoided && app != whom.labels.end() &&
             app->second == avoided->first &&
             Domain(where, avoided->second) == Domain(there, avoided->second);
    };
    for (const auto& [group, running] : running_) {
      for (const PlacedMember& other : running.placed.members) {
        // Where a node is gone, nothing is known of its domains.
        if (other.uid == pod.uid || !SiteOf(other.node).present) continue;
        if (avoids(options, pod.node, running.options, other.node) ||
            avoids(running.options, other.node, options, pod.node) ||
            (pod.node == other.node && !options.rules.host_ports.empty() &&
             options.rules.host_ports == running.options.rules.host_ports)) {
          return true;
        }
      }
    }
    return false;
  }

  // A promised time comes later only if a group before started or was promised
  // something else: in a calm run numbers are ranks.
  void CheckNoneIsDelayed(const std::map<GroupId, Reservation>& before,
                          const std::vector<GroupId>& started) {
    bool same_before = true;
    GroupId first_started = last_ + 1;
    for (const GroupId id : started) {
      first_started = std::min(first_started, id);
    }
    for (const auto& [group, reservation] : before) {
      const auto now = promised_.find(group);
      if (same_before && first_started > group && reservation.start &&
          now != promised_.end()) {
        EXPECT_TRUE(now->second.start) << "group " << group;
        EXPECT_LE(now->second.start.value_or(0), *reservation.start)
            << "group " << group;
      }
      same_before =
          same_before && now != promised_.end() && now->second == reservation;
    }
  }

  // Made anew from what is held and who waits, it holds the same, and decides
  // what this one has decided: nothing was overlooked.
  void CompareWithRebuilt() {
    Story rebuilt;
    for (auto& [name, queue] : queues_) rebuilt.schedule.SetQueue(queue);
    if (kind_.quotas) rebuilt.schedule.SetAccounts(Accounts(kind_.borrows));
    for (int i = kNodes; i-- > 0;) {
      rebuilt.schedule.SetForeign(fmt::format("node{}", i), Foreign(i));
      if (sites_[i].present) rebuilt.Nodes(Line(i));
    }
    for (const auto& [id, running] : running_) {
      const Placed& placed = running.placed;
      Held held{id, placed.start, placed.end, {}, placed.queue};
      held.members = placed.members;
      held.namespace_name = running.options.namespace_name;
      held.priority = running.options.priority;
      held.grace = running.options.grace;
      held.evicted_for = running.evicted_for;
      held.evictable = running.evicted_for == 0 && running.whole;
      rebuilt.Restore(held, running.options);
    }
    EXPECT_EQ(story_.schedule.Describe(), rebuilt.schedule.Describe());
    for (const auto& [id, waiting] : waiting_) {
      rebuilt.schedule.Add(Group(rebuilt, id));
    }
    if (Keeps()) {
      for (const auto& [id, reservation] : promised_)
        rebuilt.schedule.Promised(reservation);
    }
    Decision decision = rebuilt.schedule.Decide(now_);
    bool evicts = !decision.evicted.empty();
    bool starts = false;
    bool delays = Delays(decision);
    for (int cycles = 0; Keeps() && rebuilt.schedule.More(); ++cycles) {
      ASSERT_LT(cycles, 1'000) << "it never comes to an end";
      starts = starts || !decision.placed.empty();
      decision = rebuilt.schedule.Decide(now_);
      evicts = evicts || !decision.evicted.empty();
      delays = delays || Delays(decision);
    }
    EXPECT_EQ(story_.schedule.pending(), waiting_.size());
    EXPECT_TRUE(decision.verdicts.empty());
    // Whether somebody is to be evicted depends on when it was asked.
    if (evicts) return;
    // With rules a promise may have become one that would not be made now: pods
    // came where it goes by them. That is seen when its time has come; made
    // anew, it is later, and others may start in its place.
    if (kind_.rules && delays) return;
    EXPECT_TRUE(!starts || kind_.assumed || kind_.mixed || kind_.borrows);
    const bool drains =
        std::any_of(promised_.begin(), promised_.end(),
                    [](const auto& promise) { return !promise.second.start; });
    // Which nodes are drained depends on when, and so do plans around groups
    // that should have ended. Who borrows depends on it, too, and who goes
    // first by that. What one queue makes anew at a restart moves what others
    // keep.
    if (drains || kind_.assumed || kind_.borrows || kind_.mixed) return;
    // Promises that are kept are kept over a restart, too.
    std::map<GroupId, Reservation> promised;
    if (Keeps()) promised = promised_;
    for (const GroupId group : decision.unreserved) promised.erase(group);
    for (const Reservation& reservation : decision.reserved) {
      promised[reservation.group] = reservation;
    }
    EXPECT_TRUE(decision.placed.empty())
        << "group " << decision.placed[0].group << " was overlooked";
    // With rules others may be made anew, too. And those of queues that make
    // them anew do so at a restart.
    if (!kind_.rules && !kind_.mixed) {
      EXPECT_EQ(promised, promised_);
    }
  }

  // Whether it makes a group wait for longer than it was promised.
  bool Delays(const Decision& decision) const {
    return std::ranges::any_of(
        decision.reserved, [this](const Reservation& reserved) {
          const auto before = promised_.find(reserved.group);
          return before != promised_.end() && before->second.start &&
                 reserved.start.value_or(matcher::kForever) >
                     *before->second.start;
        });
  }

  struct Waiting {
    std::string pods;
    GroupOptions options;
    std::int64_t cpu = 0;
    bool unsatisfiable = false;
  };

  const Kind kind_;
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

void RunMany(unsigned seeds, Kind kind) {
  int evictions = 0;
  int taken_back = 0;
  const char* const only = std::getenv("FLUXNETES_TEST_SEED");
  const auto first = static_cast<unsigned>(only ? std::atoi(only) : 0);
  if (only != nullptr)
    seeds = 1;
  else if (std::getenv("FLUXNETES_TEST_LONG") != nullptr)
    seeds *= 8;
  for (unsigned seed = first; seed < first + seeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    RandomRun run(seed, kind);
    run.Steps(100);
    evictions += run.evictions();
    taken_back += run.taken_back();
    if (::testing::Test::HasFailure()) return;
  }
  if (only != nullptr) return;
  const int least = kind.reclaims ? 0 : static_cast<int>(seeds) / 2;
  EXPECT_EQ(evictions > least, kind.preempts);
  EXPECT_EQ(taken_back > 0, kind.reclaims);
}

TEST(ScheduleRandom, NobodyIsDelayedByThoseBehind) {
  RunMany(60, {.calm = true, .deadlines = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWhateverHappens) {
  RunMany(60, {.calm = false, .deadlines = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWhereEndsAreUnknown) {
  RunMany(60, {.calm = false, .deadlines = false});
}

TEST(ScheduleRandom, NothingIsOverlookedWherePodsLookAtOthers) {
  RunMany(60, {.calm = false, .deadlines = true, .rules = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWherePodsWithoutEndLookAtOthers) {
  RunMany(60, {.calm = false, .deadlines = false, .rules = true});
}

TEST(ScheduleRandom, NobodyIsDelayedByThoseBehindWherePromisesAreKept) {
  RunMany(25, {.calm = true, .deadlines = true, .keeps = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWherePromisesAreKept) {
  RunMany(25, {.calm = false, .deadlines = true, .keeps = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWherePromisesAreKeptAndEndsUnknown) {
  RunMany(25, {.calm = false, .deadlines = false, .keeps = true});
}

TEST(ScheduleRandom, AccountsAgreeWherePromisesAreKeptAndGroupsOverstay) {
  RunMany(25,
          {.calm = false, .deadlines = false, .assumed = true, .keeps = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWherePromisesAreKeptAndPodsLook) {
  RunMany(25, {.calm = false, .deadlines = true, .rules = true, .keeps = true});
}

TEST(ScheduleRandom, AccountsAgreeWhereOneQueueKeepsItsPromises) {
  RunMany(40, {.calm = false, .deadlines = true, .mixed = true});
}

TEST(ScheduleRandom, NobodyIsDelayedByThoseBehindWhereOneQueueKeeps) {
  RunMany(40, {.calm = true, .deadlines = true, .mixed = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWithinTheDepthOfQueues) {
  RunMany(40, {.calm = false, .deadlines = true, .shallow = true});
}

TEST(ScheduleRandom, AccountsAgreeWhereQueuesHaveADepthAndOneKeeps) {
  RunMany(40,
          {.calm = false, .deadlines = true, .mixed = true, .shallow = true});
}

TEST(ScheduleRandom, AccountsAgreeWhereSharesAreFairAndOneQueueKeeps) {
  RunMany(25, {.calm = false, .deadlines = true, .mixed = true, .fair = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWhereThereAreQuotas) {
  RunMany(60, {.calm = false, .deadlines = true, .quotas = true});
}

TEST(ScheduleRandom, NobodyIsDelayedByThoseBehindWhereThereAreQuotas) {
  RunMany(60, {.calm = true, .deadlines = true, .quotas = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWhereThereAreQuotasAndPromises) {
  RunMany(25,
          {.calm = false, .deadlines = true, .keeps = true, .quotas = true});
}

TEST(ScheduleRandom, NobodyExceedsAQuotaWhereSomeBorrow) {
  RunMany(60, {.calm = false,
               .deadlines = false,
               .mixed = true,
               .quotas = true,
               .borrows = true});
}

TEST(ScheduleRandom, WhoPreemptsHasThePlaceOfTheVictims) {
  RunMany(60, {.calm = true, .deadlines = true, .preempts = true});
}

TEST(ScheduleRandom, WhoPreemptsHasThePlaceOfVictimsWithoutEnd) {
  RunMany(60, {.calm = true, .deadlines = false, .preempts = true});
}

TEST(ScheduleRandom, WhoPreemptsWherePromisesAreKeptHasThePlaceToo) {
  RunMany(25,
          {.calm = true, .deadlines = false, .keeps = true, .preempts = true});
}

TEST(ScheduleRandom, AccountsAgreeWhereGroupsAreEvictedWhateverHappens) {
  RunMany(60, {.calm = false, .deadlines = false, .preempts = true});
}

TEST(ScheduleRandom, AccountsAgreeWhereGroupsAreEvictedAndPodsLookAtOthers) {
  RunMany(60,
          {.calm = false, .deadlines = true, .rules = true, .preempts = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWhereGroupsAreEvictedAndPromisesKept) {
  RunMany(25, {.calm = false,
               .deadlines = true,
               .rules = true,
               .keeps = true,
               .preempts = true});
}

TEST(ScheduleRandom, AccountsAgreeWhereGroupsAreEvictedAndOverstay) {
  RunMany(
      60,
      {.calm = false, .deadlines = false, .assumed = true, .preempts = true});
}

TEST(ScheduleRandom, WhoTakesBackHasThePlaceOfTheVictims) {
  RunMany(60, {.calm = true,
               .deadlines = true,
               .quotas = true,
               .borrows = true,
               .preempts = true,
               .reclaims = true});
}

TEST(ScheduleRandom, OnlyWhatWasLentIsTakenBackWhateverHappens) {
  RunMany(60, {.calm = false,
               .deadlines = false,
               .quotas = true,
               .borrows = true,
               .preempts = true,
               .reclaims = true});
}

TEST(ScheduleRandom, OnlyWhatWasLentIsTakenBackWherePromisesAreKept) {
  RunMany(25, {.calm = false,
               .deadlines = true,
               .keeps = true,
               .quotas = true,
               .borrows = true,
               .preempts = true,
               .reclaims = true});
}

TEST(ScheduleRandom, OnlyWhatWasLentIsTakenBackWhereGroupsOverstay) {
  RunMany(40, {.calm = false,
               .deadlines = false,
               .assumed = true,
               .mixed = true,
               .quotas = true,
               .borrows = true,
               .preempts = true,
               .reclaims = true});
}

TEST(ScheduleRandom, AccountsAgreeWhereGroupsOverstay) {
  RunMany(60, {.calm = false, .deadlines = false, .assumed = true});
}

}  // namespace
}  // namespace fluxnetes::workers
