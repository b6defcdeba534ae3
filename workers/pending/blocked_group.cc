#include "workers/pending/blocked_group.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace fluxnetes::workers {
namespace {

using enum ReservationState;

struct Arrow {
  ReservationState from;
  ReservationState to;
};

constexpr Arrow kArrows[] = {
    // After a restart groups keep what they were told.
    {kUnplanned, kRemembered},
    // The first plan: an earliest start, a drain set where nothing that runs
    // has an end, or nothing where empty nodes would not help.
    {kUnplanned, kBooked},
    {kUnplanned, kDraining},
    {kUnplanned, kUnplaced},
    // All that were remembered are booked before anything is planned, so that
    // no plan takes the nodes of another. Some cannot be any more.
    {kRemembered, kBooked},
    {kRemembered, kWithdrawn},
    // Room came free: it starts earlier (compression). It never starts later.
    {kBooked, kBooked},
    // A queue that keeps its reservations does not give up the nodes before
    // the group's turn, lest another starts there.
    {kBooked, kDue},
    // It must not stand against a group ahead of it that may fit now or is
    // planned anew.
    {kBooked, kWithdrawn},
    {kDraining, kWithdrawn},
    {kUnplaced, kUnplanned},
    // At its turn: it starts, or else is planned anew.
    {kDue, kWithdrawn},
    // As it was or better; or later, for what broke it.
    {kWithdrawn, kBooked},
    // No start is known any more, or the start passed in vain.
    {kWithdrawn, kDraining},
    {kWithdrawn, kUnplaced},
};

constexpr std::string_view kNames[] = {"unplanned", "remembered", "booked",
                                       "due",       "draining",   "unplaced",
                                       "withdrawn"};

constexpr bool HasArrow(ReservationState from, ReservationState to) {
  return std::any_of(
      std::begin(kArrows), std::end(kArrows),
      [&](const Arrow& arrow) { return arrow.from == from && arrow.to == to; });
}

// A state without nodes has no reservation to withdraw or to book again.
constexpr bool HasNodes(ReservationState state) {
  return state != kUnplanned && state != kUnplaced;
}

}  // namespace

std::string_view ToString(ReservationState state) {
  return kNames[static_cast<std::size_t>(state)];
}

bool BlockedGroup::MayGo(ReservationState from, ReservationState to) {
  return HasArrow(from, to);
}

void BlockedGroup::Go(ReservationState to) {
  assert(MayGo(state_, to));
  assert(HasNodes(to) == reserved_.has_value());
  state_ = to;
}

void BlockedGroup::SetNodes(std::optional<ReservedNodes> reserved) {
  if (reserved_ == reserved) return;
  reserved_ = std::move(reserved);
  reported_ = false;
}

bool BlockedGroup::Stands() const {
  return IsBooked() || state_ == kDraining || state_ == kUnplaced;
}

void BlockedGroup::Remember(ReservedNodes reserved) {
  SetNodes(std::move(reserved));
  Go(kRemembered);
  // It has not been compared with what is free now.
  MarkImprovable();
}

void BlockedGroup::Book(ReservedNodes reserved) {
  assert(reserved.start);
  SetNodes(std::move(reserved));
  Go(kBooked);
}

void BlockedGroup::Drain(ReservedNodes reserved) {
  assert(!reserved.start);
  SetNodes(std::move(reserved));
  Go(kDraining);
}

void BlockedGroup::FindNothing() {
  SetNodes(std::nullopt);
  Go(kUnplaced);
}

void BlockedGroup::Set(std::optional<ReservedNodes> found) {
  if (!found) return FindNothing();
  found->start ? Book(*std::move(found)) : Drain(*std::move(found));
}

void BlockedGroup::FailToBook() {
  if (state_ == kRemembered) Go(kWithdrawn);
}

void BlockedGroup::Withdraw() {
  if (Stands()) Go(state_ == kUnplaced ? kUnplanned : kWithdrawn);
}

void BlockedGroup::ComeDue() {
  // Once more in each cycle until its turn.
  if (!IsDue()) Go(kDue);
}

void BlockedGroup::LoseNodes() {
  assert(reserved_ && !reserved_->start);
  reserved_->nodes.clear();
  MarkImprovable();
}

void BlockedGroup::MarkImprovable() {
  review_ = std::max(review_, Review::kMayImprove);
}

Review BlockedGroup::TakeReview() {
  return std::exchange(review_, Review::kNone);
}

}  // namespace fluxnetes::workers
