// What always holds, as one checker of the whole system. It reads the cluster's
// own truth (pods, nodes, the log of bindings), the tables, and the graph in
// memory, and says in words what does not agree:
//
//   1  a pod is recorded once; a group is promoted once, and only when whole
//   2  a group's pods all have a node or none has
//   3  grants and others' use stay within what a node has, unless the node
//      shrank, or others placed pods, under them
//   4  the graph in memory equals the one rebuilt from nodes, others' pods and
//      allocations
//   5  what rests on a lease or term is written only under it
//   6  no pod is lost and nothing leaks
//   7  a reservation never starts later because of a group ranked behind it
//   8  times that are compared come from one clock
//
// Some of it compares with what was there at the call before, so one checker
// goes with one system and is called after every settling. What can only be
// said once the scheduler has heard and done everything (its cache equals the
// cluster, no job waits) is passed over until then; strict() counts the calls
// in which all was compared.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/invariants/behaviour/scene.h"
#include "tests/support/whole_system.h"

namespace fluxnetes::testing {

struct World;

class Invariants {
 public:
  struct Options {
    // Nothing fails and no node changes: not even for a while may a group be
    // bound in part.
    bool calm = false;
  };

  explicit Invariants(Options options);
  ~Invariants();

  // What does not hold, each beginning with the invariant's number. Of a scene
  // whose schedulers cannot be looked into it is not known what they have heard
  // of, so what is said of it holds for good only if it is said again.
  std::vector<std::string> Check(Scene& scene);
  std::vector<std::string> Check(WholeSystem& system);

  // The same when all pods have ended: what is left in the tables.
  std::vector<std::string> CheckNothingLeft(WholeSystem& system) const;

  int strict() const { return strict_; }

  // A checker that fails the test, called after every settling.
  static void Attach(WholeSystem& system, Options options);

 private:
  const Options options_;
  std::unique_ptr<World> before_;  // null: first call
  int strict_ = 0;
};

}  // namespace fluxnetes::testing
