// What one job has booked: one booking for each vertex that it uses, in no
// order. A vertex that the walk reached by two edges has two.
//
// Few bookings are looked through. More are found by a hash of their vertex, in
// an index that is made at the first search: most jobs end without one. So
// finding, adding and removing a booking costs the same for every size of job.
//
// Owned by one thread. Adding and removing move bookings.
// Tests: tests/matcher/fluxion/job_bookings_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "matcher/graph/resource_graph.h"
#include "matcher/planner/plan_ids.h"

namespace fluxnetes::matcher {

// The bookings of a job at a vertex; 0: none.
struct Booking {
  VertexIndex vertex = kNoVertex;
  bool tagged = false;  // visited by the walk that booked
  bool cover = false;   // held with all below it, which is not booked
  // The job does not share the vertex above, so that one does not show that
  // something below it is in use.
  bool loose = false;
  PlanId plan = 0;
  PlanId sharing = 0;
  PlanId filter = 0;
};

class JobBookings {
 public:
  std::vector<Booking>::iterator begin() { return bookings_.begin(); }
  std::vector<Booking>::iterator end() { return bookings_.end(); }
  std::vector<Booking>::const_iterator begin() const {
    return bookings_.begin();
  }
  std::vector<Booking>::const_iterator end() const { return bookings_.end(); }
  std::size_t size() const { return bookings_.size(); }
  bool empty() const { return bookings_.empty(); }
  // Returns the booking that was added last, if none was removed since.
  Booking& back() { return bookings_.back(); }
  void reserve(std::size_t bookings) { bookings_.reserve(bookings); }
  void clear();

  Booking& Add(const Booking& booking);
  // Returns null if the vertex has none.
  const Booking* Find(VertexIndex v) const;
  Booking* Find(VertexIndex v);
  // Removes what Find() returns; there must be one.
  void Remove(VertexIndex v);

  // Returns how many places all searches have looked at, a measure of cost.
  std::int64_t looks() const { return looks_; }

 private:
  static constexpr std::int32_t kFree = -1;

  std::size_t Home(VertexIndex v) const;
  // Searches the slots from the home of `v` on for one whose place satisfies
  // `is`. There must be one.
  template <typename Is>
  std::size_t SlotWhere(VertexIndex v, Is is) const;
  void Put(std::int32_t place) const;
  void MakeIndex() const;
  void Free(std::size_t slot);

  std::vector<Booking> bookings_;
  // [slot]: a place in bookings_, at or behind the slot that is the home of its
  // vertex, with no free slot between; empty: not made. The size is a power of
  // 2 and at least twice that of bookings_.
  mutable std::vector<std::int32_t> slots_;
  mutable std::int64_t looks_ = 0;
};

}  // namespace fluxnetes::matcher
