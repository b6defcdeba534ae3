// A hash table that finds numbers. The key of each number is kept elsewhere, by
// number. Eight bytes a slot, in one array.
//
// Owned by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fluxnetes::matcher {

class HashIndex {
 public:
  // Returns the number that was added with this hash and for which `is` holds;
  // -1 if there is none.
  template <typename Is>
  std::int32_t Find(std::size_t hash, Is is) const {
    if (slots_.empty()) return kNone;
    const std::uint32_t short_hash = Shorten(hash);
    for (std::size_t at = short_hash & mask_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.number == kNone) return kNone;
      if (slot.hash == short_hash && is(slot.number)) return slot.number;
    }
  }

  void Add(std::size_t hash, std::int32_t number) {
    constexpr std::size_t kLeast = 16;
    if (4 * (count_ + 1) > 3 * slots_.size()) {
      std::vector<Slot> old(slots_.empty() ? kLeast : 2 * slots_.size());
      old.swap(slots_);
      mask_ = slots_.size() - 1;
      for (const Slot& slot : old) {
        if (slot.number != kNone) Put(slot);
      }
    }
    Put({Shorten(hash), number});
    ++count_;
  }

 private:
  static constexpr std::int32_t kNone = -1;
  struct Slot {
    std::uint32_t hash = 0;
    std::int32_t number = kNone;
  };

  // Spreads the hashes, which may be consecutive numbers.
  static std::uint32_t Shorten(std::size_t hash) {
    return static_cast<std::uint32_t>(
        (std::uint64_t{hash} * 0x9e3779b97f4a7c15) >> 32);
  }
  void Put(const Slot& slot) {
    std::size_t at = slot.hash & mask_;
    while (slots_[at].number != kNone) at = (at + 1) & mask_;
    slots_[at] = slot;
  }

  std::vector<Slot> slots_;  // the size is a power of 2
  std::size_t mask_ = 0;
  std::size_t count_ = 0;
};

}  // namespace fluxnetes::matcher
