#include "workers/forecast/forecast.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "workers/forecast/forecast_store.h"
#include "workers/match/match_worker.h"

namespace fluxnetes::workers {
namespace {

using matcher::Time;

// After this many instants in a row at which only a reservation was due, the
// run ends: nothing can end any more.
constexpr int kDueInVain = 1'000;

// Seconds, later than any time that can be shown.
constexpr double kFar = 1e12;

// CPU time of this thread.
std::chrono::nanoseconds TimeSpent() {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return std::chrono::seconds(spent.tv_sec) +
         std::chrono::nanoseconds(spent.tv_nsec);
}

cluster::Time TimeAt(Time seconds) {
  return cluster::Time(std::chrono::seconds(seconds));
}

bool GoesBefore(const PendingGroup* a, const PendingGroup* b) {
  return std::tuple(!a->first_in_line, -std::int64_t{a->priority},
                    a->submitted_at, a->id) <
         std::tuple(!b->first_in_line, -std::int64_t{b->priority},
                    b->submitted_at, b->id);
}

double LargestShare(const cluster::Resources& part,
                    const cluster::Resources& whole) {
  double largest = 0;
  const auto look = [&](std::int64_t amount, std::int64_t all) {
    if (amount > 0 && all > 0)
      largest = std::max(
          largest, static_cast<double>(amount) / static_cast<double>(all));
  };
  look(part.cpu_milli, whole.cpu_milli);
  look(part.memory_bytes, whole.memory_bytes);
  look(part.ephemeral_bytes, whole.ephemeral_bytes);
  look(part.pods, whole.pods);
  for (const auto& [name, amount] : part.extended)
    look(amount, whole.Extended(name));
  return largest;
}

// The work of groups, in seconds of the whole component. A group without a
// duration counts with the mean duration of those that have started.
class WorkOfGroups {
 public:
  WorkOfGroups(const ComponentSnapshot& snapshot,
               const cluster::ClusterCache& cache) {
    for (const QueueSettings& queue : snapshot.queues)
      assumed_[queue.name] = queue.assumed_duration;
    for (const std::string& name : snapshot.nodes) {
      const auto node = cache.NodeByName(name);
      if (node != nullptr) Add(node->allocatable, whole_);
    }
  }

  void NoteStart(const PendingGroup& group) {
    const auto duration = DurationOf(group);
    if (!duration) return;
    durations_ += *duration;
    ++started_;
  }

  double Of(const PendingGroup& group) const {
    cluster::Resources sum;
    for (const Member& member : group.members)
      Add(member.request->resources, sum);
    const double mean =
        started_ > 0 ? durations_ / static_cast<double>(started_) : 0;
    return LargestShare(sum, whole_) * DurationOf(group).value_or(mean);
  }

 private:
  static void Add(const cluster::Resources& more, cluster::Resources& sum) {
    static constexpr std::int64_t kMost = std::int64_t{1} << 60;
    const cluster::Resources all{kMost, kMost, kMost, kMost, more.extended};
    cluster::AddUpTo(all, sum, more);
  }

  std::optional<double> DurationOf(const PendingGroup& group) const {
    auto duration = group.duration;
    const auto assumed = assumed_.find(group.queue);
    if (!duration && assumed != assumed_.end()) duration = assumed->second;
    if (!duration) return std::nullopt;
    return static_cast<double>(*duration);
  }

  std::map<std::string, std::optional<std::int64_t>> assumed_;  // by queue
  cluster::Resources whole_;
  double durations_ = 0;
  std::int64_t started_ = 0;
};

}  // namespace

class Lookahead::State {
 public:
  State(std::shared_ptr<const ComponentSnapshot> snapshot,
        const cluster::ClusterCache& cache, Time now, int depth)
      : kept_(std::move(snapshot)),
        snapshot_(*kept_),
        cache_(cache),
        begin_(now),
        now_(now),
        store_(snapshot_, now),
        depth_(depth),
        worker_(store_, cache, {.ahead = true}),
        first_event_(store_.NextEvent()) {
    for (const Reservation& promised : snapshot_.promised) {
      if (promised.start && *promised.start > now)
        reserved_[promised.group] = *promised.start;
    }
    for (const auto& [id, group] : snapshot_.waiting)
      lines_[group.queue].push_back(&group);
    for (auto& [queue, line] : lines_) {
      std::sort(line.begin(), line.end(), GoesBefore);
    }
    for (const QueueSettings& queue : snapshot_.queues) {
      if (HasItsOwnOrder(queue))
        unranked_ = true;
      else
        Want(queue.name, lines_[queue.name]);
    }
    done_ = wanted_.empty() && !unranked_;
    store_.on_start = [this](GroupId group) { wanted_.erase(group); };
  }

