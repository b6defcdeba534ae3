// The properties checked after each decision of a random run.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/workers/schedule_reference/schedule_random_run.h"

namespace fluxnetes::workers {

void PrintTo(const Reservation& reservation, std::ostream* out) {
  *out << fmt::format(
      "group {} of {} from {} on {}, pods on {}", reservation.group,
      reservation.queue,
      reservation.start ? std::to_string(*reservation.start) : "never",
      reservation.nodes, reservation.places);
}

namespace {

// Whether one has other nodes at the same start.
bool AnyMoved(const std::map<GroupId, Reservation>& before,
              const std::map<GroupId, Reservation>& after) {
  return std::ranges::any_of(after, [&](const auto& entry) {
    const auto found = before.find(entry.first);
    return found != before.end() && found->second.start == entry.second.start &&
           found->second.nodes != entry.second.nodes;
  });
}

}  // namespace

void ScheduleRandomRun::Decide() {
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
    // Groups whose victims are ending keep their reservations.
    std::set<GroupId> left_for;
    for (const auto& [group, running] : running_)
      left_for.insert(running.evicted_for);
    EXPECT_LE(std::ranges::count_if(promised_,
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

void ScheduleRandomRun::Take(const Eviction& eviction) {
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

void ScheduleRandomRun::TakeBack(const Eviction& eviction,
                                 Preemption preemption) {
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

void ScheduleRandomRun::CheckWhoTookBack(const Decision& decision) const {
  for (const Eviction& eviction : decision.evicted) {
    if (!takes_back_.contains(eviction.preemptor)) continue;
    const Waiting& preemptor = waiting_.at(eviction.preemptor);
    std::int64_t own = preemptor.cpu * std::stoll(preemptor.pods);
    for (const auto& [id, running] : running_) {
      if (running.evicted_for == 0 &&
          running.options.namespace_name == preemptor.options.namespace_name)
        own += HeldBy(running);
    }
    EXPECT_LE(own, kQuotaOfB);
  }
}

void ScheduleRandomRun::CheckPreemptors() {
  for (auto it = preemptors_.begin(); it != preemptors_.end();) {
    const auto waiting = waiting_.find(it->first);
    const bool passed =
        waiting != waiting_.end() &&
        std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& each) {
          return RankOf(each.first, each.second.options) <
                 RankOf(it->first, waiting->second.options);
        });
    // A borrowing group is passed by groups within their quota.
    const bool borrows = kind_.reclaims && !took_back_.contains(it->first);
    if (waiting == waiting_.end() || passed || borrows) {
      it = preemptors_.erase(it);
      continue;
    }
    EXPECT_LT(now_, it->second) << "group " << it->first;
    ++it;
  }
}

void ScheduleRandomRun::CheckQuotas() const {
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

void ScheduleRandomRun::Take(const Verdict& verdict) {
  ASSERT_TRUE(waiting_.contains(verdict.group));
  Waiting& waiting = waiting_[verdict.group];
  EXPECT_NE(waiting.unsatisfiable, verdict.unsatisfiable);
  EXPECT_EQ(verdict.reason.empty(), !verdict.unsatisfiable);
  waiting.unsatisfiable = verdict.unsatisfiable;
}

void ScheduleRandomRun::Take(const Placed& placed) {
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
    EXPECT_LE(site.held + site.unmanaged, site.cpu) << member.node;
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
    EXPECT_FALSE(KeptAway(member, waiting.options)) << "group " << placed.group;
  }
  CheckTopology(placed, waiting.options);
}

void ScheduleRandomRun::CheckTopology(const Placed& placed,
                                      const GroupOptions& options) {
  const cluster::GroupTopology& topology = options.rules.topology;
  std::map<std::string, int> on;     // pods by node
  std::map<std::string, int> zones;  // by zone
  for (const PlacedMember& member : placed.members) {
    ++on[member.node];
    ++zones[SiteOf(member.node).zone];
  }
  EXPECT_TRUE(topology.required.empty() || zones.size() == 1);
  for (const auto& [node, pods] : on) {
    const cluster::PodsPerNode& per_node = topology.per_node;
    if (per_node.pods > 0) {
      EXPECT_LE(pods, per_node.pods);
      EXPECT_TRUE(per_node.at_most || pods == per_node.pods);
    }
    for (const cluster::TopologyLevel& level : topology.required_parts)
      EXPECT_EQ(pods % level.pods, 0) << node;
  }
  for (const auto& [group, running] : running_) {
    if (group == placed.group) continue;
    if (!topology.whole_nodes && !running.options.rules.topology.whole_nodes)
      continue;
    for (const PlacedMember& other : running.placed.members)
      EXPECT_FALSE(on.contains(other.node)) << "group " << group;
  }
}

std::string ScheduleRandomRun::Domain(const std::string& node,
                                      const std::string& key) {
  return key == "zone" ? SiteOf(node).zone : node;
}

bool ScheduleRandomRun::KeptAway(const PlacedMember& pod,
                                 const GroupOptions& options) {
  const auto avoids = [&](const GroupOptions& who, const std::string& where,
                          const GroupOptions& whom, const std::string& there) {
    const auto avoided = Avoided(who);
    const auto app = whom.labels.find("app");
    return avoided && app != whom.labels.end() &&
           app->second == avoided->first &&
           Domain(where, avoided->second) == Domain(there, avoided->second);
  };
  for (const auto& [group, running] : running_) {
    for (const PlacedMember& other : running.placed.members) {
      // The topology of a removed node is unknown.
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

void ScheduleRandomRun::CheckNoneIsDelayed(
    const std::map<GroupId, Reservation>& before,
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

void ScheduleRandomRun::Rebuild(Story& rebuilt) const {
  for (auto& [name, queue] : queues_) rebuilt.schedule.SetQueue(queue);
  if (kind_.quotas) rebuilt.schedule.SetAccounts(Accounts(kind_.borrows));
  for (int i = kNodes; i-- > 0;) {
    rebuilt.schedule.SetUnmanaged(fmt::format("node{}", i), Unmanaged(i));
    if (sites_[i].present) rebuilt.Nodes(Line(i));
  }
  for (const auto& [id, running] : running_) {
    const Placed& placed = running.placed;
    Held held;
    held.queue = placed.queue;
    held.group = id;
    held.start = placed.start;
    held.end = placed.end;
    held.members = placed.members;
    held.namespace_name = running.options.namespace_name;
    held.priority = running.options.priority;
    held.grace = running.options.grace;
    held.evicted_for = running.evicted_for;
    held.evictable = running.evicted_for == 0 && running.whole;
    held.sharing = placed.sharing;
    rebuilt.Restore(held, running.options);
  }
}

void ScheduleRandomRun::CompareWithRebuilt() {
  Story rebuilt;
  Rebuild(rebuilt);
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
  // Evictions depend on the time of the decision.
  if (evicts) return;
  // With rules a reservation may have become one that would not be made now,
  // since pods came where its rules exclude it. The schedule notices that when
  // its time has come; a new reservation is later, and other groups may start
  // in its place.
  if (kind_.rules && delays) return;
  EXPECT_TRUE(!starts || kind_.assumed || kind_.mixed || kind_.borrows);
  const bool drains =
      std::any_of(promised_.begin(), promised_.end(),
                  [](const auto& promise) { return !promise.second.start; });
  // The choice of a drain set depends on its time, and so do plans around
  // groups that are past their assumed end, and which groups borrow, and so the
  // order. Reservations that one queue recomputes at a restart move those that
  // others keep.
  if (drains || kind_.assumed || kind_.borrows || kind_.mixed) return;
  // Kept reservations survive a restart, too.
  std::map<GroupId, Reservation> promised;
  if (Keeps()) promised = promised_;
  for (const GroupId group : decision.unreserved) promised.erase(group);
  for (const Reservation& reservation : decision.reserved) {
    promised[reservation.group] = reservation;
  }
  EXPECT_TRUE(decision.placed.empty())
      << "group " << decision.placed[0].group << " was overlooked";
  // With rules other reservations may be recomputed, too. Queues that recompute
  // theirs do so at a restart.
  if (kind_.rules || kind_.mixed) return;
  // Of several domains a reservation is in the one that had the least free when
  // it was made; those behind it are planned around that.
  if (kind_.topology && AnyMoved(promised, promised_)) return;
  EXPECT_EQ(promised, promised_);
}

bool ScheduleRandomRun::Delays(const Decision& decision) const {
  return std::ranges::any_of(
      decision.reserved, [this](const Reservation& reserved) {
        const auto before = promised_.find(reserved.group);
        return before != promised_.end() && before->second.start &&
               reserved.start.value_or(matcher::kForever) >
                   *before->second.start;
      });
}

}  // namespace fluxnetes::workers
