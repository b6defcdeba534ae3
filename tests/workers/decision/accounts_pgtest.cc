// Accounts as rows: which rows are accepted, that they take effect at once, and
// what is kept over a restart.
#include <future>
#include <thread>

#include "cluster/devices/claim_spec.h"
#include "tests/workers/support/start_fixture.h"

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;

class AccountsTest : public StartTest {
 protected:
  AccountsTest() { Observe(); }

  void Write(const std::string& columns, const std::string& values) {
    database.Execute("INSERT INTO accounts (" + columns + ") VALUES (" +
                     values + ")");
  }
  // Node n0 has eight GPUs.
  void PutGpus() {
    cluster::DeviceClass gpu;
    gpu.device_class = {"gpu", {"true"}};
    door.PutOther("class gpu", gpu);
    cluster::ResourceSlice slice;
    slice.slice.name = "gpus";
    slice.slice.driver = "gpu.example.com";
    slice.slice.pool = "n0";
    slice.slice.generation = 1;
    slice.slice.nodes.node = "n0";
    for (int i = 0; i < 8; ++i)
      slice.slice.devices.push_back({.name = "gpu-" + std::to_string(i)});
    door.PutOther("slice gpus", slice);
  }
  // A gang of two pods that share a claim of `shared` GPUs and have one of
  // `own` each.
  void CreateGpuGang(const std::string& name, int shared, int own) {
    const auto put_claim = [&](const std::string& claim_name, int count,
                               const std::string& pod_uid) {
      matcher::DeviceRequest request;
      request.name = "gpu";
      request.choices = {{.device_class = "gpu", .count = count}};
      matcher::DeviceClaim devices;
      devices.requests = {request};
      cluster::ResourceClaim claim;
      claim.namespace_name = "default";
      claim.name = claim_name;
      claim.uid = "uid-of-" + claim_name;
      if (!pod_uid.empty())
        claim.owner = cluster::Owner{"Pod", claim_name, pod_uid};
      claim.spec.Own() =
          cluster::ReadClaimSpec(cluster::WriteClaimSpec(devices));
      door.PutResourceClaim(claim);
    };
    put_claim(name, shared, "");
    for (int i = 0; i < 2; ++i) {
      const std::string pod_name = name + "-" + std::to_string(i);
      cluster::Pod pod = PodOf({.name = pod_name, .group = name, .size = 2});
      put_claim(pod_name, own, pod.uid);
      pod.resource_claims = {{"shared", name, ""},
                             {"own", pod_name, "some-gpus"}};
      pod.request.rules.Own().resource_claims = {
          {.name = "shared", .claim = "default/" + name},
          {.name = "own", .template_name = "some-gpus"}};
      door.Put(pod);
    }
  }
  void Refused(const std::string& columns, const std::string& values,
               const std::string& why) {
    try {
      Write(columns, values);
      ADD_FAILURE() << values;
    } catch (const sql::Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(why));
    }
  }
};

TEST_F(AccountsTest, RowsThatMakeNoSenseAreRefused) {
  Refused("name, weight", "'a', 0", "accounts_weight_above_0");
  Refused("name, weight", "'a', -1", "accounts_weight_above_0");
  Refused("name, weight", "'a', 'NaN'", "accounts_weight_above_0");
  Refused("name, weight", "'a', 'Infinity'", "accounts_weight_above_0");
  Refused("name, quota", "'a', '[]'", "accounts_quota_of_quantities");
  Refused("name, quota", R"('a', '{"cpu": 4}')",
          "accounts_quota_of_quantities");
  Refused("name, quota", R"('a', '{"cpu": "-4"}')",
          "accounts_quota_of_quantities");
  Refused("name, quota", R"('a', '{"cpu": "many"}')",
          "accounts_quota_of_quantities");
  Refused("name, parent", "'a', 'nobody'", "accounts_parent_there");
  Refused("name, parent", "'a', 'a'", "cannot be below itself");
  Refused("name", "'a b'", "accounts_name_check");
  Refused("name, label", "'a', ''", "accounts_label_of_pods");
  Refused("name, label", "'a', 'a b'", "accounts_label_of_pods");
}

TEST_F(AccountsTest, StayATreeWhoeverEditsThem) {
  Write("name, parent", "'a', NULL");
  Write("name, parent", "'b', 'a'");
  Write("name, parent", "'c', 'b'");
  EXPECT_THROW(
      database.Execute("UPDATE accounts SET parent = 'c' WHERE name = 'a'"),
      sql::Error);
  EXPECT_THROW(database.Execute("DELETE FROM accounts WHERE name = 'b'"),
               sql::Error);
  database.Execute("UPDATE accounts SET parent = 'a' WHERE name = 'c'");
  database.Execute("DELETE FROM accounts WHERE name = 'b'");
}

