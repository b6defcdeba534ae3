#include "tests/workers/schedule_reference/schedule_random_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace fluxnetes::workers {

std::vector<Account> ScheduleRandomRun::Accounts(bool borrows) {
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

std::vector<Account> ScheduleRandomRun::Lenders(bool limited) {
  std::vector<Account> accounts = Accounts(true);
  accounts[1].borrows = true;
  accounts[1].quota = accounts[2].quota;
  if (!limited) accounts[0].quota.clear();
  return accounts;
}

std::optional<std::pair<std::string, std::string>> ScheduleRandomRun::Avoided(
    const GroupOptions& options) {
  if (options.rules.anti_affinity.empty()) return std::nullopt;
  const auto& term = options.rules.anti_affinity[0];
  return std::pair((*term.selector)[0].values[0], term.topology_key);
}

ScheduleRandomRun::ScheduleRandomRun(unsigned seed, const RandomKind& kind)
    : kind_(kind), engine_(seed) {
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

void ScheduleRandomRun::Steps(int count) {
  for (step_ = 0; step_ < count && !::testing::Test::HasFailure(); ++step_) {
    for (std::int64_t i = Up(1, 3); i > 0; --i) Happen();
    EndWhatIsDue();
    Decide();
    if (::testing::Test::HasFailure()) return;
    CompareWithRebuilt();
  }
}

std::int64_t ScheduleRandomRun::Up(std::int64_t from, std::int64_t to) {
  return std::uniform_int_distribution<std::int64_t>(from, to)(engine_);
}

void ScheduleRandomRun::Resize(int node) {
  sites_[node].present = true;
  sites_[node].cpu = Up(1, 6);
  sites_[node].zone = Up(0, 1) == 0 ? "a" : "b";
}

std::string ScheduleRandomRun::Line(int node) const {
  const Site& site = sites_[node];
  return fmt::format("node{} cpu={} zone={} host={}{}", node, site.cpu,
                     site.zone, node, site.cordoned ? " cordoned=1" : "");
}

void ScheduleRandomRun::Happen() {
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

void ScheduleRandomRun::Pass(std::int64_t seconds) {
  const auto due = story_.schedule.NextDue();
  now_ += seconds;
  if (due) now_ = std::min(now_, *due);
}

void ScheduleRandomRun::Disturb(std::int64_t what) {
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
    site.unmanaged = Up(0, 2);
    story_.schedule.SetUnmanaged(fmt::format("node{}", node), Unmanaged(node));
  } else {
    QueueSettings& queue = queues_[Up(0, 1) == 0 ? "default" : "other"];
    queue.paused = !queue.paused && Up(0, 1) == 0;
    queue.node_selector.clear();
    if (Up(0, 1) == 0) queue.node_selector["zone"] = "a";
    story_.schedule.SetQueue(queue);
  }
}

cluster::Resources ScheduleRandomRun::Unmanaged(int node) const {
  cluster::Resources used;
  used.cpu_milli = 1'000 * sites_[node].unmanaged;
  return used;
}

void ScheduleRandomRun::Come() {
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
  std::int64_t pods = Up(1, kind_.reclaims ? 2 : 5);
  if (kind_.topology) pods = AddTopology(options);
  waiting_[id] = {fmt::format("{}x{}", pods, cpu), options, cpu};
  story_.schedule.Add(Group(story_, id));
}

std::int64_t ScheduleRandomRun::AddTopology(GroupOptions& options) {
  cluster::GroupTopology& topology = options.rules.topology;
  const std::int64_t pods = 2 * Up(1, 2);
  const std::int64_t what = Up(0, 7);
  if (what == 0) topology.whole_nodes = true;
  if (what == 1) topology.per_node = {2, false};
  if (what == 2) topology.per_node = {static_cast<int>(Up(1, 2)), true};
  if (what == 3 || what == 4) topology.required_parts = {{"host", 2}};
  if (what == 4 || what == 5) topology.required = "zone";
  if (what == 6) topology.preferred = "zone";
  return pods;
}

void ScheduleRandomRun::AddRules(GroupOptions& options) {
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

PendingGroup ScheduleRandomRun::Group(Story& story, GroupId id) const {
  const Waiting& waiting = waiting_.at(id);
  PendingGroup group = story.MakeGroup(id, waiting.pods, waiting.options);
  group.unsatisfiable = waiting.unsatisfiable;
  return group;
}

template <typename Map>
typename Map::iterator ScheduleRandomRun::Any(Map& map) {
  return std::next(map.begin(),
                   Up(0, static_cast<std::int64_t>(map.size()) - 1));
}

void ScheduleRandomRun::EndGroup() {
  if (running_.empty()) return;
  const auto it = Any(running_);
  while (!it->second.placed.members.empty()) TakeMember(it->second);
  EXPECT_TRUE(story_.schedule.Release(it->first, ""));
  running_.erase(it);
}

void ScheduleRandomRun::EndPod() {
  if (running_.empty()) return;
  const auto it = Any(running_);
  const std::string uid = it->second.placed.members.back().uid;
  TakeMember(it->second);
  it->second.whole = false;
  EXPECT_TRUE(story_.schedule.Release(it->first, uid));
  EXPECT_FALSE(story_.schedule.Release(it->first, uid));
  if (it->second.placed.members.empty()) running_.erase(it);
}

void ScheduleRandomRun::TakeMember(Running& running) {
  SiteOf(running.placed.members.back().node).held -= running.cpu;
  running.placed.members.pop_back();
}

void ScheduleRandomRun::Cancel() {
  if (waiting_.empty()) return;
  const auto it = Any(waiting_);
  EXPECT_TRUE(story_.schedule.Remove(it->first));
  waiting_.erase(it);
}

void ScheduleRandomRun::EndWhatIsDue() {
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

ScheduleRandomRun::Site& ScheduleRandomRun::SiteOf(const std::string& node) {
  return sites_[std::stoi(node.substr(4))];
}

}  // namespace fluxnetes::workers
