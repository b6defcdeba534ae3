// The fixture of the tests of holds and start times: the match fixture with
// everything that ends a group, and pods that ask for a time.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tests/workers/support/match_fixture.h"
#include "workers/cleanup/cleanup.h"
#include "workers/cleanup/start_by_deadlines.h"
#include "workers/news/notices.h"
#include "workers/news/wait_news.h"
#include "workers/requests/hold.h"

namespace fluxnetes::workers {

// The time this many seconds after kNoon, in seconds since 1970.
inline std::string AfterNoon(int seconds) {
  return std::to_string(
      std::chrono::duration_cast<std::chrono::seconds>(kNoon.time_since_epoch())
          .count() +
      seconds);
}

class StartTest : public MatchTest {
 protected:
  using Marks = std::map<std::string, std::string>;

  // Creates a gang of two pods of a Job, with these further labels.
  void CreateMarked(const std::string& name, const Marks& labels,
                    int pods = 2) {
    door.owners["uid-of-" + name] = {"Job", "default", name, "uid-of-" + name};
    for (int i = 0; i < pods; ++i) {
      cluster::Pod pod = PodOf({.name = name + "-" + std::to_string(i),
                                .group = name,
                                .size = 2,
                                .owner = name});
      for (const auto& [key, value] : labels) pod.labels[key] = value;
      door.Put(pod);
    }
  }

  // Runs every worker but the binder at that time.
  void Pass(int seconds) {
    const cluster::Time now = kNoon + std::chrono::seconds(seconds);
    ObserveAndPromote(now);
    Match(now);
    StartByDeadlines late(database.pool(), *jobs, {});
    while (late.RunOnce(now)) {
    }
    Match(now);
    Notices notices(*jobs, *client, door, {});
    while (notices.RunOnce()) {
    }
    Cleanup cleanup(database.pool(), *jobs, *client, door, {});
    while (cleanup.RunOnce(now)) {
    }
  }

  // Kills the process and lets another take over.
  void Restart() {
    database.Execute(
        "UPDATE clients SET heartbeat_at = now() - interval '1 day' WHERE id "
        "= " +
        std::to_string(match->client.id()));
    jobs->Rescue();
    StartMatch();
  }

  HoldOutcome Hold(const std::string& group, const std::string& reason = "") {
    return HoldGroup(database.pool(), "default", group, reason, kNoon);
  }
  HoldOutcome Release(const std::string& group) {
    return ReleaseGroup(database.pool(), "default", group, kNoon);
  }

  std::string ReasonOf(const std::string& group) {
    return Ask("SELECT reason FROM pending WHERE group_name = '" + group + "'");
  }

  // Changes a label of all pods of a gang, as a user does.
  void Relabel(const std::string& gang, const std::string& label,
               const std::optional<std::string>& value) {
    for (int i = 0; i < 2; ++i) {
      door.ChangePod("default/" + gang + "-" + std::to_string(i),
                     [&](cluster::Pod& pod) {
                       if (value) {
                         pod.labels[label] = *value;
                       } else {
                         pod.labels.erase(label);
                       }
                     });
    }
  }
};

}  // namespace fluxnetes::workers
