// A blocked group: one that waits, does not fit now, and is among the first of
// its queue, so that nodes are kept for it. Groups behind it in the pending
// order start only where they leave these nodes to it (backfilling).
//
//   unplanned  -> remembered | booked | draining | unplaced
//   remembered -> booked | withdrawn
//   booked     -> booked | due | withdrawn
//   due        -> withdrawn
//   draining   -> withdrawn
//   unplaced   -> unplanned
//   withdrawn  -> booked | draining | unplaced
//
//   unplanned   nothing was looked for, or what was is withdrawn
//   remembered  an earlier schedule reserved nodes, this one has yet to book
//               them
//   booked      the nodes are booked in the graph from the start on
//   due         the start has come; the nodes stay booked until the group's
//               turn
//   draining    nothing behind the group may enter its drain set
//   unplaced    neither a start nor a drain set was found
//   withdrawn   the nodes are known but not kept: at its turn the group gets
//               them again if it can, else others
//
// A blocked group begins unplanned. It is forgotten, from any state, when it
// starts, leaves the queue, or is no longer one of those that nodes are kept
// for. The reasons for the arrows stand in blocked_group.cc.
//
// A value: whoever changes the state books, and cancels, in the graph.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "matcher/nodes/shortfall.h"
#include "workers/pending/reserved_nodes.h"

namespace fluxnetes::workers {

enum class ReservationState {
  kUnplanned,
  kRemembered,
  kBooked,
  kDue,
  kDraining,
  kUnplaced,
  kWithdrawn,
};

inline constexpr ReservationState kReservationStates[] = {
    ReservationState::kUnplanned, ReservationState::kRemembered,
    ReservationState::kBooked,    ReservationState::kDue,
    ReservationState::kDraining,  ReservationState::kUnplaced,
    ReservationState::kWithdrawn};

// As in the picture.
std::string_view ToString(ReservationState state);

// Why a reservation is looked at when the turn of its group comes, though it
// still stands. The later includes the earlier.
enum class Review {
  kNone,
  kMayImprove,   // room came free, or it was put off
  kMayBeBroken,  // a node of it changed, so that it may not be kept
};

// What cycles noted at the last turns of a blocked group.
struct TurnNotes {
  std::uint64_t cycle = 0;  // the last cycle in which it had a turn
  std::uint64_t pass = 0;   // the last pass over all groups that looked at it
  std::uint64_t room = 0;   // the first change of room that it has not seen
  bool put_off = false;     // a later cycle is to look for an earlier start
  // The last cycle saw groups on their way out that were evicted for it. In a
  // queue that stops at its first it is asked once more when they have gone.
  bool has_victims = false;
  // It waits for quota of such groups; its nodes may be free before.
  bool awaits_quota = false;
};

class BlockedGroup {
 public:
  // Whether the picture has this arrow.
  static bool MayGo(ReservationState from, ReservationState to);

  ReservationState state() const { return state_; }
  // None if unplanned or unplaced.
  const std::optional<ReservedNodes>& reserved() const { return reserved_; }

  // Whether it holds against the groups behind it: booked, due, draining, or
  // unplaced, which is known to need nothing kept.
  bool Stands() const;
  // Whether the nodes are booked in the graph.
  bool IsBooked() const {
    return state_ == ReservationState::kBooked || IsDue();
  }
  bool IsDue() const { return state_ == ReservationState::kDue; }
  // Whether it is booked for a start that has come.
  bool HasCome(matcher::Time now) const {
    return IsBooked() && *reserved_->start <= now;
  }

  // The arrows. Each asserts that the picture has it.

  // An earlier schedule has reserved these nodes.
  void Remember(ReservedNodes reserved);
  // The nodes are booked from their start on.
  void Book(ReservedNodes reserved);
  // The nodes are a drain set.
  void Drain(ReservedNodes reserved);
  // There is nothing to keep.
  void FindNothing();
  // One of the last three, by what a plan has found.
  void Set(std::optional<ReservedNodes> found);
  // What it had cannot be booked as it was.
  void FailToBook();
  // It holds against nobody until its turn. Nothing if it does so already.
  void Withdraw();
  // Its start has come.
  void ComeDue();

  // A group ahead has entered the drain set, which is to be chosen anew. Until
  // then the set is empty, which is not reported.
  void LoseNodes();

  Review review() const { return review_; }
  bool MayImprove() const { return review_ != Review::kNone; }
  bool MayBeBroken() const { return review_ == Review::kMayBeBroken; }
  void MarkImprovable();
  void MarkBroken() { review_ = Review::kMayBeBroken; }
  // It is looked at now.
  Review TakeReview();

  // Whether a decision has reported the nodes as they are.
  bool reported() const { return reported_; }
  void MarkReported() { reported_ = true; }

  TurnNotes turn;
  // Of starts before its own, as far as it is known.
  matcher::Shortfall shortfall;

 private:
  void Go(ReservationState to);
  void SetNodes(std::optional<ReservedNodes> reserved);

  ReservationState state_ = ReservationState::kUnplanned;
  std::optional<ReservedNodes> reserved_;
  Review review_ = Review::kNone;
  bool reported_ = false;
};

}  // namespace fluxnetes::workers
