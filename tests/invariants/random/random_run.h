// A random test of the whole system: workloads, users, failures and faults from
// a seed. The same seed repeats the same run.
//
// Each step does one action and lets the system settle, which checks the
// invariants. At the end the disturbances stop, everything that can still run
// does, the users delete the rest, and nothing may be left.
//
// The seed also chooses the setting: one scheduling queue, queues that share
// nodes, or queues that do not; one scheduler or two, of which one may be
// suspended and wake up after the other has taken over; whether queues evict
// groups, and whether there are accounts with quotas.
//
//   random_run.cc        the frame
//   random_workloads.cc  actions of users
//   random_nodes.cc      changes of nodes, and pods of other schedulers
//   random_external.cc   callers that start pods themselves
//   random_faults.cc     faults
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

  // False: an invariant is violated; Report() has the details.
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

  int Pick(int from, int to);  // both inclusive
  bool Chance(double chance);
  void Step();
  bool Holds();
  void Note(std::string what);
  void Finish();
  void EndDisturbances();
  void CheckNothingWaits();

  // Any of our pods that is bound or unbound as asked; null: none.
  cluster::PodPointer AnyPod(bool bound);
  const JobName* AnyJob();
  std::string AnyNode();
  std::string AnyQueue();  // may be "": no label
  std::string AnySpace();
  std::string AnyPools();  // labels; mostly none
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
  void AddPools();
  void EditPool();
  void EditQueue();
  void Compare();

  const int queues_;     // 0: one, 1: sharing nodes, 2: not sharing nodes
  const bool replicas_;  // two schedulers
  const bool accounts_;  // with accounts
  const bool pools_;     // with pools of the cluster
  std::mt19937_64 random_;
  WholeSystem system_;
  std::unique_ptr<SchedulerProcess> asleep_;
  Invariants invariants_{{}};
  std::deque<std::string> notes_;  // the latest actions
  std::vector<std::string> violations_;
  std::vector<JobName> jobs_;
  std::vector<workers::ExternalTicket> asked_;
  int steps_ = 0, submitted_ = 0, nodes_ = 6, others_ = 0;
};

}  // namespace fluxnetes::testing
