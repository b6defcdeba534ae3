#include "matcher/fluxion/job_bookings.h"

#include <bit>
#include <cassert>
#include <utility>

namespace fluxnetes::matcher {
namespace {

constexpr std::size_t kLookedThrough = 8;

}  // namespace

void JobBookings::clear() {
  bookings_.clear();
  slots_.clear();
}

Booking& JobBookings::Add(const Booking& booking) {
  bookings_.push_back(booking);
  if (2 * bookings_.size() <= slots_.size()) {
    Put(static_cast<std::int32_t>(bookings_.size()) - 1);
  } else if (!slots_.empty()) {
    MakeIndex();
  }
  return bookings_.back();
}

const Booking* JobBookings::Find(VertexIndex v) const {
  if (slots_.empty() && bookings_.size() > kLookedThrough) MakeIndex();
  if (slots_.empty()) {
    for (const Booking& booking : bookings_) {
      ++looks_;
      if (booking.vertex == v) return &booking;
    }
    return nullptr;
  }
  const std::int32_t place = slots_[SlotWhere(v, [&](std::int32_t at) {
    return at == kFree || bookings_[at].vertex == v;
  })];
  return place == kFree ? nullptr : &bookings_[place];
}

Booking* JobBookings::Find(VertexIndex v) {
  return const_cast<Booking*>(std::as_const(*this).Find(v));
}

void JobBookings::Remove(VertexIndex v) {
  const Booking* found = Find(v);
  assert(found != nullptr);
  const auto place = static_cast<std::int32_t>(found - bookings_.data());
  const auto last = static_cast<std::int32_t>(bookings_.size()) - 1;
  const auto leads_to = [](std::int32_t to) {
    return [to](std::int32_t at) { return at == to; };
  };
  if (!slots_.empty()) {
    Free(SlotWhere(v, leads_to(place)));
    if (place != last) {
      slots_[SlotWhere(bookings_[last].vertex, leads_to(last))] = place;
    }
  }
  bookings_[place] = bookings_[last];
  bookings_.pop_back();
}

// Spreads the vertices, which are often consecutive.
std::size_t JobBookings::Home(VertexIndex v) const {
  const auto spread = static_cast<std::uint64_t>(v) * 0x9e3779b97f4a7c15;
  return static_cast<std::size_t>(spread >> 32) & (slots_.size() - 1);
}

template <typename Is>
std::size_t JobBookings::SlotWhere(VertexIndex v, Is is) const {
  std::size_t slot = Home(v);
  for (++looks_; !is(slots_[slot]); ++looks_) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

void JobBookings::Put(std::int32_t place) const {
  slots_[SlotWhere(bookings_[place].vertex,
                   [](std::int32_t at) { return at == kFree; })] = place;
}

void JobBookings::MakeIndex() const {
  slots_.assign(std::bit_ceil(4 * bookings_.size()), kFree);
  for (std::size_t i = 0; i < bookings_.size(); ++i) {
    Put(static_cast<std::int32_t>(i));
  }
}

// Frees the slot and moves others into the gap, so that none is behind a free
// slot from its home on.
void JobBookings::Free(std::size_t slot) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t next = (slot + 1) & mask; slots_[next] != kFree;
       next = (next + 1) & mask) {
    ++looks_;
    const std::size_t home = Home(bookings_[slots_[next]].vertex);
    if (((next - home) & mask) < ((next - slot) & mask)) continue;
    slots_[slot] = slots_[next];
    slot = next;
  }
  slots_[slot] = kFree;
}

}  // namespace fluxnetes::matcher
