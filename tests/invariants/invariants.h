// A checker of the invariants of the whole system. It reads the cluster's own
// state (pods, nodes, the log of bindings), the tables, and the graph in
// memory, and reports in words what does not agree:
//
//   1  a pod is recorded once; a group is promoted once, and only when complete
//   2  either all pods of a group have a node or none has
//   3  allocations and the usage by others stay within a node's allocatable
//      amounts, unless the node shrank, or others placed pods, afterwards; no
//      part inside of a node and no device is given out twice, and each pod has
//      what it asks; groups hold no more of a pool than there is, unless it was
//      lowered
//   4  the graph in memory equals the one rebuilt from nodes, others' pods and
//      allocations
//   5  writes that rely on a lease or term happen only while it is held
//   6  no pod is lost and nothing leaks; no claim has devices for nobody
//   7  a reservation never starts later because of a group ranked behind it
//   8  times that are compared come from one clock
//
// Some checks compare with the state at the previous call, so use one checker
// per system and call it after every settling. Checks that hold only once the
// scheduler has received and processed everything (its cache equals the
// cluster, no job waits) are skipped until then; strict() counts the calls that
// made all checks.
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
    // Nothing fails and no node changes: a group may not be bound in part even
    // for a while.
    bool calm = false;
  };

  explicit Invariants(Options options);
  ~Invariants();

  // Returns the violations, each beginning with the invariant's number. For a
  // scene whose schedulers cannot be inspected it is unknown which events they
  // have received, so a violation is certain only if it is reported again.
  std::vector<std::string> Check(Scene& scene);
  std::vector<std::string> Check(WholeSystem& system);

  // Likewise, when all pods have ended: reports what is left in the tables.
  std::vector<std::string> CheckNothingLeft(WholeSystem& system) const;

  int strict() const { return strict_; }

  // Attaches a checker that runs after every settling and fails the test.
  static void Attach(WholeSystem& system, Options options);

 private:
  const Options options_;
  std::unique_ptr<World> before_;  // null: first call
  int strict_ = 0;
};

}  // namespace fluxnetes::testing
