#include "queue/store/low_water_mark.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace fluxnetes::queue {
namespace {

using std::chrono::milliseconds;

// How long to wait for a transaction.
constexpr milliseconds kPatience{2'000};
// The largest step of the clock that may go unnoticed.
constexpr milliseconds kMargin{100};
// The longest pause between glances; rewinds are deleted after an hour.
constexpr std::chrono::minutes kMemory{10};

void KeepThoseIn(const std::set<std::uint64_t>& running,
                 std::set<std::uint64_t>& ids) {
  std::erase_if(ids, [&](std::uint64_t id) { return !running.contains(id); });
}

}  // namespace

// The format of PostgreSQL: xmin:xmax:id,id,...
std::set<LowWaterMark::TransactionId> LowWaterMark::RunningIn(
    const std::string& snapshot) {
  std::set<TransactionId> running;
  std::string_view rest = snapshot;
  for (int colons = 0; colons < 2; ++colons) {
    const auto colon = rest.find(':');
    if (colon == rest.npos) throw std::logic_error("no snapshot: " + snapshot);
    rest.remove_prefix(colon + 1);
  }
  while (!rest.empty()) {
    TransactionId id = 0;
    const auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), id);
    if (error != std::errc())
      throw std::logic_error("no snapshot: " + snapshot);
    running.insert(id);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (!rest.empty()) rest.remove_prefix(1);
  }
  return running;
}

void LowWaterMark::See(const Glance& glance) {
  const std::set<TransactionId> running = RunningIn(glance.snapshot);
  const bool anew = BeginsAnew(glance);
  if (anew) *this = {};
  const bool lowered = !anew && Lower(glance, running);
  server_ = glance.server;
  snapshot_ = glance.snapshot;
  time_ = glance.time;

  if (candidate_) {
    std::set<TransactionId> waited_for;
    std::ranges::set_difference(running, suspects_,
                                std::inserter(waited_for, waited_for.end()));
    waited_for.erase(waited_for.lower_bound(horizon_), waited_for.end());
    if (glance.time - *candidate_ > kPatience)
      suspects_.merge(waited_for);
    else if (!waited_for.empty())
      return;
    // Its first jobs were read from the marks before they were lowered.
    if (lowered) return;
    Raise(glance);
  }
  candidate_ = glance.time;
  horizon_ = glance.transaction;
}

bool LowWaterMark::BeginsAnew(const Glance& glance) const {
  return glance.server != server_ || glance.time < time_ ||
         glance.time - time_ > kMemory;
}

bool LowWaterMark::Lower(const Glance& glance,
                         const std::set<TransactionId>& running) {
  const Marks before = marks_;
  if (glance.rewound_to)
    for (auto& mark : marks_)
      if (mark) mark = std::min(*mark, *glance.rewound_to);
  const std::size_t suspected = suspects_.size();
  KeepThoseIn(running, suspects_);
  if (suspects_.size() < suspected) marks_ = {};
  return marks_ != before;
}

void LowWaterMark::Raise(const Glance& glance) {
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    const sql::Timestamp seen = std::min(
        *candidate_ - kMargin, glance.first[i].value_or(sql::Timestamp::max()));
    if (!marks_[i] || *marks_[i] < seen) marks_[i] = seen;
  }
}

}  // namespace fluxnetes::queue
