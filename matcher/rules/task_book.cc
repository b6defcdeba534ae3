#include "matcher/rules/task_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fluxnetes::matcher {

TaskBook::TaskBook(NodeLabels& labels, NodeShapes& shapes, NodeOrders& orders,
                   const SpanStore& spans)
    : labels_(labels), shapes_(shapes), orders_(orders), spans_(spans) {}

void TaskBook::CountIn(TrackerId id, Stage stage, NodeIndex node, int tasks) {
  Tracker& tracker = trackers_[id];
  const DomainId domain = labels_.Domain(tracker.key, node);
  if (domain < 0) return;
  tracker.At(stage).Add(tracker.key, domain, tasks, space());
}

void TaskBook::CountInSpread(SpreadId id, Stage stage, NodeIndex node,
                             int tasks) {
  Spread& spread = spreads_[id];
  if (!bases_[spread.base].counted.Contains(node)) return;
  spread.At(stage).Add(spread.key, labels_.Domain(spread.key, node), tasks,
                       space());
}

void TaskBook::CountTask(RulesId id, NodeIndex node, int tasks, Stage stage) {
  const BookedRules& rules = rules_[id];
  for (const TrackerId tracker : rules.counts) {
    if (stage != Stage::kNow && !trackers_[tracker].blocks) continue;
    CountIn(tracker, stage, node, tasks);
  }
  if (stage != Stage::kNow) return;
  for (const SpreadId spread : rules.counts_spread) {
    CountInSpread(spread, stage, node, tasks);
  }
}

void TaskBook::Count(const Span& span, int tasks, bool held, bool ever) {
  if (span.rules == kNoRules || present_[span.node] == 0) return;
  if (held) CountTask(span.rules, span.node, tasks, Stage::kNow);
  if (ever) CountTask(span.rules, span.node, tasks, Stage::kEver);
}

void TaskBook::SetUnmanaged(NodeIndex node, std::span<const RulesId> tasks) {
  const auto count = [&](RulesId id, int sign) {
    if (present_[node] == 0) return;
    for (const Stage stage : {Stage::kEmpty, Stage::kNow, Stage::kEver}) {
      CountTask(id, node, sign, stage);
    }
  };
  const std::vector<RulesId> before = std::move(unmanaged_[node]);
  unmanaged_[node].assign(tasks.begin(), tasks.end());
  for (const RulesId id : unmanaged_[node]) {
    Keep(id);
    rules_[id].unmanaged = true;
    count(id, 1);
  }
  for (const RulesId id : before) {
    count(id, -1);
    Give(id);
  }
}

// Subtracts, or adds, all tasks on the node.
void TaskBook::CountNode(NodeIndex node, int sign) {
  for (SpanId id = spans_.First(node); id >= 0; id = spans_[id].next) {
    Count(spans_[id], sign * spans_[id].tasks, !spans_[id].ahead, true);
  }
  for (const RulesId id : unmanaged_[node]) {
    for (const Stage stage : {Stage::kEmpty, Stage::kNow, Stage::kEver}) {
      CountTask(id, node, sign, stage);
    }
  }
}

void TaskBook::Leave(NodeIndex node) {
  if (static_cast<std::size_t>(node) >= present_.size()) {
    present_.resize(node + 1);
    unmanaged_.resize(node + 1);
  }
  if (present_[node] == 0) return;
  CountNode(node, -1);
  present_[node] = 0;
  for (Tracker& tracker : trackers_) {
    for (Presence& presence : tracker.at) {
      presence.nodes().DropNode(node, orders_);
    }
  }
  for (Spread& spread : spreads_) spread.now.over().DropNode(node, orders_);
  for (SpreadBase& base : bases_) Look(base, node, false);
  BoundSpreads();
}

void TaskBook::BoundSpreads() {
  for (Spread& spread : spreads_) {
    if (spread.rules == kNoRules) continue;
    spread.bound.domains = bases_[spread.base].domains;
    spread.now.SetBound(spread.key, spread.bound, space());
  }
}

void TaskBook::Enter(NodeIndex node) {
  present_[node] = 1;
  for (SpreadBase& base : bases_) Look(base, node, true);
  BoundSpreads();
  for (Tracker& tracker : trackers_) {
    if (tracker.name.empty()) continue;
    const DomainId domain = labels_.Domain(tracker.key, node);
    if (domain < 0) continue;
    for (Presence& presence : tracker.at) {
      if (presence.At(domain) == 0) continue;
      presence.nodes().SetNode(node, domain, true, orders_);
    }
  }
  CountNode(node, 1);
  for (Spread& spread : spreads_) {
    if (spread.rules == kNoRules) continue;
    const DomainId domain = labels_.Domain(spread.key, node);
    if (domain < 0) continue;
    spread.now.Show(node, domain, orders_);
  }
}

std::string TaskBook::Describe() {
  std::set<std::string> lines;
  const auto add = [&](const std::string& name, const char* what, KeyId key,
                       const DomainCounts& counts) {
    for (const auto& [domain, count] : counts.entries()) {
      if (domain < 0 || count == 0) continue;
      lines.insert(fmt::format("{} {} {} {}={}\n", name, what,
                               labels_.KeyName(key),
                               labels_.DomainName(key, domain), count));
    }
  };
  constexpr const char* kStages[] = {"empty", "now", "ever"};
  for (Tracker& tracker : trackers_) {
    if (tracker.name.empty()) continue;
    for (int stage = 0; stage < 3; ++stage) {
      add(tracker.name, kStages[stage], tracker.key,
          tracker.at[stage].counts());
    }
  }
  for (Spread& spread : spreads_) {
    if (spread.rules == kNoRules) continue;
    add(rules_[spread.rules].key + KeyOf(spread.selector), "spread", spread.key,
        spread.now.counts());
  }
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace fluxnetes::matcher
