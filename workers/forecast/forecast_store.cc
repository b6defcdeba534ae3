#include "workers/forecast/forecast_store.h"

#include <fmt/format.h>

#include <algorithm>

namespace fluxnetes::workers {

ForecastStore::ForecastStore(const ComponentSnapshot& snapshot,
                             matcher::Time now)
    : snapshot_(snapshot), begin_(now), now_(now) {
  for (const QueueSettings& queue : snapshot.queues)
    assumed_[queue.name] = queue.assumed_duration;
  for (const auto& [id, holder] : snapshot.holders) {
    if (holder.of_another_component) others_.insert(id);
    auto end =
        PlannedEnd(holder.held.queue, holder.held.start, holder.held.end);
    if (end && *end <= now) end = now + std::max<matcher::Time>(now - *end, 1);
    Ends(id, end);
  }
  for (PoolHold hold : snapshot.pools_elsewhere) {
    if (hold.end && *hold.end <= now)
      hold.end = now + std::max<matcher::Time>(now - *hold.end, 1);
    Ends(hold.group, hold.end);
    pools_elsewhere_.push_back(std::move(hold));
  }
  for (const auto& [id, group] : snapshot.waiting) {
    if (group.unsatisfiable) unsatisfiable_.insert(id);
    if (group.start_by && *group.start_by > now)
      events_.emplace(*group.start_by, id, true);
  }
  for (const Reservation& reserved : snapshot.promised)
    promised_[reserved.group] = reserved.start;
}

std::optional<matcher::Time> ForecastStore::PlannedEnd(
    const std::string& queue, matcher::Time start,
    std::optional<matcher::Time> end) const {
  if (end) return end;
  const auto assumed = assumed_.find(queue);
  if (assumed == assumed_.end() || !assumed->second) return std::nullopt;
  return start + std::max<matcher::Time>(*assumed->second, 1);
}

void ForecastStore::Ends(GroupId group, std::optional<matcher::Time> end) {
  if (end) {
    events_.emplace(*end, group, false);
  } else {
    endless_.insert(group);
  }
}

std::optional<matcher::Time> ForecastStore::NextEvent() const {
  if (events_.empty()) return std::nullopt;
  return std::get<0>(events_.top());
}

void ForecastStore::AdvanceTo(matcher::Time now) {
  now_ = now;
  freed_.clear();
  while (!events_.empty() && std::get<0>(events_.top()) <= now) {
    const auto [time, group, is_given_up] = events_.top();
    events_.pop();
    if (is_given_up && starts_.contains(group)) continue;
    const auto evicted = evicted_.find(group);
    if (evicted != evicted_.end() && std::exchange(evicted->second, true))
      continue;
    Free(group);
    gone_.push_back(group);
  }
}

void ForecastStore::Free(GroupId group) {
  others_.erase(group);
  promised_.erase(group);
  const auto holder = snapshot_.holders.find(group);
  if (holder != snapshot_.holders.end()) {
    for (const PlacedMember& member : holder->second.held.members)
      freed_.emplace(member.node, group);
    for (const auto& [pool, amount] : holder->second.held.pools)
      freed_.emplace(kPoolPrefix + pool, group);
  }
  const auto placed = placed_.find(group);
  if (placed == placed_.end()) return;
  for (const std::string& node : placed->second) freed_.emplace(node, group);
  placed_.erase(placed);
}

std::optional<GroupId> ForecastStore::Endless(GroupId besides) const {
  for (const GroupId group : endless_)
    if (group != besides) return group;
  return std::nullopt;
}

std::string ForecastStore::NameOf(GroupId group) const {
  const auto waiting = snapshot_.waiting.find(group);
  if (waiting != snapshot_.waiting.end())
    return waiting->second.namespace_name + "/" + waiting->second.name;
  const auto holder = snapshot_.holders.find(group);
  return holder == snapshot_.holders.end() || holder->second.name.empty()
             ? "a group"
             : holder->second.name;
}

const cluster::PodRequest* ForecastStore::RequestIn(
    const RequestMaker& requests, const cluster::PodRequest* request) {
  const cluster::PodRequest*& same = requests_[request];
  if (same == nullptr) same = requests(snapshot_.requests->TextOf(request));
  return same;
}

Held ForecastStore::HeldIn(const RequestMaker& requests, const Held& held) {
  Held copy = held;
  for (PlacedMember& member : copy.members)
    member.request = RequestIn(requests, member.request);
  return copy;
}

MatchStore::News ForecastStore::Load(const RequestMaker& requests) {
  News news;
  news.queues = snapshot_.queues;
  news.maintenance = snapshot_.maintenance;
  news.accounts = snapshot_.accounts;
  news.used = snapshot_.used;
  news.elsewhere = snapshot_.elsewhere;
  news.pools = snapshot_.pools;
  news.pools_elsewhere = pools_elsewhere_;
  for (const auto& [id, holder] : snapshot_.holders)
    if (!holder.of_another_component)
      news.held.push_back(HeldIn(requests, holder.held));
  for (const auto& [id, group] : snapshot_.waiting) {
    news.waiting.push_back(group);
    for (Member& member : news.waiting.back().members)
      member.request = RequestIn(requests, member.request);
  }
  news.promised = snapshot_.promised;
  return news;
}

std::vector<Held> ForecastStore::ReadHoldersOfOthers(
    const RequestMaker& requests, const Names&) {
  std::vector<Held> held;
  for (const GroupId group : others_)
    held.push_back(HeldIn(requests, snapshot_.holders.at(group).held));
  return held;
}

MatchStore::News ForecastStore::Take(const RequestMaker& requests,
                                     const std::set<GroupId>& of_others) {
  News news;
  news.changed = std::exchange(gone_, {});
  if (std::erase_if(pools_elsewhere_, [this](const PoolHold& hold) {
        return hold.end && *hold.end <= now_;
      }) > 0)
    news.pools_elsewhere = pools_elsewhere_;
  if (!of_others.empty()) news.of_others = ReadHoldersOfOthers(requests, {});
  return news;
}

std::set<GroupId> ForecastStore::Commit(const Decision& decision,
                                        cluster::Time) {
  for (const Verdict& verdict : decision.verdicts) {
    if (verdict.unsatisfiable) {
      unsatisfiable_.insert(verdict.group);
    } else {
      unsatisfiable_.erase(verdict.group);
    }
  }
  for (const Eviction& eviction : decision.evicted) {
    evicted_[eviction.group] = false;
    endless_.erase(eviction.group);
    Ends(eviction.group, eviction.end);
  }
  for (const GroupId group : decision.unreserved) promised_.erase(group);
  for (const Reservation& reserved : decision.reserved)
    promised_[reserved.group] = reserved.start;
  for (const Placed& placed : decision.placed) {
    starts_[placed.group] = {now_, WhatFor(placed)};
    std::vector<std::string>& nodes = placed_[placed.group];
    for (const PlacedMember& member : placed.members) {
      if (nodes.empty() || nodes.back() != member.node)
        nodes.push_back(member.node);
    }
    for (const auto& [pool, amount] : placed.pools)
      nodes.push_back(kPoolPrefix + pool);
    const auto end = PlannedEnd(placed.queue, placed.start, placed.end);
    Ends(placed.group, end ? std::max(*end, now_ + 1) : end);
    on_start(placed.group);
  }
  return {};
}

// The event at this instant that made room for the placement.
std::string ForecastStore::WhatFor(const Placed& placed) const {
  if (now_ == begin_) return "there is room for it now";
  std::optional<GroupId> gave;
  for (const PlacedMember& member : placed.members) {
    const auto freed = freed_.find(member.node);
    if (freed != freed_.end() && (!gave || freed->second < *gave))
      gave = freed->second;
  }
  for (const auto& [pool, amount] : placed.pools) {
    const auto freed = freed_.find(kPoolPrefix + pool);
    if (freed != freed_.end() && (!gave || freed->second < *gave))
      gave = freed->second;
  }
  if (gave) return HowItEnds(*gave);
  if (snapshot_.waiting.at(placed.group).start_after == now_)
    return "it does not start before (fluxnetes.start-after)";
  if (std::ranges::any_of(snapshot_.maintenance, [this](const auto& window) {
        return window.end == now_;
      }))
    return "maintenance of nodes is over";
  return "groups before it start and end as planned";
}

std::string ForecastStore::HowItEnds(GroupId group) const {
  const auto holder = snapshot_.holders.find(group);
  if (evicted_.contains(group) || (holder != snapshot_.holders.end() &&
                                   holder->second.held.evicted_for != 0))
    return fmt::format("{} is evicted", NameOf(group));
  if (holder == snapshot_.holders.end())
    return fmt::format("{} starts before it and ends as planned",
                       NameOf(group));
  const auto& end = holder->second.held.end;
  if (end && *end <= begin_)
    return fmt::format("{} ends, which is past its deadline", NameOf(group));
  return fmt::format(
      "{} ends {}", NameOf(group),
      end ? "by its deadline" : "as its queue assumes (assumed_duration)");
}

}  // namespace fluxnetes::workers
