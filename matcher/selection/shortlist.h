// The vertices that a match for requests of one shape would choose from, best
// first, and when each of them is known to be of no use. With the shortlist a
// match looks at few vertices instead of walking the graph.
//
//   kVertices  "node[4]": vertices of the requested type
//   kParts     "slot[4]/node": vertices of the part's type, all children of the
//              one vertex that makes all slots; the slots take them in turn
//   kSlots     "slot[4]/core": the vertices (holders) that each make some of
//              the slots. The holder of the best next slot changes with every
//              match; a tree of bounds finds the holders that may have it.
//   kNone      requests that only a walk can serve
//
// Requests of one shape differ only in the count at the top and the duration.
// Keys are scores, with the sign changed where needed so that less is better.
//
// Part of a Selection; owned by its thread.
// Tests: tests/matcher/fluxion/matcher_plain_test.cc.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "matcher/graph/constraint.h"
#include "matcher/graph/resource_graph.h"
#include "matcher/planner/planner.h"
#include "matcher/selection/job_request.h"

namespace fluxnetes::matcher {

class Shortlist {
 public:
  enum class Kind { kNone, kVertices, kParts, kSlots };

  struct Item {
    EdgeIndex way = kNoEdge;  // the edge to the vertex
    VertexIndex vertex = kNoVertex;
    std::int64_t key = 0;      // exact; for a holder, no slot has less
    std::int64_t factors = 0;  // sum of the factors of the vertices above
    int depth = 0;
  };

  static constexpr std::int64_t kNothing =
      std::numeric_limits<std::int64_t>::max();

  // True if the count is a single number above 0.
  static bool IsFixed(const Count& count);

  Shortlist(Kind kind, const JobRequest& request, int vertices);

  Kind kind() const { return kind_; }
  bool Serves(const JobRequest& request) const;

  // While the list is made: adds items in the order of discovery, and the
  // vertices above them; then Finish() is called once.
  void Add(const Item& item) { items_.push_back(item); }
  void AddAbove(VertexIndex v) { places_[v] = kAbove; }
  void Finish();

  int size() const { return static_cast<int>(items_.size()); }
  const Item& item(int i) const { return items_[i]; }
  // -1: none.
  int ItemOf(VertexIndex v) const { return places_[v] < 0 ? -1 : places_[v]; }
  bool IsAbove(VertexIndex v) const { return places_[v] == kAbove; }

  // Returns the first item from `from` on that is not known to be of no use in
  // [at, end); -1 if there is none.
  int Next(int from, Time at, Time end) const;
  void RuleOut(int item, const Planner::Stretch& stretch);
  void Readmit(int item);

  // Returns the holder that may give the best slot: the first one with the
  // least key; -1 if no holder gives any.
  int Best() const;
  std::int64_t KeyOf(int holder) const { return tree_[leaves_ + holder]; }
  void SetKey(int holder, std::int64_t key);

  // What is known of a holder at one time.
  struct Holder {
    std::int64_t bound = 0;   // no slot that covers the time has less
    std::int64_t then = 0;    // `bound` once this turn's selection is booked
    std::int32_t slots = -1;  // over the duration; -1: not known
    std::uint64_t turn = 0;   // in which it was last looked at
    // its slots in that turn; `next` is the next to pick
    std::int32_t first = 0;
    std::int32_t next = 0;
    std::int32_t last = 0;
  };
  Holder& holder(int i) { return holders_[i]; }
  std::int64_t known_slots() const { return known_slots_; }
  void SetSlots(int holder, int slots);
  // Drops what is known if the time or the duration has changed.
  void ComeTo(Time at, Time duration, bool now, bool status);
  // Notes that something was booked at the holder, by the selection of a turn,
  // or released.
  void Changed(int holder, bool released, std::uint64_t turn = 0);
  void ForgetBounds();

  std::uint64_t position = 0;  // in the log of bookings
  std::vector<int> looked_at;  // holders, in this turn
  std::vector<int> unsettled;  // holders whose bound is too low

 private:
  static constexpr std::int32_t kUnknown = -1;
  static constexpr std::int32_t kAbove = -2;
  static constexpr int kBlock = 64;

  struct Times {
    Time from = 0;  // of no use in [from, to)
    Time to = 0;
  };
  void Summarize(int block);

  Kind kind_;
  bool fixed_ = true;  // all counts are
  std::vector<TypeId> types_;
  std::vector<Level> with_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::optional<bool>> exclusive_;
  Constraint constraint_;

  std::vector<Item> items_;
  std::vector<std::int32_t> places_;  // [vertex]
  std::vector<Times> times_;          // [item]
  std::vector<Times> blocks_;  // [item / 64]: times when all are of no use
  std::vector<Times> groups_;  // [block / 64]

  int leaves_ = 0;
  std::vector<std::int64_t> tree_;
  std::vector<Holder> holders_;
  std::int64_t known_slots_ = 0;
  Time at_ = -1;
  Time duration_ = -1;
  bool now_ = false;
  bool status_ = true;
};

}  // namespace fluxnetes::matcher
