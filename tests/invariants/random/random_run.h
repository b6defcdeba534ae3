// A random story of the whole system: workloads, users, failures and faults
// from a seed. The same seed tells the same story.
//
// Each step does one thing, lets the system settle, and so has the invariants
// checked. At the end the disturbances stop, what can still run runs, the users
// delete the rest, and nothing may be left.
//
// The seed also says where it plays: with one scheduling queue, with queues
// that share nodes, or with queues that do not; and whether one scheduler works
// there or two, of which one may fall asleep and wake up when the other has
// taken over; and whether queues evict groups, and whether there are accounts
// with quotas.
//
//   random_run.cc        the frame
//   random_workloads.cc  what users do
//   random_nodes.cc      what happens to nodes, and on them without us
//   random_external.cc   what those do who start pods themselves
//   random_faults.cc     what goes wrong
#pragma once

#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/invariants/behaviour/manifests.h"
#include "tests/invariants/invariants.h"
#include "workers/requests/external_groups.h"

namespace fluxnetes::testing {

class RandomRun {
 public:
  explicit RandomRun(std::uint64_t seed);

  // False: something does not hold, Report() says what.
  bool Run(int steps);

  std::string Report() const;
  int steps() const { return steps_; }
  int strict() const { return invariants_.strict(); }
  int submitted() const { return submitted_; }

 private:
  using Act = void (RandomRun::*)();
  struct JobName {
    std::string name_space, name;
  };

  int Pick(int from, int to);  // both included
  bool Chance(double chance);
  void Step();
  bool Holds();
  void Note(std::string what);
  void Finish();
  void EndDisturbances();
  void CheckNothingWaits();

  // A pod of ours that is there, and is bound or not; null: there is none.
  cluster::PodPointer AnyPod(bool bound);
  const JobName* AnyJob();
  std::string AnyNode();
  std::string AnyQueue();  // "" too: no label
  std::string AnySpace();
  GangShape AnyShape(int size);
  void SubmitJob(const std::string& name, int size, const GangShape& shape);

  void Submit();
  void SubmitPods();
  void SubmitLauncher();
  void SubmitAgain();
  void Pass();
  void DeleteJob();
  void DeletePod();
  void EndPod();
  void Cancel();
  void Relabel();
  void Suspend();
  void Scale();
  void LiftGates();

  workers::ExternalGroups External();
  const workers::ExternalTicket* AnyAsk();
  void AskFromOutside();
  void LeaveOutside();
  void StartOutside();

  void AddNode();
  void RemoveNode();
  void CloseNode();
  void OpenNode();
  void ResizeNode();
  void RelabelNode();
  void AddOther();
  void RemoveOther();
  void BindForUs();

  void DisturbWatches();
  void DropWatches();
  void FailBinds();
  void LoseApi();
  void Crash();
  void CrashBetweenSteps();
  void FallAsleep();
  void WakeUp();
  void HandOver();
  void AddAccounts();
  void EditAccount();
  void EditQueue();
  void Compare();

  const int queues_;     // 0: one, 1: they share nodes, 2: they do not
  const bool replicas_;  // two schedulers
  const bool accounts_;  // there are some
  std::mt19937_64 random_;
  WholeSystem system_;
  std::unique_ptr<SchedulerProcess> asleep_;
  Invariants invariants_{{}};
  std::deque<std::string> notes_;  // the last that happened
  std::vector<std::string> violations_;
  std::vector<JobName> jobs_;
  std::vector<workers::ExternalTicket> asked_;
  int steps_ = 0, submitted_ = 0, nodes_ = 6, others_ = 0;
};

}  // namespace fluxnetes::testing
