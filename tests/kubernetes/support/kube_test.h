// How the whole must behave on a real API server: each test has a namespace and
// two nodes of 4 cpu of its own on the control plane of this program, and
// `fluxnetes serve` with a database, as a process with the rights of
// deploy/rbac.yaml.
//
//   TEST_F(OnKubernetes, IncompleteGangHoldsNothing) {
//     Submit(Gang("half", 4, {.cpu = 2, .absent = 1}));
//     Submit(Gang("whole", 4, {.cpu = 2}));
//     EXPECT_TRUE(Comes("whole", "bound"));
//   }
//
// What is awaited comes when it comes: no test takes it that something is fast.
// At the end of each test what always holds is compared with the API server's
// own pods, everything is deleted, and the tables must be empty again.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cluster/objects/node.h"
#include "cluster/objects/pod.h"
#include "tests/kubernetes/support/control_plane.h"
#include "tests/kubernetes/support/workloads.h"
#include "tests/support/postgres.h"
#include "tests/support/process.h"

namespace fluxnetes::testing {

class PodJournal;

inline constexpr const char* kMergePatch = "application/merge-patch+json";

class OnKubernetes : public ::testing::Test {
 protected:
  using Json = nlohmann::json;

  void SetUp() override;
  void TearDown() override;

  // The scheduler; `environment` over what it has. SetUp has started one.
  void StartScheduler(
      const std::map<std::string, std::string>& environment = {});
  // In order, as by a rollout.
  void StopScheduler();
  // One more, which is the test's own and not what it is judged by.
  std::unique_ptr<Process> Serve(
      const std::map<std::string, std::string>& environment = {});

  // `fluxnetes WORDS`, as an operator runs it: its exit status.
  int Command(const std::vector<std::string>& words);

  // Manifests, in YAML, into the test's namespace.
  void Submit(const std::string& manifests) { Submit(manifests, home_); }
  void Submit(const std::string& manifests, const std::string& name_space);
  // A namespace of its own, gone with the test.
  std::string AddNamespace();

  // What the API server answers; fails the test unless it succeeds.
  Json Send(const std::string& method, const std::string& path,
            const Json& body = {},
            const std::string& content_type = "application/json");
  // "/apis/batch/v1/namespaces/HOME/jobs/NAME" of "jobs/NAME", by the name of
  // the resource.
  std::string Path(const std::string& what) const;
  Json Get(const std::string& what) { return Send("GET", Path(what)); }
  void Patch(const std::string& what, const Json& patch) {
    Send("PATCH", Path(what), patch, kMergePatch);
  }
  // In the background, with what it controls.
  void Delete(const std::string& what);

  // Our pods in the test's namespaces, those first that were made first.
  std::vector<cluster::Pod> Pods();
  // Of these, those of the group; with a node.
  std::vector<cluster::Pod> PodsOf(const std::string& group);
  int Bound(const std::string& group);
  cluster::Pod PodNamed(const std::string& name);
  // As a kubelet does when its containers have ended. The pod has a node.
  void EndPod(const std::string& name, bool well = true);
  // All of the group that have a node.
  void EndGroup(const std::string& group);

  std::string Node(int i) const { return home_ + "-" + std::to_string(i); }
  // Ready when it returns.
  void AddNode(const std::string& name, int cpu = 4) { AddNodes({name}, cpu); }
  void AddNodes(const std::vector<std::string>& names, int cpu = 4);
  // Of so many nodes, Node(0) and on, each of 4 cpu; adds those that are not
  // there yet.
  std::unique_ptr<PodJournal> JournalOf(int nodes);
  // A pod of another scheduler, which has its node already.
  void AddUnmanaged(const std::string& name, const std::string& node, int cpu);

  std::string Ask(const std::string& question) {
    return database_->Ask(question);
  }
  // Of the last generation, wherever it is; "" if there is none.
  std::string StateOf(const std::string& group);
  // Why a group waits, as `fluxnetes get` has it; "" before it was looked at,
  // where that says "queued".
  std::string ReasonOf(const std::string& group);
  std::vector<Json> EventsOf(const std::string& pod, const std::string& reason);
  // Of its pods, those that say why it waits with these words. A gang that is
  // slow to come is told how many have arrived before it has a reason to wait.
  std::size_t EventsOfGroup(const std::string& group, const std::string& words);
  // Its condition of this type; null if there is none.
  Json ConditionOf(const std::string& pod,
                   const std::string& type = "PodScheduled");

  // Whether random runs and such are to be long (hack/test --long).
  static bool IsLong();

  // Within a minute or so, however slow the machine is.
  static bool Comes(const std::function<bool()>& condition);
  bool Comes(const std::string& group, const std::string& state);
  // It was looked at and must wait.
  bool Waits(const std::string& group);
  // The scheduler has heard that the node takes no pods: it hears of nodes and
  // of pods in any order.
  bool HearsOfCordon(const std::string& node);

  // Whatever always holds.
  void ExpectInvariants();
  // Deletes what the test has made and waits until the tables are empty.
  void ExpectNothingLeft();
  std::string Leftovers();
  // What full comparisons found, which come every second here: nothing.
  std::string Differences();

  std::string Log() const;

  ControlPlane& plane() { return *plane_; }

  // For constructors: whether SetUp starts a scheduler; on which PostgreSQL.
  bool starts_ = true;
  bool plants_differences_ = false;
  std::string postgres_;  // empty: that of all tests
  std::string home_;      // the namespace
  std::unique_ptr<TestDatabase> database_;
  std::unique_ptr<Process> scheduler_;
  // Pods of ours, by UID, that the test itself gave a node.
  std::set<std::string> bound_by_others_;

 private:
  void DeleteAll();
  std::map<std::string, std::string> DatabaseSettings() const;

  ControlPlane* plane_ = nullptr;
  std::string log_;
  std::vector<std::string> namespaces_;
  std::set<std::string> nodes_;
};

// For tests that start a scheduler with a failpoint of their own. Such a
// program is built by FLUXNETES_FAULTS only; skipped without.
class StoppedHalfway : public OnKubernetes {
 protected:
  StoppedHalfway() { starts_ = false; }
  void SetUp() override;
};

}  // namespace fluxnetes::testing
