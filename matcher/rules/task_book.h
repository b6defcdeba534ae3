// The TaskRules in use, and the counts that they need. A *tracker* counts, per
// domain of a key, the tasks that some rules look for; a *spread* counts the
// tasks of a spread constraint. When rules are taken, they are linked with the
// counts that their tasks change and with those that they look at. So adding or
// removing a task costs one look-up per tracker that counts it.
//
// Counts are kept at several stages: kEmpty has only the tasks of other
// schedulers, kNow also those of jobs now, kEver also those of reservations;
// kThen is scratch for searches. Counts that only show whether a task is
// present are kept at kNow alone.
//
// Part of a NodeGraph; owned by its thread.
// Tests: tests/matcher/rules/task_rules_test.cc,
// tests/matcher/rules/task_rules_random_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "matcher/nodes/span_store.h"
#include "matcher/rules/domain_counts.h"
#include "matcher/rules/node_rules.h"

namespace fluxnetes::matcher {

enum class Stage { kEmpty, kNow, kEver, kThen };

using TrackerId = std::int32_t;
using SpreadId = std::int32_t;

struct Tracker {
  enum class Kind {
    kTaken,    // tasks that all of the selectors match
    kKeepers,  // tasks with anti-affinity to such tasks
    kPort,     // tasks that have the host port
  };

  std::string name;  // empty: unused
  int uses = 0;
  Kind kind = Kind::kTaken;
  bool blocks = false;  // its tasks exclude some tasks from their domain
  KeyId key = kEachNode;
  std::vector<TaskSelector> selectors;
  HostPort port;
  std::array<Presence, 4> at;  // [stage]

  Presence& At(Stage stage) { return at[static_cast<int>(stage)]; }
};

// The nodes that a spread constraint counts.
struct SpreadBase {
  std::string name;  // empty: unused
  int uses = 0;
  ShapeId shape = -1;
  bool affine = true;
  bool tolerated = false;
  KeyId key = kEachNode;
  std::vector<KeyId> keys;          // a node must have them all
  std::vector<std::int32_t> nodes;  // [domain]: counted nodes
  int domains = 0;                  // domains with a counted node
  NodeBits counted;
};

struct Spread {
  RulesId rules = kNoRules;  // kNoRules: unused
  int base = -1;
  KeyId key = kEachNode;
  std::vector<KeyId> keys;  // to give back
  TaskSelector selector;
  Skew::Bound bound;
  Skew now;
  Skew then;

  Skew& At(Stage stage) { return stage == Stage::kThen ? then : now; }
};

struct BookedRules {
  std::string key;  // empty: unused
  TaskRules asked;
  int uses = 0;
  bool unmanaged = false;  // some are tasks of other schedulers
  ShapeId shape = -1;
  // The counts that a task of these rules changes.
  std::vector<TrackerId> counts;
  std::vector<SpreadId> counts_spread;
  // The counts that these rules look at.
  std::vector<TrackerId> blocked_by;
  std::vector<TrackerId> needs;
  bool may_start = false;  // a task meets its own affinity
  std::vector<std::pair<TrackerId, int>> preferred;  // with their weights
  std::vector<SpreadId> spreads;
  std::vector<SpreadId> soft_spreads;
  std::vector<TrackerId> taken;  // to give back

  bool Alone() const {
    return blocked_by.empty() && needs.empty() && preferred.empty() &&
           spreads.empty() && soft_spreads.empty();
  }
};

class TaskBook {
 public:
  TaskBook(NodeLabels& labels, NodeShapes& shapes, NodeOrders& orders,
           const SpanStore& spans);

