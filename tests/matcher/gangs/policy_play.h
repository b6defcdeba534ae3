// A NodeGraph and a Matcher that do the same random things on the same cluster
// and under the same policy, and must give the same answers:
//
//   cluster - zone - rack - node - core, memory, gpu
//
// A task is to the Matcher a slot of whole units. Nodes are added to both in
// the order of the graph, and what is added later comes last there too. Jobs
// are cancelled when they end.
//
// Two things are known to differ. NodeGraph counts units, the Matcher numbers
// them: a node may have two cores free at all times of a window, and no core
// that is free at all of them. And the Matcher leaves the order of equal tasks
// to std::sort. Where an answer differs, the play proves that one of both is
// the reason; then NodeGraph is given what the Matcher chose, and the play goes
// on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "matcher/fluxion/matcher.h"
#include "matcher/gangs/node_graph.h"
#include "tests/matcher/random/random_graph.h"

namespace fluxnetes::matcher {

// A wrong step of the NodeGraph's side, which the play must notice.
enum class PlayFault {
  kNone,
  kOtherPolicy,  // it places by another policy
  kLostCancel,   // it does not hear of cancels
  kLostGrowth,   // it does not hear of new nodes
  kLostShrink,   // it does not hear of removed nodes
  kShortWindow,  // its jobs end a second too early
};

class PolicyPlay {
 public:
  struct Counts {
    std::int64_t moves = 0;
    std::int64_t found = 0;      // matches that gave nodes
    std::int64_t reserved = 0;   // those with a later start
    std::int64_t equals = 0;     // differ in the choice among equal tasks
    std::int64_t by_number = 0;  // differ because units are numbered
  };

  PolicyPlay(unsigned seed, Policy policy, PlayFault fault = PlayFault::kNone);

  // Makes so many moves. Returns what differed; nothing: all was as it must be.
  std::optional<std::string> Play(int moves);
  const Counts& counts() const { return counts_; }

 private:
  static constexpr int kTypes = 3;  // core, memory, gpu

  struct Node {
    VertexIndex vertex = kNoVertex;
    std::string path;
    NodeIndex index = -1;
    bool present = true;
    bool up = true;
    std::int64_t performance_class = kWorstClass;
    std::vector<VertexIndex> units[kTypes];  // by id
  };
  struct Job {
    Time start = 0;
    Time end = 0;
    bool reserved = false;
    std::vector<std::int64_t> amounts;  // of a task
    std::vector<int> nodes;  // of its tasks, sorted; whole nodes: each once
    std::vector<VertexIndex> vertices;  // units
  };
  struct Request {
    int tasks = 1;
    std::vector<std::int64_t> amounts;
    Time duration = 1;
    bool reserve = false;
  };
  struct Answer {
    std::optional<Time> start;
    std::vector<int> nodes;  // as in Job
    bool operator==(const Answer&) const = default;
  };
  // What is free on a node through a window.
  struct Room {
    std::int64_t free[kTypes] = {};  // by amounts
    // By number: so many units are free, and what is held has the ids that the
    // policy takes first.
    bool same_number = true;
    bool packed = true;
  };

  void MakeCluster();
  void AddNode(VertexIndex rack, ResourceGraph& graph);
  Request PickRequest();

  std::optional<std::string> Move();
  std::optional<std::string> Ask();
  Match AskMatcher(JobId job, const Request& request);
  Answer AskNodeGraph(JobId job, const Request& request);
  void Note(JobId job, const Request& request, const Match& match);
  // Returns why the answers may differ; empty: they may not.
  std::string WhyDifferent(const Request& request, const Answer& fluxion,
                           const Answer& ours);
  void Follow(JobId job);  // the NodeGraph gets what the Matcher has
  void CancelSome();
  void Cancel(JobId job);
  void PassTime();
  void Toggle();
  void Grow();
  void Shrink();
  // Makes a Matcher with the jobs of this one, after the graph has changed.
  // Fluxion's filters count what was added only until the first start or end of
  // a job there, and what jobs hold of a removed node as if it were elsewhere.
  void MakeMatcher();
  // Cancels all, and makes a Matcher on a graph that no job has touched: the
  // order of `first` depends on all that happened there before.
  void StartAnew();
  // Numbers the units that are held anew, where the policy looks at ids: as if
  // what was cancelled had had the last of them.
  void Repack();
  bool Packed() const;
  void Renumber();
  void RestoreInMatcher(JobId id, const Job& job);

  bool ByUnits() const;  // the policy looks at the ids of units
  bool OnceOnly() const { return policy_.stop_on_match; }  // see StartAnew()
  Room RoomOn(int node, Time from, Time end) const;
  std::vector<std::int64_t> CostsOf(const Request& request,
                                    const Answer& answer) const;
  std::string Show(const Request& request) const;
  std::string Show(const Answer& answer) const;

  Random random_;
  Policy policy_;
  PlayFault fault_;
  int ids_;  // how nodes are numbered
  std::vector<VertexIndex> racks_;
  std::vector<Node> nodes_;
  std::map<VertexIndex, int> node_of_;  // of a unit
  std::optional<Matcher> matcher_;
  NodeGraph graph_{{"core", "memory", "gpu"}};
  std::map<JobId, Job> jobs_;
  JobId last_job_ = 0;
  Time now_ = 0;
  Counts counts_;
  std::string log_;
};

}  // namespace fluxnetes::matcher
