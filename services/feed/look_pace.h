// How long the feed rests after it has looked into the database. Looks take a
// ninth of the time at most, on average, since decisions need the database too.
// One look that was held up (by a checkpoint, by a vacuum) is no reason for a
// long rest: the next change would be seen that much later. So the rest follows
// an average of the looks, in which the last one has the weight of an eighth.
//
// Not thread-safe.
#pragma once

#include <chrono>
#include <optional>

namespace fluxnetes::services {

class LookPace {
 public:
  using Duration = std::chrono::steady_clock::duration;

  // Returns the rest after a look that took so long.
  Duration RestAfter(Duration took) {
    if (average_) {
      *average_ += (took - *average_) / 8;
    } else {
      average_ = took;
    }
    return kRestPerLook * *average_;
  }

 private:
  static constexpr int kRestPerLook = 8;

  std::optional<Duration> average_;
};

}  // namespace fluxnetes::services