TEST_F(AccountsTest, StayATreeWhereTwoEditAtOnce) {
  Write("name", "'a'");
  Write("name", "'b'");
  sql::Transaction first(database.pool());
  first.RunScript("UPDATE accounts SET parent = 'b' WHERE name = 'a'");
  auto second = std::async(std::launch::async, [this] {
    try {
      database.Execute("UPDATE accounts SET parent = 'a' WHERE name = 'b'");
    } catch (const sql::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  });
  while (Ask("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND "
             "NOT granted") == "0")
    std::this_thread::yield();
  first.Commit();
  EXPECT_THAT(second.get(), HasSubstr("cannot be below itself"));
}

TEST_F(AccountsTest, OneIsWhoseAGroupIs) {
  Write("name, namespace", "'a', 'a'");
  Write("name, queue", "'q', 'q'");
  Write("name, namespace, queue", "'aq', 'a', 'q'");
  Write("name, label", "'x', 'x'");
  Refused("name, namespace", "'again', 'a'", "accounts_selector");
  const auto of = [&](const std::string& who) {
    return Ask("SELECT account_of(" + who + ")");
  };
  EXPECT_EQ(of("'q', 'a', 'x'"), "x");
  EXPECT_EQ(of("'q', 'a', ''"), "aq");
  EXPECT_EQ(of("'p', 'a', ''"), "a");
  EXPECT_EQ(of("'q', 'b', ''"), "q");
  EXPECT_EQ(of("'p', 'b', ''"), "NULL");
}

TEST_F(AccountsTest, QuotaTakesEffectAtOnceAndSaysWhy) {
  Write("name, namespace, quota", R"('team', 'default', '{"pods": "3"}')");
  CreateGang("first", 2);
  Pass(0);
  EXPECT_EQ(StateOf("first"), "allocated");
  CreateGang("second", 2);
  Pass(1);
  EXPECT_EQ(StateOf("second"), "pending queued");
  EXPECT_EQ(ReasonOf("second"),
            "needs 2 pods; of the quota of account team (3 pods) 2 pods is "
            "used or reserved");
  EXPECT_EQ(Ask("SELECT kind || ' ' || namespace FROM wait_reasons"),
            "quota default");
  Restart();
  Pass(2);
  EXPECT_EQ(StateOf("second"), "pending queued");
  EXPECT_FALSE(match->worker.Compare().again);
  database.Execute(R"(UPDATE accounts SET quota = '{"pods": "4"}')");
  Pass(3);
  EXPECT_EQ(StateOf("second"), "allocated");
  EXPECT_EQ(Ask("SELECT count(*) FROM wait_reasons"), "0");
}

TEST_F(AccountsTest, QuotaCountsDevicesOfAClassAlsoAfterARestart) {
  const std::string gpus = "gpu.deviceclass.resource.k8s.io/devices";
  PutGpus();
  Write("name, namespace, quota",
        "'team', 'default', '{\"" + gpus + "\": \"5\"}'");
  CreateGpuGang("first", 1, 1);
  Pass(0);
  EXPECT_EQ(StateOf("first"), "allocated");
  EXPECT_EQ(Ask("SELECT holds ->> '" + gpus + "' FROM account_summary"), "3");
  EXPECT_EQ(AskAll("SELECT other FROM placements ORDER BY pod_uid"),
            "{\"" + gpus + "\": 2}\n{\"" + gpus + "\": 1}");
  // Hours of usage do not have them: what ended pods had is not known.
  EXPECT_EQ(Ask("SELECT DISTINCT amounts_held(l) ? '" + gpus +
                "' FROM "
                "placements AS l"),
            "f");
  Restart();
  CreateGpuGang("second", 1, 1);
  Pass(1);
  EXPECT_EQ(ReasonOf("second"),
            "needs 3 " + gpus + "; of the quota of account team (5 " + gpus +
                ") 3 " + gpus + " is used or reserved");
  EXPECT_FALSE(match->worker.Compare().again);
}

TEST_F(AccountsTest, QuotaGoesByTheLabelElseByTheNamespace) {
  Write("name, namespace, quota", R"('space', 'default', '{"pods": "3"}')");
  Write("name, label, quota", R"('team', 'physics', '{"pods": "3"}')");
  CreateMarked("first", {{"fluxnetes.account", "physics"}});
  Pass(0);
  CreateMarked("second", {{"fluxnetes.account", "physics"}});
  Pass(1);
  EXPECT_EQ(StateOf("first"), "allocated");
  EXPECT_EQ(ReasonOf("second"),
            "needs 2 pods; of the quota of account team (3 pods) 2 pods is "
            "used or reserved");
  // No account has this label.
  CreateMarked("third", {{"fluxnetes.account", "nobody"}});
  Pass(2);
  CreateGang("fourth", 2);
  Pass(3);
  EXPECT_EQ(StateOf("third"), "allocated");
  EXPECT_EQ(ReasonOf("fourth"),
            "needs 2 pods; of the quota of account space (3 pods) 2 pods is "
            "used or reserved");
  EXPECT_EQ(AskAll("SELECT account, holds ->> 'pods', pending FROM "
                   "account_summary ORDER BY path"),
            "space|2|1\nteam|2|1");
  Relabel("second", "fluxnetes.account", "nobody");
  Pass(4);
  EXPECT_THAT(ReasonOf("second"), HasSubstr("of the quota of account space"));
  Restart();
  Pass(5);
  EXPECT_THAT(ReasonOf("second"), HasSubstr("of the quota of account space"));
  EXPECT_FALSE(match->worker.Compare().again);
}

TEST_F(AccountsTest, FairShareGoesByTheLabel) {
  SetNode("n0", 4'000);
  SetNode("n1", 0);
  SetNode("n2", 0);
  Write("name, label", "'a', 'heavy'");
  Write("name, label", "'b', 'light'");
  database.Execute("UPDATE queues SET queue_order = 'fair_share'");
  database.Execute(
      "INSERT INTO account_use VALUES ('default', 'default', 'heavy', 1000000, "
      "'" +
      *sql::Parameter(kNoon).text() + "')");
  Restart();
  const auto create = [&](const std::string& account) {
    cluster::Pod pod = PodOf({.name = account, .group = account, .cpu = 4'000});
    pod.labels["fluxnetes.account"] = account;
    door.Put(pod);
  };
  create("heavy");
  create("light");
  Pass(1);
  EXPECT_EQ(StateOf("light"), "allocated");
  EXPECT_THAT(StateOf("heavy"), HasSubstr("pending"));
}

TEST_F(AccountsTest, QuotaBeyondAllNumbersIsNoLimit) {
  Write("name, namespace, quota",
        R"('team', 'default', '{"memory": "999999999999999Pi"}')");
  CreateGang("first", 2);
  Pass(0);
  EXPECT_EQ(StateOf("first"), "allocated");
}

TEST_F(AccountsTest, WhatWasUsedIsKeptOverARestart) {
  database.Execute("UPDATE queues SET queue_order = 'fair_share'");
  CreateGang("first", 2);
  Pass(0);
  ASSERT_EQ(StateOf("first"), "allocated");
  CreateGang("second", 2);
  Pass(120);
  EXPECT_EQ(Ask("SELECT namespace FROM account_use WHERE used > 1"), "default");
  database.Execute("UPDATE account_use SET used = 1000000");
  Restart();
  CreateGang("third", 2);
  Pass(300);
  EXPECT_EQ(Ask("SELECT used > 990000 AND used < 1000100 FROM account_use"),
            "t");
}

TEST_F(AccountsTest, WhatIsUsedCountsOnAfterTheClockWasSetBack) {
  database.Execute("UPDATE queues SET queue_order = 'fair_share'");
  CreateGang("first", 2);
  Pass(0);
  ASSERT_EQ(StateOf("first"), "allocated");
  CreateGang("second", 2);
  Pass(120);
  database.Execute(
      "UPDATE account_use SET used = 50, as_of = as_of + interval '1 year'");
  Restart();
  CreateGang("third", 2);
  Pass(240);
  CreateGang("fourth", 2);
  Pass(360);
  EXPECT_GT(std::stod(Ask("SELECT used FROM account_use")), 51);
  EXPECT_EQ(
      Ask("SELECT extract(epoch FROM as_of)::bigint FROM account_use"),
      std::to_string(kNoon.time_since_epoch() / std::chrono::seconds(1) + 360));
}

TEST_F(AccountsTest, OrdersAreSettingsOfQueues) {
  SetNode("n0", 4'000);
  SetNode("n1", 0);
  SetNode("n2", 0);
  const auto create = [&](const std::string& name, int seconds) {
    cluster::Pod pod = PodOf({.name = name, .group = name});
    pod.request.resources.cpu_milli = 4'000;
    pod.active_deadline = std::chrono::seconds(seconds);
    door.Put(pod);
  };
  create("long", 1'000);
  create("brief", 10);
  database.Execute("UPDATE queues SET queue_order = 'shortest', ageing = 1");
  Pass(0);
  EXPECT_EQ(StateOf("brief"), "allocated");
  EXPECT_EQ(StateOf("long"), "pending reserved");
  EXPECT_THROW(database.Execute("UPDATE queues SET ageing = 'NaN'"),
               sql::Error);
  EXPECT_THROW(database.Execute("UPDATE queues SET ageing = -1"), sql::Error);
  EXPECT_THROW(database.Execute("UPDATE queues SET half_life = '0'"),
               sql::Error);
}

}  // namespace
}  // namespace fluxnetes::workers
