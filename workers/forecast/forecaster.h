// Keeps the table `estimates` for people: when each group that waits will start
// (forecast.h), of the components that this process owns. It looks again when
// something has changed or what was foreseen did not happen, at most once in
// `interval` and at most half of the time, on a thread and a connection of
// its own: the match worker does nothing for it but say that there is news.
//
// A look goes ahead for `near`. Where that is not enough for the first groups
// in line, the look goes on in slices beside those that follow, and when it has
// come to its end it says what they cannot see; then the next one does so.
//
// What is written is only what differs. An approximate time is left as it is
// while it is right within a tenth of what is left until then. Writes are
// fenced by the owner's terms and wait for nobody; they do not wait for the
// disk.
//
// RunOnce() from one thread; Own() and Note() from any. Throws sql::Error,
// after all components had their turn; what failed is read anew by the next
// call.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/cluster_cache.h"
#include "queue/clients/client.h"
#include "queue/clients/joint_leadership.h"
#include "sql/connection/pool.h"
#include "workers/forecast/forecast.h"
#include "workers/store/component_snapshot.h"

namespace fluxnetes::workers {

class Forecaster {
 public:
  using Component = std::vector<std::string>;  // its queues

  // What a look has cost.
  struct Cost {
    std::chrono::microseconds read{}, looked{}, wrote{};
    std::size_t written = 0;  // rows
  };

  struct Options {
    std::chrono::milliseconds interval{1'000};
    std::chrono::milliseconds near{600};
    std::chrono::milliseconds slice{300};  // longer by `near` without news
    int depth = 1'000;
    // Told of each look.
    std::function<void(const std::vector<Estimate>&, const Cost&)> on_look =
        nullptr;
  };

  Forecaster(sql::Pool& pool, const queue::Client& client,
             const cluster::ClusterCache& cache, Options options)
      : pool_(pool),
        client_(client),
        cache_(cache),
        options_(std::move(options)) {}

  // The process begins or ceases to own a component.
  void Own(const Component& component, bool owns);
  // Something of it has changed.
  void Note(const Component& component);

  // Looks ahead for the components that are due; true if a look goes on.
  bool RunOnce(cluster::Time now);

 private:
  using Clock = std::chrono::steady_clock;

  // Touched by RunOnce() only.
  struct Line {
    Line(const Component& component, sql::Pool& pool,
         const queue::Client& client);
    Component queues;
    queue::JointLeadership terms;
    SnapshotReader reader;
    std::unordered_map<GroupId, Estimate> written;
    bool read_written = false;  // else rows are there that it does not know
    std::int64_t broken = 0;    // connections, then
    Forecast near;              // of the last look
    std::unique_ptr<Lookahead> far;                  // one that goes on, and
    std::unordered_map<GroupId, Estimate> seen_far;  // what the last one saw
  };
  struct Owned {
    std::shared_ptr<Line> line;  // also of a look that is under way
    bool noted = true;
    bool unfinished = false;            // a look goes on
    std::optional<matcher::Time> next;  // something was to happen then
    Clock::time_point looked{};
  };

  // One that is due, for a new look or to go on with one.
  struct Due {
    std::shared_ptr<Line> line;
    bool anew = false;
  };
  std::vector<Due> TakeDue(matcher::Time now);
  void Put(const Line& line, bool again);
  // Whether something could not be written now.
  bool Look(Line& line, bool anew, cluster::Time now);
  bool LookOrGiveUp(Line& line, bool anew, cluster::Time now);
  void GoOn(Line& line, bool anew, matcher::Time now);
  static std::vector<Estimate> BothOf(const Line& line, matcher::Time now);
  // False: it is not ours.
  bool Read(Line& line);
  // How many rows, and whether that was all: those that others hold are left.
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
  Clock::time_point rest_until_{};

  std::mutex mutex_;
  std::map<Component, Owned> owned_;  // protected by mutex_
};

}  // namespace fluxnetes::workers
