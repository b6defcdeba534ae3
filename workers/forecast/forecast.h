// When the groups of a component will start, found by running its match worker
// ahead in virtual time, from a snapshot and the cluster as it is now: what
// holds places gives them back when it is planned to, what starts runs for as
// long as it says, and nothing else happens. So it is exactly what the worker
// will do if that comes true; nothing is estimated by other rules than those
// that decide.
//
//   now ──▶ decide ──▶ next end, start-after, maintenance ──▶ decide ──▶ ...
//
// It goes on until the first `depth` groups in line of each queue have started
// that are not promised a time already, as far as they ever do; in slices,
// since it may take seconds. For those that have not started then, or so far,
// the time is extrapolated: the work ahead of a group in its queue by the rate
// of the work whose start is known. Work is the share of the component's
// resources times the planned duration.
//
// Places in line are those after what starts at once.
//
// What is late, and should have ended, is taken to be late for as long again.
// A group that is promised a time (reservations) gets that: people are told one
// time, not two. Groups that are held, can never fit or are in a paused queue
// get none.
//
// Owned by one thread; the cache is read as it changes.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster_cache.h"
#include "workers/store/component_snapshot.h"

namespace fluxnetes::workers {

struct Estimate {
  GroupId group = 0;
  std::optional<matcher::Time> start = {};  // nothing: not known
  bool approximate = false;
  // For people: what the time rests on, or why there is none; empty: the reason
  // of the group says it.
  std::string rests_on = {};
  // Its place in the line of its queue, 1 is next; nothing: it is behind the
  // first `depth`, in no line, or the order of its queue is that of arrival,
  // which anybody sees.
  std::optional<int> position = {};
  bool operator==(const Estimate&) const = default;
};

struct Forecast {
  std::vector<Estimate> estimates;  // of all groups that wait, in order of ids
  matcher::Time until = 0;          // nothing starts sooner that is not exact
  // When first something is to happen: if it does not, this is wrong.
  std::optional<matcher::Time> next;
  int cycles = 0;
};

class Lookahead {
 public:
  Lookahead(std::shared_ptr<const ComponentSnapshot> snapshot,
            const cluster::ClusterCache& cache, matcher::Time now,
            int depth = 1'000);
  ~Lookahead();
  Lookahead(const Lookahead&) = delete;
  Lookahead& operator=(const Lookahead&) = delete;

  // Goes on for so long, of the thread's time on a processor, or a step; true:
  // it has come to its end.
  bool Go(std::chrono::milliseconds longest);

  // What it has come to so far.
  Forecast Say();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::workers
