// A NodeGraph and a Matcher that do the same random things on the same cluster
// and under the same policy, and must give the same answers:
//
//   cluster - zone - rack - node - core, memory, gpu
//
// A task is to the Matcher a slot of whole units. Nodes are added to both in
// the order of the graph, and what is added later comes last there too. Jobs
// are cancelled when they end; some tasks of a job end before.
//
// Four things are known to differ. NodeGraph counts units, the Matcher numbers
// them: a node may have two cores free at all times of a window, and no core
// that is free at all of them. The Matcher leaves the order of equal tasks to
// std::sort. And where a search stops at the first that suffices, the Matcher
// still orders what it has visited, unless the policy is `first` or
// `firstnodex`: then only the start and the node of a single task are the same.
// And once a task of a job has ended, its end is no time that the Matcher
// tries. Where an answer differs, the play proves that one of these is the
// reason; then NodeGraph is given what the Matcher chose, and the play goes on.
//
// Where nodes are taken whole, the Matcher does not say how many tasks each
// has. The play reads that from another Matcher, under the same policy without
// `node_exclusive`, on the nodes that nobody uses.
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
  kLostTask,     // it does not hear of tasks that end before their job
};

class PolicyPlay {
 public:
  struct Counts {
    std::int64_t moves = 0;
    std::int64_t found = 0;      // matches that gave nodes
    std::int64_t reserved = 0;   // those with a later start
    std::int64_t equals = 0;     // differ in the choice among equal tasks
    std::int64_t by_number = 0;  // differ because units are numbered
    std::int64_t visited = 0;    // differ in the choice among what was visited
    std::int64_t by_end = 0;     // differ at the end of a job that was parted
    std::int64_t tasks = 0;      // tasks that ended before their job
  };

  PolicyPlay(unsigned seed, Policy policy, PlayFault fault = PlayFault::kNone);

  // Makes so many moves. Returns what differed; nothing: all was as it must be.
  std::optional<std::string> Play(int moves);
  const Counts& counts() const { return counts_; }

 private:
  static constexpr int kTypes = 3;
  static constexpr const char* kTypeNames[] = {"core", "memory", "gpu"};

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
    // The node of each task, in the order of the NodeGraph; -1: it has ended.
    std::vector<int> tasks;
    bool parted = false;  // a task has ended
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
    std::vector<int> tasks;  // as in Job
    bool operator==(const Answer& other) const {
      return start == other.start && nodes == other.nodes;
    }
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
  Match AskMatcher(Matcher& matcher, JobId job, const Request& request) const;
  Answer AskNodeGraph(JobId job, const Request& request);
  void Note(JobId job, const Request& request, const Match& match);
  // Returns why the answers may differ; empty: they may not.
  std::string WhyDifferent(const Request& request, const Answer& fluxion,
                           const Answer& ours);
  bool EqualOnWholeNodes(const Request& request, const Answer& fluxion,
                         const Answer& ours) const;
  void Follow(JobId job);  // the NodeGraph gets what the Matcher has
  // Returns how the tasks of a job on whole nodes differ; nothing: not at all,
  // or in the choice among equals, which is counted.
  std::optional<std::string> CompareTasks(const Request& request,
                                          const Answer& ours);
  // Returns the nodes of the Matcher's tasks that start at the time on nodes
  // that nobody uses, one for each task, sorted.
  std::vector<int> TasksOnWholeNodes(const Request& request, Time start) const;
  void EndTask();
  void EndTaskInMatcher(JobId id, Job& job, int node);
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
  // The Matcher orders what it has visited when it stops.
  bool StopsElsewhere() const {
    return policy_.stop_on_match && policy_ != Policy::kFirst &&
           policy_ != Policy::kFirstnodex;
  }
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
