// Whatever fails, each gang runs whole, no pod twice, and nothing is left.
#include <csignal>
#include <cstdlib>
#include <optional>

#include "tests/kubernetes/kube_test.h"
#include "tests/services/failpoints.h"

namespace fluxnetes::testing {
namespace {

using std::chrono::seconds;

class FaultsOnKubernetes : public OnKubernetes {
 protected:
  // Gangs that fill the cluster one after the other, and what is told of, ended
  // at a deadline, or never fits.
  void SubmitMixed() {
    Submit(Gang("huge", 9));
    for (const std::string& gang : kGangs)
      Submit(Gang(gang, 4, {.cpu = 2, .seconds = "1"}));
    Submit(Gang("late", 2, {.limit = 1}));
  }

  void ExpectAllOver() {
    for (const std::string& gang : kGangs) {
      EXPECT_TRUE(Comes(gang, "succeeded")) << gang << " " << StateOf(gang);
      EXPECT_TRUE(Comes([&] {
        return Get("jobs/" + gang)["status"].value("succeeded", 0) == 4;
      })) << gang;
      // None failed, so none was made anew.
      EXPECT_EQ(PodsOf(gang).size(), 4U);
      EXPECT_EQ(Bound(gang), 4);
    }
    EXPECT_TRUE(Comes([&] { return PodsOf("late").empty(); }));
    EXPECT_TRUE(Comes("huge", "unsatisfiable"));
    EXPECT_EQ(
        Ask("SELECT count(*) FROM jobs_finished WHERE state = 'discarded'"),
        "0");
    EXPECT_EQ(Ask("SELECT count(*) FROM (SELECT group_name FROM group_history "
                  "GROUP BY group_name HAVING count(*) > 1) AS twice"),
              "0");
  }

  const std::vector<std::string> kGangs = {"a", "b", "c", "d"};
};

class LostOnKubernetes : public FaultsOnKubernetes,
                         public ::testing::WithParamInterface<const char*> {};

// While gangs come, are bound, run and end.
TEST_P(LostOnKubernetes, AndStartedAgainNothingIsLost) {
  SubmitMixed();
  EXPECT_TRUE(
      Comes([&] { return Ask("SELECT count(*) FROM placements") != "0"; }));
  plane().Kill(GetParam());
  // Until the scheduler has found out, or for a while at most.
  WaitUntil(seconds(2), [&] {
    return Log().find("listing the cluster") != std::string::npos ||
           Log().find("watching the cluster") != std::string::npos;
  });
  plane().Start(GetParam());
  // Without etcd the API server's watches may hear nothing for minutes.
  if (GetParam() == std::string("etcd")) {
    plane().Kill("kube-apiserver");
    plane().Start("kube-apiserver");
  }
  ExpectAllOver();
}

INSTANTIATE_TEST_SUITE_P(Programs, LostOnKubernetes,
                         ::testing::Values("kube-apiserver", "etcd",
                                           "kube-controller-manager"),
                         [](const auto& instance) {
                           return services::TestNameOf(instance.param);
                         });

class PostgresOnKubernetes : public FaultsOnKubernetes {
 protected:
  PostgresOnKubernetes() { postgres_ = server_.connection(); }
  PrivateServer server_;
};

TEST_F(PostgresOnKubernetes, KilledAndStartedAgainLosesNothing) {
  SubmitMixed();
  EXPECT_TRUE(Comes([&] { return !StateOf("a").empty(); }));
  server_.Kill();
  server_.Start();
  database_->UseCatalogues({});
  ExpectAllOver();
}

class KilledOnKubernetes : public FaultsOnKubernetes,
                           public ::testing::WithParamInterface<std::string> {
 protected:
  KilledOnKubernetes() { starts_ = false; }
  static std::map<std::string, std::string> Quick() {
    return {{"FLUXNETES_CLIENT_TTL", "1500ms"},
            {"FLUXNETES_CLIENT_HEARTBEAT", "200ms"}};
  }
};

TEST_P(KilledOnKubernetes, TheNextOneGoesOn) {
#ifndef FLUXNETES_FAULTS
  GTEST_SKIP() << "needs a build with FLUXNETES_FAULTS=ON";
#endif
  auto environment = Quick();
  environment["FLUXNETES_FAILPOINT"] = GetParam();
  StartScheduler(environment);
  SubmitMixed();
  ASSERT_TRUE(Comes([&] { return scheduler_->HasEnded(); }))
      << "nothing came by this failpoint";
  EXPECT_EQ(scheduler_->WaitForEnd(seconds(0)), -SIGKILL);
  StartScheduler(Quick());
  ExpectAllOver();
}

// Those on either side of a request, or all that a run without trouble meets.
std::vector<std::string> Failpoints() {
  if (std::getenv("FLUXNETES_TEST_LONG") == nullptr)
    return {"bind-confirmed", "bind-posted", "cleanup-deleted", "notices-told"};
  auto all = services::AllFailpoints();
  std::erase_if(all, [](const std::string& name) {
    return name == "intake-touched" || name == "intake-taken-back";
  });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Failpoints, KilledOnKubernetes,
                         ::testing::ValuesIn(Failpoints()),
                         [](const auto& instance) {
                           return services::TestNameOf(instance.param);
                         });

}  // namespace
}  // namespace fluxnetes::testing
