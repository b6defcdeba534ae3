#include "workers/schedule/reported_reservations.h"

#include <utility>

namespace fluxnetes::workers {

bool ReportedReservations::Note(const Reservation& reservation) {
  Reservation& known = reported_[reservation.group];
  if (known == reservation) return false;
  known = reservation;
  return true;
}

void ReportedReservations::TakeBack(GroupId group) {
  if (Drop(group)) dropped_.push_back(group);
}

void ReportedReservations::DropOthers(
    const std::function<bool(GroupId)>& stands, std::vector<GroupId>& groups) {
  for (auto each = reported_.begin(); each != reported_.end();) {
    if (stands(each->first)) {
      ++each;
      continue;
    }
    groups.push_back(each->first);
    each = reported_.erase(each);
  }
}

void ReportedReservations::Expect(const Reservation& reservation) {
  expected_[reservation.group] = reservation;
}

void ReportedReservations::ExpectAgain(GroupId group) {
  const auto reported = reported_.find(group);
  if (reported != reported_.end()) expected_.insert(*reported);
}

std::optional<Reservation> ReportedReservations::TakeExpected(GroupId group) {
  auto expected = expected_.extract(group);
  if (!expected) return std::nullopt;
  return std::move(expected.mapped());
}

bool ReportedReservations::ForgetExpected() {
  if (expected_.empty()) return false;
  reported_.merge(expected_);  // none of them stands: the next report says so
  expected_.clear();
  return true;
}

}  // namespace fluxnetes::workers
