// Whatever fails, each gang runs whole, no pod twice, and nothing is left.
#include <csignal>
#include <cstdlib>
#include <optional>

#include "tests/kubernetes/support/kube_test.h"
#include "tests/services/support/failpoints.h"

namespace fluxnetes::testing {
namespace {

using std::chrono::seconds;

class FaultsOnKubernetes : public OnKubernetes {
 protected:
  // Gangs that fill the cluster one after the other, and what is refused, ended
  // at a deadline, or never fits.
  void SubmitMixed() {
    Submit(Gang("huge", 9));
    std::string wrong = BarePod("wrong", "team", 3);
    wrong.replace(wrong.find("\"3\""), 3, "ten");
    Submit(wrong);
    for (const std::string& gang : kGangs)
      Submit(Gang(gang, 4, {.cpu = 2, .seconds = "1"}));
    Submit(Gang("late", 2, {.limit = 1}));
  }

  // Every pod that is to be there is there, and a gang has been placed.
  void AwaitThatAllIsMade() {
    EXPECT_TRUE(Comes([&] {
      for (const std::string& gang : kGangs) {
        const Json status = Get("jobs/" + gang)["status"];
        if (status.value("active", 0) + status.value("succeeded", 0) != 4)
          return false;
      }
      return !StateOf("late").empty() &&
             Ask("SELECT count(*) FROM placements") != "0";
    }));
  }

  // A controller whose watches come back one by one may know of the end of
  // pods before it knows that their Job is deleted, and make them anew.
  enum class Controller { kKnows, kMayLag };

  void ExpectAllOver(Controller controller = Controller::kKnows) {
    for (const std::string& gang : kGangs) {
      EXPECT_TRUE(Comes(gang, "succeeded")) << gang << " " << StateOf(gang);
      EXPECT_TRUE(Comes([&] {
        return Get("jobs/" + gang)["status"].value("succeeded", 0) == 4;
      })) << gang;
      // None failed, so none was made anew.
      EXPECT_EQ(PodsOf(gang).size(), 4U);
      EXPECT_EQ(Bound(gang), 4);
    }
    EXPECT_TRUE(Comes([&] {
      return PodsOf("late").empty() &&
             Ask("SELECT count(*) FROM group_history WHERE group_name = 'late' "
                 "AND result = 'timed out'") != "0";
    })) << StateOf("late");
    EXPECT_TRUE(Comes("huge", "unsatisfiable"));
    EXPECT_EQ(
        Ask("SELECT count(*) FROM jobs_finished WHERE state = 'discarded'"),
        "0");
    EXPECT_EQ(RecordedTwice(controller), "");
  }

  // Pods that are in two rows of the history, and groups that have two.
  std::string RecordedTwice(Controller controller) {
    return Ask(fmt::format(R"(
        WITH twice AS (
          SELECT p ->> 'name' AS name
          FROM group_history, jsonb_array_elements(pods) AS p
          GROUP BY p ->> 'name' HAVING count(*) > 1
          UNION ALL
          SELECT group_name FROM group_history
          WHERE group_name <> '{}'
          GROUP BY group_name HAVING count(*) > 1)
        SELECT coalesce(string_agg(t.name, ' ') || E'\n' || (
          SELECT string_agg(h::text, E'\n') FROM group_history AS h), '')
        FROM twice AS t)",
                           controller == Controller::kMayLag ? "late" : ""));
  }

  const std::vector<std::string> kGangs = {"a", "b", "c", "d"};
};

class LostOnKubernetes : public FaultsOnKubernetes,
                         public ::testing::WithParamInterface<const char*> {};

// While gangs come, are bound, run and end.
TEST_P(LostOnKubernetes, AndStartedAgainNothingIsLost) {
  SubmitMixed();
  AwaitThatAllIsMade();
  plane().Kill(GetParam());
  // Longer than a request waits for its answer and a pause between two.
  if (GetParam() == std::string("kube-apiserver")) {
    EXPECT_EQ(scheduler_->WaitForEnd(IsLong() ? seconds(60) : seconds(10)),
              std::nullopt);
  }
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
  Submit(Gang("after", 4, {.cpu = 2, .seconds = "1"}));
  ExpectAllOver(GetParam() == std::string("kube-controller-manager")
                    ? Controller::kKnows
                    : Controller::kMayLag);
  EXPECT_TRUE(Comes("after", "succeeded")) << StateOf("after");
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
    return {"bind-confirmed", "bind-posted", "cleanup-deleted", "news-told",
            "notices-told"};
  auto all = services::AllFailpoints();
  std::erase_if(all, [](const std::string& name) {
    return name == "intake-touched" || name == "intake-taken-back" ||
           name == "group-statuses-written" ||  // pod_groups_kubetest.cc
           name == "bind-devices-written";      // devices_kubetest.cc
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
