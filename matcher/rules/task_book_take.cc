#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "matcher/rules/task_book.h"

namespace fluxnetes::matcher {
namespace {

std::string NameOf(const Tracker& tracker, const std::string& topology_key) {
  std::string name = fmt::format("{}{}{}", static_cast<int>(tracker.kind),
                                 tracker.blocks ? "!" : "?", topology_key);
  for (const TaskSelector& selector : tracker.selectors) {
    name += "&" + KeyOf(selector);
  }
  if (tracker.kind == Tracker::Kind::kPort) name += KeyOf(tracker.port);
  return name;
}

Tracker TrackerOf(Tracker::Kind kind, bool blocks,
                  std::vector<TaskSelector> selectors) {
  Tracker tracker;
  tracker.kind = kind;
  tracker.blocks = blocks;
  tracker.selectors = std::move(selectors);
  return tracker;
}

void Check(const TaskRules& rules) {
  const auto keyed = [](const AffinityTerm& term) {
    return !term.topology_key.empty();
  };
  const bool fine =
      std::ranges::all_of(rules.affinity, keyed) &&
      std::ranges::all_of(rules.anti_affinity, keyed) &&
      std::ranges::all_of(rules.preferred, [&](const WeightedTerm& each) {
        return keyed(each.term);
      });
  if (!fine) throw std::invalid_argument("a term has no topology key");
  for (const SpreadConstraint& each : rules.spread) {
    if (each.topology_key.empty() || each.max_skew < 1 ||
        each.min_domains < 1) {
      throw std::invalid_argument(
          "a spread constraint has no key, or a skew or domains below 1");
    }
  }
}

template <typename Id>
void Append(std::vector<Id>& ids, Id id) {
  if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
}

}  // namespace

bool TaskBook::CountsFor(const Tracker& tracker, const TaskRules& rules) const {
  switch (tracker.kind) {
    case Tracker::Kind::kTaken:
      return std::ranges::all_of(
          tracker.selectors,
          [&](const TaskSelector& each) { return Takes(each, rules); });
    case Tracker::Kind::kKeepers:
      return std::ranges::any_of(
          rules.anti_affinity, [&](const AffinityTerm& term) {
            return term.selector == tracker.selectors[0] &&
                   term.topology_key == labels_.KeyName(tracker.key);
          });
    default:
      return std::ranges::any_of(rules.host_ports, [&](const HostPort& port) {
        return KeyOf(port) == KeyOf(tracker.port);
      });
  }
}

// True if the tracker's tasks block those of the rules, other than by a term of
// the rules themselves.
bool TaskBook::Blocks(const Tracker& tracker, const TaskRules& rules) const {
  if (tracker.kind == Tracker::Kind::kKeepers) {
    return Takes(tracker.selectors[0], rules);
  }
  return tracker.kind == Tracker::Kind::kPort &&
         std::ranges::any_of(rules.host_ports, [&](const HostPort& port) {
           return Conflict(port, tracker.port);
         });
}

void TaskBook::CountAll(TrackerId id, RulesId rules) {
  ForEachPlaced(rules,
                [&](NodeIndex node, int tasks, bool unmanaged, bool held) {
                  if (held) CountIn(id, Stage::kNow, node, tasks);
                  if (!trackers_[id].blocks) return;
                  if (unmanaged) CountIn(id, Stage::kEmpty, node, tasks);
                  CountIn(id, Stage::kEver, node, tasks);
                });
}

TrackerId TaskBook::TakeTracker(Tracker&& wanted) {
  const std::string name = NameOf(wanted, labels_.KeyName(wanted.key));
  const auto [place, added] = by_name_.try_emplace(name, 0);
  if (!added) {
    labels_.GiveKey(wanted.key);
    ++trackers_[place->second].uses;
    return place->second;
  }
  auto id = static_cast<TrackerId>(trackers_.size());
  if (unused_trackers_.empty()) {
    trackers_.emplace_back();
  } else {
    id = unused_trackers_.back();
    unused_trackers_.pop_back();
  }
  place->second = id;
  trackers_[id] = std::move(wanted);
  Tracker& tracker = trackers_[id];
  tracker.name = name;
  tracker.uses = 1;
  for (const auto& [key, each] : by_key_) {
    BookedRules& rules = rules_[each];
    if (CountsFor(tracker, rules.asked)) {
      rules.counts.push_back(id);
      CountAll(id, each);
    }
    if (Blocks(tracker, rules.asked)) Append(rules.blocked_by, id);
  }
  return id;
}

void TaskBook::GiveTracker(TrackerId id) {
  Tracker& tracker = trackers_[id];
  if (--tracker.uses > 0) return;
  for (const auto& [key, each] : by_key_) {
    std::erase(rules_[each].counts, id);
    std::erase(rules_[each].blocked_by, id);
  }
  by_name_.erase(tracker.name);
  labels_.GiveKey(tracker.key);
  tracker = {};
  unused_trackers_.push_back(id);
}

RulesId TaskBook::Take(const TaskRules& asked) {
  const std::string key = KeyOf(asked);
  if (const auto known = by_key_.find(key); known != by_key_.end()) {
    ++rules_[known->second].uses;
    return known->second;
  }
  Check(asked);
  auto id = static_cast<RulesId>(rules_.size());
  if (unused_rules_.empty()) {
    rules_.emplace_back();
  } else {
    id = unused_rules_.back();
    unused_rules_.pop_back();
  }
  by_key_.emplace(key, id);
  BookedRules& rules = rules_[id];
  rules.key = key;
  rules.asked = asked;
  rules.uses = 1;
  rules.shape = shapes_.Take(asked.node);
  for (TrackerId each = 0; each < trackers(); ++each) {
    const Tracker& tracker = trackers_[each];
    if (tracker.name.empty()) continue;
    if (CountsFor(tracker, asked)) rules.counts.push_back(each);
    if (Blocks(tracker, asked)) rules.blocked_by.push_back(each);
  }
  for (SpreadId each = 0; each < spreads(); ++each) {
    const Spread& spread = spreads_[each];
    if (spread.rules != kNoRules && Takes(spread.selector, asked)) {
      rules.counts_spread.push_back(each);
    }
  }
  TakeOwn(id);
  return id;
}

void TaskBook::TakeOwn(RulesId id) {
  using Kind = Tracker::Kind;
  BookedRules& rules = rules_[id];
  const auto take = [&](Tracker tracker, const std::string& topology_key) {
    tracker.key =
        topology_key.empty() ? kEachNode : labels_.TakeKey(topology_key);
    rules.taken.push_back(TakeTracker(std::move(tracker)));
    return rules.taken.back();
  };
  for (const AffinityTerm& term : rules.asked.anti_affinity) {
    Append(rules.blocked_by,
           take(TrackerOf(Kind::kTaken, true, {term.selector}),
                term.topology_key));
    take(TrackerOf(Kind::kKeepers, true, {term.selector}), term.topology_key);
  }
  for (const HostPort& port : rules.asked.host_ports) {
    Tracker tracker = TrackerOf(Kind::kPort, true, {});
    tracker.port = port;
    take(std::move(tracker), "");
  }
  std::vector<TaskSelector> all;
  for (const AffinityTerm& term : rules.asked.affinity) {
    all.push_back(term.selector);
  }
  rules.may_start = std::ranges::all_of(
      all, [&](const TaskSelector& each) { return Takes(each, rules.asked); });
  for (const AffinityTerm& term : rules.asked.affinity) {
    Append(rules.needs,
           take(TrackerOf(Kind::kTaken, false, all), term.topology_key));
  }
  for (const WeightedTerm& each : rules.asked.preferred) {
    const TrackerId tracker =
        take(TrackerOf(Kind::kTaken, false, {each.term.selector}),
             each.term.topology_key);
    rules.preferred.emplace_back(tracker, each.weight);
  }
  std::vector<std::string> keys;
  for (const SpreadConstraint& each : rules.asked.spread) {
    if (each.required) Append(keys, each.topology_key);
  }
  for (const SpreadConstraint& each : rules.asked.spread) {
    (each.required ? rules.spreads : rules.soft_spreads)
        .push_back(TakeSpread(id, each, keys));
  }
}

void TaskBook::Give(RulesId id) {
  BookedRules& rules = rules_[id];
  if (--rules.uses > 0) return;
  by_key_.erase(rules.key);
  for (const SpreadId spread : rules.spreads) GiveSpread(spread);
  for (const SpreadId spread : rules.soft_spreads) GiveSpread(spread);
  for (const TrackerId tracker : rules.taken) GiveTracker(tracker);
  shapes_.Give(rules.shape);
  rules = {};
  unused_rules_.push_back(id);
}

}  // namespace fluxnetes::matcher