  // Throws std::invalid_argument for rules that Kubernetes would refuse.
  RulesId Take(const TaskRules& rules);
  void Keep(RulesId id) { ++rules_[id].uses; }
  void Give(RulesId id);
  bool Known(RulesId id) const {
    return id >= 0 && id < static_cast<RulesId>(rules_.size()) &&
           rules_[id].uses > 0;
  }
  const BookedRules& operator[](RulesId id) const { return rules_[id]; }
  Tracker& At(TrackerId id) { return trackers_[id]; }
  Spread& SpreadAt(SpreadId id) { return spreads_[id]; }
  int trackers() const { return static_cast<int>(trackers_.size()); }
  int spreads() const { return static_cast<int>(spreads_.size()); }
  NodeShapes& shapes() { return shapes_; }
  NodeSpace space() { return {labels_, orders_}; }

  // Adds `tasks` tasks of a span to the counts (negative: subtracts): at kNow
  // if `held`, at kEver if `ever`.
  void Count(const Span& span, int tasks, bool held, bool ever);
  // Replaces the tasks of other schedulers on the node.
  void SetUnmanaged(NodeIndex node, std::span<const RulesId> tasks);
  const std::vector<RulesId>& Unmanaged(NodeIndex node) const {
    return unmanaged_[node];
  }

  // Must be called before (Leave) and after (Enter) a change of the node's
  // labels, taints or name.
  void Leave(NodeIndex node);
  void Enter(NodeIndex node);

  void CountIn(TrackerId id, Stage stage, NodeIndex node, int tasks);
  void CountInSpread(SpreadId id, Stage stage, NodeIndex node, int tasks);

  // Returns what is counted now as text, for comparison.
  std::string Describe();

 private:
  void CountTask(RulesId id, NodeIndex node, int tasks, Stage stage);
  void CountNode(NodeIndex node, int sign);
  bool CountsFor(const Tracker& tracker, const TaskRules& rules) const;
  bool Blocks(const Tracker& tracker, const TaskRules& rules) const;
  TrackerId TakeTracker(Tracker&& wanted);
  void GiveTracker(TrackerId id);
  void CountAll(TrackerId id, RulesId rules);
  void TakeOwn(RulesId id);
  SpreadId TakeSpread(RulesId id, const SpreadConstraint& constraint,
                      const std::vector<std::string>& keys);
  int TakeBase(SpreadBase&& wanted);
  void Look(SpreadBase& base, NodeIndex node, bool present);
  void GiveSpread(SpreadId id);
  void BoundSpreads();
  // Calls `call` with the node, the tasks, whether they are of other
  // schedulers, and whether they are held now.
  template <typename Call>
  void ForEachPlaced(RulesId id, const Call& call) const {
    for (SpanId at = spans_.FirstOf(id); at >= 0; at = spans_[at].next_alike) {
      const Span& span = spans_[at];
      if (present_[span.node] == 0) continue;
      call(span.node, span.tasks, false, !span.ahead);
    }
    if (!rules_[id].unmanaged) return;
    for (std::size_t node = 0; node < unmanaged_.size(); ++node) {
      if (present_[node] == 0) continue;
      for (const RulesId each : unmanaged_[node]) {
        if (each == id) call(static_cast<NodeIndex>(node), 1, true, true);
      }
    }
  }

  NodeLabels& labels_;
  NodeShapes& shapes_;
  NodeOrders& orders_;
  const SpanStore& spans_;
  std::deque<BookedRules> rules_;
  std::vector<RulesId> unused_rules_;
  std::unordered_map<std::string, RulesId> by_key_;
  std::deque<Tracker> trackers_;
  std::vector<TrackerId> unused_trackers_;
  std::unordered_map<std::string, TrackerId> by_name_;
  std::deque<SpreadBase> bases_;
  std::vector<int> unused_bases_;
  std::unordered_map<std::string, int> base_by_name_;
  std::deque<Spread> spreads_;
  std::vector<SpreadId> unused_spreads_;
  std::vector<std::vector<RulesId>> unmanaged_;  // [node]
  std::vector<char> present_;  // [node]: between Enter() and Leave()
};

}  // namespace fluxnetes::matcher
