// Ids of things that come and go, each with a place in an array: an id tells
// its place, a place that is used again gets another id.
//
// Owned by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fluxnetes::matcher {

using PlanId = std::int64_t;  // of a span in its planner, above 0

class PlanIds {
 public:
  PlanId Take() {
    if (unused_.empty()) {
      ids_.push_back(static_cast<PlanId>(ids_.size()) + 1);
      return ids_.back();
    }
    const PlanId id = unused_.back();
    unused_.pop_back();
    ids_[PlaceOf(id)] = id;
    return id;
  }
  void Free(PlanId id) {
    ids_[PlaceOf(id)] = 0;
    unused_.push_back(id + kPlaces);
  }
  bool Has(PlanId id) const {
    return id > 0 && PlaceOf(id) < ids_.size() && ids_[PlaceOf(id)] == id;
  }
  // The array that goes with the ids has this many places.
  std::size_t places() const { return ids_.size(); }
  int size() const { return static_cast<int>(ids_.size() - unused_.size()); }

  static std::size_t PlaceOf(PlanId id) {
    return static_cast<std::size_t>((id - 1) % kPlaces);
  }

 private:
  static constexpr PlanId kPlaces = PlanId{1} << 32;

  std::vector<PlanId> ids_;     // [place], 0: unused
  std::vector<PlanId> unused_;  // what their places are called next
};

}  // namespace fluxnetes::matcher
