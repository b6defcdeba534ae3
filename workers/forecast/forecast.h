// Forecasts when the groups of a component will start, by running its match
// worker ahead in virtual time from a snapshot and the present cluster:
// allocations end when they are planned to, groups that start run for their
// planned duration, and nothing else happens. If that comes true, the worker
// will decide exactly so: the forecast uses the same code as the decision and
// no estimates of its own.
//
//   now ──▶ decide ──▶ next end, start-after, maintenance ──▶ decide ──▶ ...
//
// It runs until the first `depth` groups of each queue that have no reservation
// yet have started, if they ever do. It runs in slices, since it may take
// seconds. For groups that have not started by then the time is extrapolated:
// the work ahead of a group in its queue, divided by the rate of the work whose
// start is known. Work is the share of the component's resources times the
// planned duration.
//
// Positions in the pending order are those after the groups that start at once.
//
// A group that runs past its planned end is assumed to run on for as long as it
// is late. A group with a reservation gets the time of that reservation, so
// that users see one time. Groups that are held, can never fit or are in a
// paused queue get no time.
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
  std::optional<matcher::Time> start = {};  // nothing: unknown
  bool approximate = false;
  // For people: the event that the time depends on, or why there is no time;
  // empty: the group's reason explains it.
  std::string rests_on = {};
  // Its position in the pending order of its queue, from 1. Nothing if it is
  // behind the first `depth`, is not in the pending order, or its queue is
  // ordered by arrival, which users can see themselves.
  std::optional<int> position = {};
  bool operator==(const Estimate&) const = default;
};

struct Forecast {
  std::vector<Estimate> estimates;  // of all waiting groups, in order of ids
  matcher::Time until = 0;          // no start that is not exact is sooner
  // The first event expected; if it does not happen, the forecast is wrong.
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

  // Runs on for at most `longest` of the thread's CPU time, but at least one
  // step. Returns true at the end of the forecast.
  bool Go(std::chrono::milliseconds longest);

  // Returns the forecast so far.
  Forecast Say();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::workers
