// A NodeGraph and its plain twin that do the same random things and must agree.
// This class has the actions that do not depend on the kind of tasks. A test
// defines the gangs and how often each action happens.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "matcher/gangs/node_graph.h"
#include "tests/matcher/plain/plain_node_graph.h"

namespace fluxnetes::matcher {

class NodeGraphTwins {
 public:
  explicit NodeGraphTwins(std::uint64_t seed) : random_(seed) {}
  NodeGraphTwins(const NodeGraphTwins&) = delete;
  NodeGraphTwins& operator=(const NodeGraphTwins&) = delete;
  virtual ~NodeGraphTwins() = default;

  // Does a random action, and compares.
  virtual void Step() = 0;

  NodeGraph& fast() { return fast_; }

 protected:
  static constexpr int kResources = 2;

  virtual Gang PickGang() = 0;
  // Returns the amounts and rules of each of the two tasks that Restore()
  // books.
  virtual TaskGroup PickBooked() = 0;
  virtual std::string Describe() { return fast_.Describe(); }

  int Pick(int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random_);
  }
  // In every second run some gangs have whole nodes, some of them with a
  // common holder, and some are aside.
  Seating PickSeating();
  void PickSeating(Gang& gang);
  bool Chance(int percent) { return Pick(1, 100) <= percent; }
  NodeIndex PickNode();
  virtual Policy PickPolicy();
  JobId PickJob();  // usually one that holds something
  // Returns a set that has each of the first `nodes` nodes by this chance. It
  // lives as long as this object.
  const NodeSet* PickSet(int nodes, int percent);

  void PassTime();  // rarely backwards
  NodeIndex AddNode(int id, const std::vector<std::int64_t>& totals);
  void ToggleOpen(NodeIndex node);
  void SetTotals(NodeIndex node, const std::vector<std::int64_t>& totals);
  void SetUnmanaged(NodeIndex node, const std::vector<std::int64_t>& amounts,
                    const std::vector<RulesId>& tasks = {}, int occupants = 0);
  void SetClass(NodeIndex node, std::int64_t performance_class);
  void RemoveNode(NodeIndex node);

  void Ask(bool reserve);
  // Reserves in both, but only if the gang can start before that time.
  void ReserveBefore(JobId job, const Gang& gang, Policy policy, Time before);
  void Release();
  void Cancel();
  void Restore();
  void Count(int most);
  void CancelRestores();

  // A new graph made from what the plain twin knows.
  struct Rebuilt {
    RulesId Take(PlainNodeGraph& plain, RulesId id);

    NodeGraph graph;
    std::map<RulesId, RulesId> ids = {{kNoRules, kNoRules}};  // new ids by old
  };
  Rebuilt Rebuild();

  std::mt19937_64& random() { return random_; }
  PlainNodeGraph& plain() { return plain_; }
  Time now() const { return now_; }

 private:
  std::mt19937_64 random_;
  const bool whole_nodes_ = random_() % 2 == 0;
  int next_name_ = 0;
  JobId next_job_ = 10;
  Time now_ = 100;
  std::vector<std::unique_ptr<NodeSet>> sets_;
  NodeGraph fast_{{"cpu", "mem"}};
  PlainNodeGraph plain_{kResources};
};

// Makes twins that do `steps_each` steps, then others with the next seed, until
// `steps` are done or a test failed. The seed is in the output;
// FLUXNETES_TEST_SEED repeats it, and FLUXNETES_STEPS sets the number of steps.
void RunTwins(
    long steps, int steps_each,
    const std::function<std::unique_ptr<NodeGraphTwins>(std::uint64_t)>& make);

}  // namespace fluxnetes::matcher