  bool Go(std::chrono::milliseconds longest) {
    const auto end = TimeSpent() + longest;
    while (!done_) {
      const std::size_t before = store_.starts().size();
      bool more = true;
      bool late = false;
      while (more && !late) {
        more = worker_.RunOnce(TimeAt(now_));
        ++cycles_;
        late = TimeSpent() > end;
      }
      if (more) return false;
      if (std::exchange(unranked_, false)) Rank();
      done_ = wanted_.empty() || !Advance(store_.starts().size() > before);
      if (late) break;
    }
    return done_;
  }

  Forecast Say() {
    forecast_ = {};
    forecast_.next = first_event_;
    forecast_.until = now_;
    forecast_.cycles = cycles_;
    if (std::exchange(unranked_, false)) Rank();
    for (const auto& [queue, line] : lines_) SayOf(queue, line);
    std::ranges::sort(forecast_.estimates, {}, &Estimate::group);
    return std::move(forecast_);
  }

 private:
  using Line = std::vector<const PendingGroup*>;

  static bool HasItsOwnOrder(const QueueSettings& queue) {
    return queue.queue_order != QueueOrder::kArrival;
  }

  // Sorts the groups of each queue in its order: those that have started, then
  // the worker's pending order, then the groups that are not in it.
  void Rank() {
    std::map<std::string, int> last;  // by queue
    for (const QueueSettings& queue : snapshot_.queues)
      if (HasItsOwnOrder(queue)) last[queue.name] = 0;
    std::unordered_map<GroupId, int> places;
    for (const GroupId group : worker_.InOrder(snapshot_.waiting.size())) {
      const auto waiting = snapshot_.waiting.find(group);
      if (waiting == snapshot_.waiting.end()) continue;
      const auto place = last.find(waiting->second.queue);
      if (place == last.end()) continue;
      places[group] = ++place->second;
      if (place->second <= depth_) positions_[group] = place->second;
    }
    const auto place_of = [&](const PendingGroup* group) {
      if (store_.starts().contains(group->id)) return 0;
      const auto place = places.find(group->id);
      return place == places.end() ? std::numeric_limits<int>::max()
                                   : place->second;
    };
    for (const auto& [queue, count] : last) {
      std::ranges::stable_sort(lines_[queue], {}, place_of);
      Want(queue, lines_[queue]);
    }
  }

  bool Runs(const std::string& queue) const {
    return std::ranges::any_of(snapshot_.queues, [&](const auto& settings) {
      return settings.name == queue && !settings.paused;
    });
  }

  void Want(const std::string& queue, const Line& line) {
    if (!Runs(queue)) return;
    int wanted = 0;
    for (const PendingGroup* group : line) {
      if (store_.starts().contains(group->id) || group->held ||
          group->unsatisfiable ||
          (group->start_after && *group->start_after > begin_))
        continue;
      if (++wanted > depth_) return;
      if (!reserved_.contains(group->id)) wanted_.insert(group->id);
    }
  }

  // Goes to the time of the next event. Returns false if there is none.
  bool Advance(bool started) {
    auto next = store_.NextEvent();
    idle_ = next || started ? 0 : idle_ + 1;
    const auto due = worker_.NextDue();
    if (due && (!next || *due < *next)) next = std::max(*due, now_ + 1);
    over_ = !next || idle_ > kDueInVain;
    if (over_) return false;
    now_ = *next;
    store_.AdvanceTo(now_);
    return true;
  }

  void SayOf(const std::string& queue, const Line& line) {
    if (!Runs(queue)) {
      for (const PendingGroup* group : line) Say({.group = group->id});
      return;
    }
    WorkOfGroups work(snapshot_, cache_);
    Line rest;
    Line started;
    Time latest = begin_;
    for (const PendingGroup* group : line) {
      if (!SayKnown(*group)) {
        rest.push_back(group);
      } else if (const Estimate& said = forecast_.estimates.back();
                 said.start && !said.approximate) {
        started.push_back(group);
        work.NoteStart(*group);
        latest = std::max(latest, *said.start);
        Note(*said.start);
      }
    }
    double rate = 0;
    for (const PendingGroup* group : started) rate += work.Of(*group);
    rate /= static_cast<double>(std::max<Time>(latest - begin_, 1));
    double ahead = 0;
    for (const PendingGroup* group : rest) {
      if (over_ || rate <= 0) {
        Say({group->id, std::nullopt, false, WhyUnknown(group->id)});
        continue;
      }
      SayRoughly(*group, std::max(latest, now_), ahead / rate);
      ahead += work.Of(*group);
    }
  }

