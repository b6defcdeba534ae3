// Several replicas and several components of queues, on virtual time.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <set>
#include <thread>

#include "tests/invariants/behaviour/manifests.h"
#include "tests/support/whole_system.h"
#include "workers/match/match_replica.h"

namespace fluxnetes::testing {
namespace {

using std::chrono::seconds;

class Replicas : public ::testing::Test {
 protected:
  Replicas() {
    system.database.Execute(
        "UPDATE queues SET node_selector = '{\"pool\": \"grey\"}'; "
        "INSERT INTO queues (name, node_selector) VALUES "
        "('red', '{\"pool\": \"red\"}'), ('blue', '{\"pool\": \"blue\"}'), "
        "('green', '{\"pool\": \"green\"}')");
  }

  void Start(int replicas) {
    for (int i = 0; i < replicas; ++i)
      others.push_back(std::make_unique<SchedulerProcess>(
          system.database.options(), system.cluster));
  }

  // Runs all replicas in turn several times; none of them sleeps.
  void Settle() {
    for (int i = 0; i < 6; ++i) {
      for (const auto& other : others) other->Step(system.cluster.Now());
    }
  }

  void Paint(const std::string& name, const std::string& pool) {
    cluster::Node node = *system.cluster.GetNode(name);
    node.labels["pool"] = pool;
    system.cluster.UpdateNode(node);
  }

  static std::string Owned(const SchedulerProcess& process) {
    std::string text;
    for (const auto& [component, picture] : process.match.Describe())
      text += fmt::format("{}{}", text.empty() ? "" : " ",
                          fmt::join(component, "+"));
    return text;
  }
  SchedulerProcess* OwnerOf(const std::string& component) {
    for (const auto& other : others) {
      const std::string owned = " " + Owned(*other) + " ";
      if (owned.find(" " + component + " ") != std::string::npos)
        return other.get();
    }
    return nullptr;
  }
  void Kill(const SchedulerProcess* dead) {
    const auto found = std::ranges::find_if(
        others, [&](const auto& other) { return other.get() == dead; });
    system.DeclareDead(**found);
    others.erase(found);
  }
  std::string StateOf(const std::string& group) {
    return system.Ask("SELECT state FROM pod_groups WHERE group_name = '" +
                      group + "'");
  }
  void Submit(const std::string& name, const std::string& queue, int size,
              const std::string& cpu = "4") {
    system.Submit(
        GangOf(name, size, {.cpu = cpu, .seconds = 100, .queue = queue}));
  }

