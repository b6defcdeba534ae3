// Keeps the table `estimates`, which tells people when each waiting group will
// start (forecast.h), for the components that this process owns. It makes a new
// forecast when something has changed or an expected event did not happen, at
// most once per `interval` and at most half of the time, on a thread and a
// connection of its own: the match worker only notifies it of changes.
//
// A forecast runs for `near`. If that does not reach the first groups of the
// pending order, a second run continues in slices beside the next forecasts.
// When it is done it updates the estimates that those do not reach, and starts
// over.
//
// Only rows that differ are written. An approximate time is kept while its
// error is within a tenth of the time left until then. Writes are fenced by the
// owner's terms and skip locked rows; they do not wait for the disk.
//
// RunOnce() from one thread; Own() and Note() from any. Throws sql::Error after
// all components had their turn; the next call reads again what failed.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/cluster_cache.h"
#include "queue/clients/client.h"
#include "queue/clients/joint_leadership.h"
#include "sql/connection/pool.h"
#include "sql/mutex.h"
#include "workers/forecast/forecast.h"
#include "workers/store/component_snapshot.h"

namespace fluxnetes::workers {

class Forecaster {
 public:
  using Component = std::vector<std::string>;  // its queues

  // The cost of one forecast.
  struct Cost {
    std::chrono::microseconds read{}, looked{}, wrote{};
    std::size_t written = 0;  // rows
  };

  struct Options {
    std::chrono::milliseconds interval{1'000};
    std::chrono::milliseconds near{600};
    // Longer by `near` if nothing changed.
    std::chrono::milliseconds slice{300};
    int depth = 1'000;
    // Called with each forecast.
    std::function<void(const std::vector<Estimate>&, const Cost&)> on_look =
        nullptr;
  };

  Forecaster(sql::Pool& pool, const queue::Client& client,
             const cluster::ClusterCache& cache, Options options)
      : pool_(pool),
        client_(client),
        cache_(cache),
        options_(std::move(options)) {}

  // Notes that the process starts or stops owning a component.
  void Own(const Component& component, bool owns) EXCLUDES(mutex_);
  // Notes that something in the component has changed.
  void Note(const Component& component) EXCLUDES(mutex_);

  // Forecasts the components that are due. Returns true if a forecast goes on.
  bool RunOnce(cluster::Time now);

 private:
  using Clock = std::chrono::steady_clock;

  // Used by RunOnce() only.
  struct Line {
    Line(const Component& component, sql::Pool& pool,
         const queue::Client& client);
    Component queues;
    queue::JointLeadership terms;
    SnapshotReader reader;
    std::unordered_map<GroupId, Estimate> written;
    bool read_written = false;  // else the table has rows that `written` lacks
    std::int64_t broken = 0;    // broken connections at that time
    Forecast near;              // the last forecast
    std::unique_ptr<Lookahead> far;                  // a forecast that goes on
    std::unordered_map<GroupId, Estimate> seen_far;  // results of the last such
  };
  struct Owned {
    std::shared_ptr<Line> line;  // shared with a forecast in progress
    bool noted = true;
    bool unfinished = false;            // a forecast goes on
    std::optional<matcher::Time> next;  // the next event expected
    Clock::time_point looked{};
  };

  // A component that is due, for a new forecast or to continue one.
  struct Due {
    std::shared_ptr<Line> line;
    bool anew = false;
  };
  std::vector<Due> TakeDue(matcher::Time now) EXCLUDES(mutex_);
  void Put(const Line& line, bool again) EXCLUDES(mutex_);
  // Both return true if some rows could not be written now.
  bool Look(Line& line, bool anew, cluster::Time now);
  bool LookOrGiveUp(Line& line, bool anew, cluster::Time now);
  void GoOn(Line& line, bool anew, matcher::Time now);
  static std::vector<Estimate> BothOf(const Line& line, matcher::Time now);
  // Returns false if this process does not own the component.
  bool Read(Line& line);
  // Returns the number of rows written, and false if rows locked by others were
  // skipped.
  std::pair<std::size_t, bool> Write(Line& line,
                                     const std::vector<Estimate>& estimates,
                                     cluster::Time now);
  static std::vector<const Estimate*> Differing(
      const Line& line, const std::vector<Estimate>& estimates,
      matcher::Time now);

  sql::Pool& pool_;
  const queue::Client& client_;
  const cluster::ClusterCache& cache_;
  const Options options_;
  Clock::time_point rest_until_{};  // used by RunOnce() only

  sql::Mutex mutex_;
  std::map<Component, Owned> owned_ GUARDED_BY(mutex_);
};

}  // namespace fluxnetes::workers
