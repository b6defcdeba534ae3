// What could serve requests of one shape: the vertices, best first, that a
// match would choose from, and what is known of when each of them is of no use.
// A match then looks at few of them instead of walking the graph.
//
//   kVertices  "node[4]": vertices of the type that is asked for
//   kParts     "slot[4]/node": the same, of the one vertex whose children make
//              up all slots; slots take them in turn
//   kSlots     "slot[4]/core": the vertices (holders) that each make some of
//              the slots. Which of them gives the best next slot changes with
//              every match: a tree of bounds knows who may.
//   kNone      requests that only a walk can serve
//
// Shapes differ in all but the number that is asked for at the top and the
// duration. Keys are scores by which less is better.
//
// Part of a Selection; owned by its thread.
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
    EdgeIndex way = kNoEdge;  // to the vertex
    VertexIndex vertex = kNoVertex;
    std::int64_t key = 0;      // exact; of a holder: no slot has less
    std::int64_t factors = 0;  // of the vertices above
    int depth = 0;
  };

  static constexpr std::int64_t kNothing =
      std::numeric_limits<std::int64_t>::max();

  // A number that there is to be, neither more nor less, and not none.
  static bool IsFixed(const Count& count);

  Shortlist(Kind kind, const JobRequest& request, int vertices);

  Kind kind() const { return kind_; }
  bool Serves(const JobRequest& request) const;

  // While it is made: items in the order of discovery, vertices that lead to
  // them. Then once Finish().
  void Add(const Item& item) { items_.push_back(item); }
  void AddAbove(VertexIndex v) { places_[v] = kAbove; }
  void Finish();

  int size() const { return static_cast<int>(items_.size()); }
  const Item& item(int i) const { return items_[i]; }
  // -1: none.
  int ItemOf(VertexIndex v) const { return places_[v] < 0 ? -1 : places_[v]; }
  bool IsAbove(VertexIndex v) const { return places_[v] == kAbove; }

  // The first item from `from` on that is not known to be of no use in
  // [at, end); -1: none.
  int Next(int from, Time at, Time end) const;
  void RuleOut(int item, const Planner::Stretch& stretch);
  void Readmit(int item);

  // The holder that may give the best slot: the first of those with the least
  // key; -1 if none gives any.
  int Best() const;
  std::int64_t KeyOf(int holder) const { return tree_[leaves_ + holder]; }
  void SetKey(int holder, std::int64_t key);

  // What holders are known to give at one time.
  struct Holder {
    std::int64_t bound = 0;   // no slot that covers the time has less
    std::int64_t then = 0;    // the same once this turn's choice is booked
    std::int32_t slots = -1;  // over the duration; -1: not known
    std::uint64_t turn = 0;   // in which it was looked at
    std::int32_t first = 0;   // its slots then, of which `next` is the next
    std::int32_t next = 0;
    std::int32_t last = 0;
  };
  Holder& holder(int i) { return holders_[i]; }
  std::int64_t known_slots() const { return known_slots_; }
  void SetSlots(int holder, int slots);
  // Takes what is known to be of another time, or duration.
  void ComeTo(Time at, Time duration, bool now, bool status);
  // Something came to the holder by the choice of a turn, or went.
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
  bool fixed_ = true;  // all numbers are
  std::vector<TypeId> types_;
  std::vector<Level> with_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::optional<bool>> exclusive_;
  Constraint constraint_;

  std::vector<Item> items_;
  std::vector<std::int32_t> places_;  // [vertex]
  std::vector<Times> times_;          // [item]
  std::vector<Times> blocks_;  // [item / 64]: of no use in all of [from, to)
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
