// Things that are added and removed, found by ids. An id encodes the place of
// its thing, and a place that is reused gets another id.
//
// Owned by one thread.
// Tests: tests/matcher/planner/planner_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fluxnetes::matcher {

using PlanId = std::int64_t;  // a span in its planner; above 0

template <typename Thing>
class PlanIds {
 public:
  PlanId Add(const Thing& thing) {
    if (unused_.empty()) {
      const auto id = static_cast<PlanId>(things_.size()) + 1;
      things_.push_back({id, thing});
      return id;
    }
    const PlanId id = unused_.back();
    unused_.pop_back();
    things_[PlaceOf(id)] = {id, thing};
    return id;
  }
  void Remove(PlanId id) {
    things_[PlaceOf(id)].id = 0;
    unused_.push_back(id + kPlaces);
  }
  // Returns null if there is none.
  const Thing* Find(PlanId id) const {
    if (id <= 0 || PlaceOf(id) >= things_.size()) return nullptr;
    const Entry& entry = things_[PlaceOf(id)];
    return entry.id == id ? &entry.thing : nullptr;
  }
  Thing* Find(PlanId id) {
    return const_cast<Thing*>(static_cast<const PlanIds*>(this)->Find(id));
  }
  void Clear() {
    things_.clear();
    unused_.clear();
  }
  int size() const { return static_cast<int>(things_.size() - unused_.size()); }

  // The size of an array that is parallel to the things.
  std::size_t places() const { return things_.size(); }
  static std::size_t PlaceOf(PlanId id) {
    return static_cast<std::size_t>((id - 1) % kPlaces);
  }

 private:
  static constexpr PlanId kPlaces = PlanId{1} << 32;

  struct Entry {
    PlanId id = 0;  // 0: unused
    [[no_unique_address]] Thing thing;
  };

  std::vector<Entry> things_;   // [place]
  std::vector<PlanId> unused_;  // the ids that unused places get next
};

}  // namespace fluxnetes::matcher