  WholeSystem system{R"(
nodes:
- {name: n0, cpu: 4, memory: 16Gi, labels: {pool: red}}
- {name: n1, cpu: 4, memory: 16Gi, labels: {pool: blue}}
- {name: n2, cpu: 4, memory: 16Gi, labels: {pool: green}})"};
  std::vector<std::unique_ptr<SchedulerProcess>> others;
};

TEST_F(Replicas, ComponentsAreSpreadEvenlyAndEachWorksForItself) {
  Start(2);
  Settle();
  std::set<std::size_t> counts;
  for (const auto& one : others) counts.insert(one->match.Describe().size());
  EXPECT_EQ(counts, std::set<std::size_t>{2});
  for (const char* queue : {"red", "blue", "green"}) Submit(queue, queue, 1);
  Settle();
  for (const char* queue : {"red", "blue", "green"})
    EXPECT_EQ(StateOf(queue), "bound") << queue;
}

TEST_F(Replicas, NewcomerGetsItsShare) {
  Start(1);
  Settle();
  EXPECT_EQ(Owned(*others[0]), "blue default green red");
  Start(1);
  Settle();
  EXPECT_EQ(others[0]->match.Describe().size(), 2U);
  EXPECT_EQ(others[1]->match.Describe().size(), 2U);
}

TEST_F(Replicas, ComponentsOfADeadOneAreTakenOverByTheLeastLoaded) {
  Start(3);
  Settle();
  Kill(OwnerOf("red"));
  Submit("train", "red", 1);
  Settle();
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(others[0]->match.Describe().size(), 2U);
  EXPECT_EQ(others[1]->match.Describe().size(), 2U);
}

TEST_F(Replicas, OneThatStopsInOrderLeavesNothingToWaitFor) {
  Start(2);
  Settle();
  SchedulerProcess* stopping = OwnerOf("red");
  stopping->match.Stop();
  EXPECT_EQ(Owned(*stopping), "");
  SchedulerProcess* other = others[others[0].get() == stopping ? 1 : 0].get();
  const auto now = system.cluster.Now();
  for (int i = 0; i < 3; ++i) other->match.RunOnce(now);
  EXPECT_EQ(Owned(*other), "blue default green red");
}

TEST_F(Replicas, LabelsThatJoinAndPartQueuesMoveThemToOneOwnerAndBack) {
  Start(2);
  Settle();
  system.database.Execute(
      "UPDATE queues SET node_selector = '{}' WHERE name = 'red'");
  Settle();
  ASSERT_NE(OwnerOf("blue+green+red"), nullptr);
  Submit("wide", "red", 3);
  Settle();
  EXPECT_EQ(StateOf("wide"), "bound");
  system.database.Execute(
      "UPDATE queues SET node_selector = '{\"pool\": "
      "\"red\"}' WHERE name = 'red'");
  Settle();
  EXPECT_NE(OwnerOf("blue"), nullptr);
  EXPECT_NE(OwnerOf("red"), nullptr);
  // Their nodes are full with red's pods, which count like any other pods.
  Submit("blue", "blue", 1);
  Settle();
  EXPECT_EQ(StateOf("blue"), "unsatisfiable");
  for (int i = 0; i < 11; ++i) {
    system.cluster.AdvanceTo(system.cluster.Now() + seconds(10));
    Settle();
  }
  EXPECT_EQ(StateOf("blue"), "bound");
}

TEST_F(Replicas, NodeThatNoQueueSelectsBelongsToNone) {
  Start(1);
  Settle();
  Paint("n0", "black");
  Settle();
  EXPECT_EQ(
      system.Ask("SELECT string_agg(node_name || ' ' || queue, ', ' ORDER "
                 "BY node_name) FROM component_nodes"),
      "n1 blue, n2 green");
  Paint("n0", "green");
  Settle();
  EXPECT_EQ(
      system.Ask("SELECT queue FROM component_nodes WHERE node_name = 'n0'"),
      "green");
}

// The new owner sees the label first; the old one still places by the old
// label.
TEST_F(Replicas, NodeIsNotUsedBeforeItsFormerOwnerHasLetGoOfIt) {
  Start(2);
  Settle();
  SchedulerProcess* red = OwnerOf("red");
  SchedulerProcess* other = others[others[0].get() == red ? 1 : 0].get();
  if (OwnerOf("blue") == red) GTEST_FAIL() << Owned(*red);
  system.database.Execute("UPDATE queues SET paused = true");
  Submit("late", "red", 1);
  Submit("early", "blue", 2);
  Settle();
  Paint("n0", "blue");
  const auto now = system.cluster.Now();
  other->intake.RunOnce(now);
  system.database.Execute("UPDATE queues SET paused = false");
  for (int i = 0; i < 3; ++i) other->match.RunOnce(now);
  EXPECT_EQ(StateOf("early"), "unsatisfiable");  // with one node
  for (int i = 0; i < 3; ++i) red->match.RunOnce(now);
  EXPECT_EQ(StateOf("late"), "allocated");
  Settle();
  EXPECT_EQ(StateOf("late"), "bound");
  EXPECT_EQ(StateOf("early"), "unsatisfiable");
  for (int i = 0; i < 11; ++i) {
    system.cluster.AdvanceTo(system.cluster.Now() + seconds(10));
    Settle();
  }
  EXPECT_EQ(StateOf("early"), "bound");
}

class QuotaOfAll : public Replicas {
 protected:
  QuotaOfAll() {
    system.database.Execute(
        "INSERT INTO accounts (name, namespace, quota) VALUES ('team', "
        "'default', '{\"cpu\": \"8\"}')");
  }
  std::string ReasonOf(const std::string& queue) {
    return system.Ask("SELECT reason FROM wait_reasons WHERE queue = '" +
                      queue + "'");
  }
  std::string Holds() {
    return system.Ask(
        "SELECT coalesce(string_agg(queue || ' ' || amount, ', ' ORDER BY "
        "queue), '') FROM account_holds WHERE resource = 'cpu'");
  }
};

TEST_F(QuotaOfAll, CountsOverComponentsWhoeverOwnsThem) {
  Start(2);
  Settle();
  for (const char* queue : {"red", "blue"}) Submit(queue, queue, 1);
  Settle();
  Submit("green", "green", 1);
  Settle();
  EXPECT_EQ(StateOf("red"), "bound");
  EXPECT_EQ(StateOf("blue"), "bound");
  EXPECT_EQ(StateOf("green"), "pending");
  EXPECT_EQ(ReasonOf("green"),
            "needs 4 cpu; of the quota of account team (8 cpu) 8 cpu is used "
            "or reserved");
  EXPECT_EQ(Holds(), "blue 4000, red 4000");
  Kill(OwnerOf("green"));  // its successor knows it, too
  Settle();
  EXPECT_EQ(StateOf("green"), "pending");
  for (int i = 0; i < 11; ++i) {
    system.cluster.AdvanceTo(system.cluster.Now() + seconds(10));
    Settle();
  }
  EXPECT_EQ(StateOf("green"), "bound");
  EXPECT_EQ(Holds(), "green 4000");
}

// A new quota counts what running groups hold already.
TEST_F(QuotaOfAll, CountsWhatRanBeforeThereWasOne) {
  system.database.Execute("DELETE FROM accounts");
  Start(2);
  Settle();
  for (const char* queue : {"red", "blue"}) Submit(queue, queue, 1);
  Settle();
  EXPECT_EQ(Holds(), "");
  system.database.Execute(
      "INSERT INTO accounts (name, namespace, quota) VALUES ('team', "
      "'default', '{\"cpu\": \"8\"}')");
  Settle();
  EXPECT_EQ(Holds(), "blue 4000, red 4000");
  Submit("green", "green", 1);
  Settle();
  EXPECT_EQ(StateOf("green"), "pending");
}

class QuotaTakenMeanwhile : public QuotaOfAll {
 protected:
  // Another owner records that its groups of the namespace hold 8 cpus, between
  // a decision to start a group of 4 and its commit.
  void DecideWhileOthersTake(const std::string& name_space) {
    Start(1);
    Settle();
    Submit("red", "red", 1);
    const auto now = system.cluster.Now();
    others[0]->intake.RunOnce(now);
    others[0]->promoter.RunOnce(now);
    sql::Transaction other(system.database.pool());
    other.RunScript(
        "SELECT pg_advisory_xact_lock(hashtext('account_holds'), "
        "hashtext(current_schema())); INSERT INTO account_holds VALUES "
        "('default', '" +
        name_space + "', '', 'cpu', 8000)");
    auto match = std::async(std::launch::async,
                            [&] { return others[0]->match.RunOnce(now); });
    while (system.Ask("SELECT count(*) FROM pg_locks WHERE locktype = "
                      "'advisory' AND NOT granted") == "0")
      std::this_thread::yield();
    other.Commit();
    match.get();
  }
};

TEST_F(QuotaTakenMeanwhile, IsNotExceeded) {
  DecideWhileOthersTake("default");
  EXPECT_EQ(StateOf("red"), "pending");
  Settle();
  EXPECT_EQ(StateOf("red"), "pending");
  EXPECT_EQ(ReasonOf("red"),
            "needs 4 cpu; of the quota of account team (8 cpu) 8 cpu is used "
            "or reserved");
  system.database.Execute("DELETE FROM account_holds WHERE queue = 'default'");
  Settle();
  EXPECT_EQ(StateOf("red"), "bound");
}

TEST_F(QuotaTakenMeanwhile, HoldsUpNobodyElse) {
  DecideWhileOthersTake("others");
  EXPECT_EQ(StateOf("red"), "allocated");
}

TEST_F(Replicas, OwnerOfAQueueThatWasDeletedPlacesNothingMore) {
  Start(1);
  Settle();
  system.database.Execute(
      "UPDATE queues SET node_selector = '{}' WHERE name = 'red'");
  Settle();
  ASSERT_EQ(Owned(*others[0]), "blue+green+red default");
  Submit("early", "blue", 1);
  const auto now = system.cluster.Now();
  others[0]->intake.RunOnce(now);
  others[0]->promoter.RunOnce(now);
  system.database.Execute("DELETE FROM queues WHERE name = 'red'");
  EXPECT_EQ(system.Ask("SELECT count(*) FROM component_nodes WHERE queue = "
                       "'red'"),
            "0");
  Settle();
  EXPECT_EQ(Owned(*others[0]), "blue default green");
  EXPECT_EQ(StateOf("early"), "bound");
}

}  // namespace
}  // namespace fluxnetes::testing
