#include "tests/experiments/gang_history.h"

#include <algorithm>
#include <optional>

namespace fluxnetes::testing {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBurst{1'000};

struct Seen {
  int bound = 0;
  bool whole = false;                    // complete now, or was and is ending
  std::optional<SteadyTime> part_since;  // since when only some are bound
  bool long_in_part = false;
};

class Historian {
 public:
  explicit Historian(const std::vector<ExperimentGang>& gangs)
      : gangs_(gangs), seen_(gangs.size()) {}

  void See(const GangChange& change) {
    Seen& gang = seen_[change.gang];
    const int size = gangs_[change.gang].pods;
    const bool in_part = change.bound > 0 && change.bound < size;
    gang.bound = change.bound;
    if (change.bound == size) gang.whole = true;
    if (!in_part) {
      ClosePart(gang, change.at);
    } else if (!gang.part_since) {
      gang.part_since = change.at;
    }
  }

  void Finish(SteadyTime end) {
    for (Seen& gang : seen_) ClosePart(gang, end);
    history_.in_part = static_cast<int>(
        std::count_if(seen_.begin(), seen_.end(),
                      [](const Seen& gang) { return gang.long_in_part; }));
  }

  HeldCpus Count() const {
    HeldCpus count;
    for (std::size_t i = 0; i < seen_.size(); ++i)
      (seen_[i].whole ? count.whole : count.in_part) +=
          seen_[i].bound * gangs_[i].cpu;
    return count;
  }

  GangHistory& history() { return history_; }

 private:
  void ClosePart(Seen& gang, SteadyTime at) {
    if (!gang.part_since) return;
    const auto took =
        std::chrono::duration_cast<milliseconds>(at - *gang.part_since);
    gang.part_since.reset();
    if (took > kBurst) {
      gang.long_in_part = true;
    } else if (gang.bound > 0) {
      history_.longest_burst = std::max(history_.longest_burst, took);
    }
  }

  const std::vector<ExperimentGang>& gangs_;
  std::vector<Seen> seen_;
  GangHistory history_;
};

}  // namespace

GangHistory HistoryOf(const std::vector<GangChange>& changes,
                      const std::vector<ExperimentGang>& gangs,
                      SteadyTime begin, SteadyTime end, double scale) {
  Historian historian(gangs);
  for (const GangChange& change : changes) {
    historian.See(change);
    HeldCpus count = historian.Count();
    count.at = std::chrono::duration<double>(change.at - begin).count() * scale;
    historian.history().held.push_back(count);
  }
  historian.Finish(end);
  return std::move(historian.history());
}

}  // namespace fluxnetes::testing