  // Returns false if the group has not started and its start is unknown.
  bool SayKnown(const PendingGroup& group) {
    const auto promised = reserved_.find(group.id);
    const auto start = store_.starts().find(group.id);
    const bool has_time =
        promised != reserved_.end() || start != store_.starts().end();
    const bool waits_for_more_than_room = !has_time && !group.reason.empty() &&
                                          !group.first_in_line &&
                                          !group.start_after;
    if (group.held || store_.Unsatisfiable(group.id) ||
        waits_for_more_than_room) {
      Say({.group = group.id});
    } else if (promised != reserved_.end()) {
      Say({group.id, promised->second, false, "nodes are reserved for it"});
    } else if (start != store_.starts().end()) {
      Say({group.id, start->second.at, false, start->second.rests_on});
    } else if (group.start_by && *group.start_by <= now_) {
      Say({group.id, std::nullopt, false,
           "it has no place by its fluxnetes.start-by"});
    } else if (group.start_after && *group.start_after > now_) {
      Say({group.id, *group.start_after, true,
           "it does not start before (fluxnetes.start-after)"});
    } else {
      return false;
    }
    return true;
  }

  // Estimates a start after `from`, when the groups with known starts have
  // started, plus `seconds` of work.
  void SayRoughly(const PendingGroup& group, Time from, double seconds) {
    const auto promised = store_.promised().find(group.id);
    if (promised == store_.promised().end())
      return Say({group.id, from + static_cast<Time>(std::min(seconds, kFar)),
                  true, "the rate at which groups of its queue start"});
    if (promised->second)
      return Say(
          {group.id, promised->second, true, "nodes would be reserved for it"});
    Say({group.id, std::nullopt, false, WhyUnknown(group.id)});
  }

  std::string WhyUnknown(GroupId of) const {
    const auto endless = store_.Endless(of);
    if (!endless)
      return over_ ? "nothing that is known of makes room for it"
                   : "no start of its queue is seen yet";
    return fmt::format(
        "what it needs is held by groups without a deadline, {} among them "
        "(activeDeadlineSeconds, or assumed_duration of their queue, would "
        "tell)",
        store_.NameOf(*endless));
  }

  void Say(Estimate estimate) {
    const auto position = positions_.find(estimate.group);
    if (position != positions_.end()) estimate.position = position->second;
    forecast_.estimates.push_back(std::move(estimate));
  }
  void Note(Time event) {
    if (event > begin_ && (!forecast_.next || event < *forecast_.next))
      forecast_.next = event;
  }

  const std::shared_ptr<const ComponentSnapshot> kept_;
  const ComponentSnapshot& snapshot_;
  const cluster::ClusterCache& cache_;
  const Time begin_;
  Time now_;
  ForecastStore store_;
  const int depth_;
  MatchWorker worker_;
  const std::optional<Time> first_event_;
  std::map<std::string, Line> lines_;           // by queue, each in order
  std::unordered_map<GroupId, Time> reserved_;  // present reservations
  std::unordered_set<GroupId> wanted_;          // groups whose start is awaited
  std::unordered_map<GroupId, int> positions_;
  bool unranked_ = false;  // positions_ is not computed yet
  int cycles_ = 0;
  int idle_ = 0;  // instants, see kDueInVain
  bool done_ = false;
  // Groups that have not started never will, as far as is known.
  bool over_ = false;
  Forecast forecast_;
};

Lookahead::Lookahead(std::shared_ptr<const ComponentSnapshot> snapshot,
                     const cluster::ClusterCache& cache, Time now, int depth)
    : state_(std::make_unique<State>(std::move(snapshot), cache, now, depth)) {}

Lookahead::~Lookahead() = default;

bool Lookahead::Go(std::chrono::milliseconds longest) {
  return state_->Go(longest);
}

Forecast Lookahead::Say() { return state_->Say(); }

}  // namespace fluxnetes::workers
