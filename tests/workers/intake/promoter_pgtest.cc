#include "sql/faults.h"
#include "tests/workers/support/lifecycle_fixture.h"
#include "workers/intake/promoter.h"

namespace fluxnetes::workers {
namespace {

class PromoterTest : public LifecycleTest {};

TEST_F(PromoterTest, WholeGroupBecomesActiveWithOneMatchJob) {
  CreateGang("train", 3);
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT group_name, group_size, state, phase, revision, "
                   "queue, owners FROM pod_groups"),
            "train|3|pending|queued|1|default|{uid-of-train}");
  EXPECT_EQ(AskAll("SELECT pod_name, state FROM pods ORDER BY pod_name"),
            "train-0|waiting\ntrain-1|waiting\ntrain-2|waiting");
  EXPECT_EQ(Ask("SELECT count(*) FROM jobs j JOIN pod_groups g ON "
                "g.match_job = j.id AND (j.args ->> 'group')::bigint = g.id "
                "WHERE j.kind = 'match' AND j.queue = 'match:default'"),
            "1");
  EXPECT_EQ(Ask("SELECT count(*) FROM pods_provisional"), "0");
  EXPECT_EQ(Ask("SELECT count(*) FROM groups_provisional"), "0");
}

constexpr const char* kTheirs =
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST_F(PromoterTest, GroupIsOfTheTraceOfItsFirstPodThatHasOne) {
  for (int i = 0; i < 3; ++i) {
    cluster::Pod pod = PodOf({.name = "train-" + std::to_string(i),
                              .group = "train",
                              .size = 3,
                              .owner = "train"});
    if (i > 0)
      pod.annotations["traceparent"] =
          i == 1 ? kTheirs
                 : "00-11111111111111111111111111111111-2222222222222222-00";
    door.Put(pod);
  }
  ObserveAndPromote();
  EXPECT_EQ(Ask("SELECT traceparent FROM pod_groups"), kTheirs);
}

TEST_F(PromoterTest, TraceIsMadeWhenAGroupsFirstPodComesAndKeptToTheEnd) {
  CreateGang("train", 2, 1);
  cluster::Pod pod = PodOf({.name = "other"});
  pod.annotations["traceparent"] = "00-4BF92F-1-01";  // malformed
  door.Put(pod);
  ObserveAndPromote();
  const std::string made = Ask("SELECT traceparent FROM groups_provisional");
  Create({.name = "train-1", .group = "train", .size = 2, .owner = "train"});
  ObserveAndPromote();
  EXPECT_EQ(
      Ask("SELECT traceparent FROM pod_groups WHERE group_name = 'train'"),
      made);
  EXPECT_EQ(Ask("SELECT count(DISTINCT traceparent) FROM pod_groups WHERE "
                "traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-01$'"),
            "2");
}

TEST_F(PromoterTest, SurplusPodsHaveTracesOfTheirOwn) {
  CreateGang("train", 2, 3);
  cluster::Pod pod =
      PodOf({.name = "train-3", .group = "train", .size = 2, .owner = "train"});
  pod.annotations["traceparent"] = kTheirs;
  door.Put(pod);
  ObserveAndPromote();
  EXPECT_EQ(Ask("SELECT count(DISTINCT traceparent) FROM pod_groups"), "3");
  EXPECT_EQ(Ask("SELECT traceparent FROM pod_groups WHERE group_name = "
                "'fluxnetes-group-default-train-3'"),
            kTheirs);
}

// An elastic group of one pod that may grow to three, with four further pods.
TEST_F(PromoterTest, ElasticGroupsAreLookedAtWhenThereAreNewsOfThem) {
  const auto running = [this] {
    return Ask(
        "SELECT coalesce(string_agg(id::text, ' ' ORDER BY id), '') "
        "FROM pod_groups WHERE extends = 1 AND phase = 'queued'");
  };
  const auto news = [this] { return Ask("SELECT count(*) FROM growth_inbox"); };
  database.Execute(
      "INSERT INTO pod_groups (id, namespace, group_name, group_size, max_size,"
      "  queue, priority, shape, submitted_at, promoted_at)"
      " VALUES (1, 'default', 'train', 1, 3, 'default', 0, 1, now(), now());"
      "INSERT INTO pods (uid, group_id, namespace, pod_name, asked_name,"
      "  request, resource_version, created_at)"
      " VALUES ('u', 1, 'default', 'train-0', 'train', '{}', '1', now());"
      "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,"
      "  priority, shape, submitted_at, promoted_at, phase, held_at,"
      "  held_reason, extends)"
      " SELECT i, 'default', 'more-' || i, 1, 'default', -1, 1, now(), now(),"
      "  'held', now(), 'until its group has grown by it', 1"
      " FROM generate_series(2, 5) AS i");
  EXPECT_EQ(news(), "4");
  promoter->RunOnce(kNoon);
  EXPECT_EQ(news(), "0");
  EXPECT_EQ(running(), "");  // it has not started
  database.Execute(
      "UPDATE pod_groups SET state = 'allocated', phase = NULL "
      "WHERE id = 1");
  EXPECT_EQ(news(), "1");
  promoter->RunOnce(kNoon);
  EXPECT_EQ(running(), "2 3");
  EXPECT_EQ(news(), "0");
  EXPECT_FALSE(promoter->RunOnce(kNoon));
  // One of its own pods ends; a pod of its growth starts.
  database.Execute("UPDATE pods SET state = 'succeeded'");
  EXPECT_EQ(news(), "1");
  promoter->RunOnce(kNoon);
  EXPECT_EQ(running(), "2 3 4");
  database.Execute("DELETE FROM pod_groups WHERE id = 3");
  promoter->RunOnce(kNoon);
  EXPECT_EQ(running(), "2 4 5");
  // Its changes are deleted with the group.
  database.Execute("DELETE FROM pod_groups WHERE id IN (1, 2)");
  EXPECT_EQ(news(), "0");
}

TEST_F(PromoterTest, IncompleteGroupStays) {
  CreateGang("train", 3, 2);
  ObserveAndPromote();
  EXPECT_EQ(Filling("train"), "2/3");
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups"), "0");
  EXPECT_EQ(Jobs("match"), "0");
}

TEST_F(PromoterTest, GroupIsPromotedOnce) {
  CreateGang("train", 2);
  ObserveAndPromote();
  ObserveAndPromote();
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups"), "1");
  EXPECT_EQ(Jobs("match"), "1");
}

TEST_F(PromoterTest, PodWithoutLabelsIsAGroupOfOne) {
  Create({.name = "lone"});
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT group_name, group_size FROM pod_groups"),
            "fluxnetes-group-default-lone|1");
}

TEST_F(PromoterTest, FirstPodsByIndexThenAgeAreTheMembers) {
  for (const int index : {3, 0, 2, 1}) {
    cluster::Pod pod = PodOf({.name = "p" + std::to_string(index),
                              .group = "train",
                              .size = 2,
                              .owner = "train"});
    pod.completion_index = index;
    door.Put(pod);
  }
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT p.pod_name FROM pods p JOIN pod_groups g ON "
                   "g.id = p.group_id WHERE g.group_name = 'train' "
                   "ORDER BY p.pod_name"),
            "p0\np1");
}

TEST_F(PromoterTest, SurplusPodsBecomeGroupsOfOneInTheOrderOfTheGroup) {
  Create(
      {.name = "a", .group = "train", .size = 2, .owner = "j", .priority = 7});
  for (const char* name : {"b", "c", "d"})
    Create({.name = name, .group = "train", .size = 2, .owner = "j"});
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT group_name, group_size, priority FROM pod_groups "
                   "ORDER BY group_name"),
            "fluxnetes-group-default-c|1|7\nfluxnetes-group-default-d|1|7\n"
            "train|2|7");
  EXPECT_EQ(Ask("SELECT count(DISTINCT submitted_at) FROM pod_groups"), "1");
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups g JOIN jobs j ON "
                "j.id = g.match_job"),
            "3");
  EXPECT_EQ(Ask("SELECT count(*) FROM pods_provisional"), "0");
}

TEST_F(PromoterTest, ShapeIsThatOfTheRequestsInAnyOrder) {
  const auto gang = [this](const std::string& name, std::vector<int> cpus,
                           bool deadline = false) {
    for (std::size_t i = 0; i < cpus.size(); ++i) {
      cluster::Pod pod = PodOf({.name = name + std::to_string(i),
                                .group = name,
                                .size = static_cast<int>(cpus.size()),
                                .cpu = cpus[i]});
      if (deadline) pod.active_deadline = std::chrono::seconds(60);
      door.Put(pod);
    }
  };
  gang("a", {1000, 2000});
  gang("b", {2000, 1000});
  gang("c", {2000, 2000});
  gang("d", {1000, 2000}, true);
  gang("e", {1000, 2000, 2000});
  ObserveAndPromote();
  const auto shape = [this](const char* name) {
    return Ask(
        std::string("SELECT shape FROM pod_groups WHERE group_name = '") +
        name + "'");
  };
  EXPECT_EQ(shape("a"), shape("b"));
  EXPECT_NE(shape("a"), shape("c"));
  EXPECT_NE(shape("a"), shape("d"));
  EXPECT_NE(shape("a"), shape("e"));
}

TEST_F(PromoterTest, DurationIsTheLongestOrNone) {
  for (const char* name : {"a", "b"}) {
    cluster::Pod pod = PodOf({.name = name, .group = "x", .size = 2});
    pod.active_deadline = std::chrono::seconds(*name == 'a' ? 60 : 90);
    door.Put(pod);
  }
  cluster::Pod limited = PodOf({.name = "c", .group = "y", .size = 2});
  limited.active_deadline = std::chrono::seconds(60);
  door.Put(limited);
  Create({.name = "d", .group = "y", .size = 2});
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT group_name, duration_seconds FROM pod_groups "
                   "ORDER BY group_name"),
            "x|90\ny|NULL");
}

TEST_F(PromoterTest, GroupEndsAsItsSlowestPodAndPreemptsIfAllOfThemDo) {
  const auto create = [this](const std::string& name, const std::string& group,
                             int seconds, bool preempts, int size = 2) {
    cluster::Pod pod =
        PodOf({.name = name, .group = group, .size = size, .owner = group});
    pod.grace = std::chrono::seconds(seconds);
    pod.preempts = preempts;
    door.Put(pod);
  };
  create("a", "x", 5, true);
  create("b", "x", 600, true);
  create("c", "y", 0, false);
  create("d", "y", 0, true);
  Create({.name = "e", .group = "z"});
  ObserveAndPromote();
  const std::string groups =
      "SELECT group_name, grace_seconds, preempts FROM pod_groups "
      "ORDER BY group_name DESC";
  EXPECT_EQ(AskAll(groups), "z|30|t\ny|0|f\nx|600|t");
  // A pod beyond its size.
  database.Execute("DELETE FROM pod_groups WHERE group_name <> 'x'");
  create("f", "x", 7, false);
  ObserveAndPromote();
  EXPECT_EQ(AskAll(groups), "x|600|t\nfluxnetes-group-default-f|7|f");
}

TEST_F(PromoterTest, BatchIsBoundedAndTheRestFollows) {
  promoter = std::make_unique<Promoter>(database.pool(), *jobs,
                                        Promoter::Options{.batch = 2});
  for (int i = 0; i < 5; ++i) Create({.name = "p" + std::to_string(i)});
  Observe();
  EXPECT_TRUE(promoter->RunOnce(kNoon));
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups"), "2");
  EXPECT_TRUE(promoter->RunOnce(kNoon));
  EXPECT_FALSE(promoter->RunOnce(kNoon));
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups"), "5");
}

TEST_F(PromoterTest, GroupThatIntakeHoldsIsLeftToTheNextRun) {
  CreateGang("train", 2);
  Observe();
  {
    sql::Transaction holding(database.pool());
    holding.RunScript("SELECT FROM groups_provisional FOR UPDATE");
    EXPECT_FALSE(promoter->RunOnce(kNoon));
  }
  EXPECT_EQ(Filling("train"), "2/2");
  promoter->RunOnce(kNoon);
  EXPECT_EQ(StateOf("train"), "pending queued");
}

#ifdef FLUXNETES_FAULTS
TEST_F(PromoterTest, PlantedBugPromotesInPart) {
  CreateGang("train", 3);
  Observe();
  sql::PlantBug("promoted-in-part");
  promoter->RunOnce(kNoon);
  sql::PlantBug("");
  EXPECT_EQ(Ask("SELECT count(*) FROM pods p JOIN pod_groups g ON "
                "g.id = p.group_id WHERE g.group_name = 'train'"),
            "2");
}
#endif

TEST_F(PromoterTest, IntakePromotesWhatItMakesWholeInOneTransaction) {
  int commits = 0;
  StartIntake({.promoter = promoter.get(), .on_recorded = [&](const auto&) {
                 ++commits;
                 EXPECT_EQ(StateOf("whole"), "pending queued");
                 EXPECT_EQ(Filling("half"), "1/2");
               }});
  CreateGang("whole", 2);
  CreateGang("half", 2, 1);
  Observe();
  EXPECT_EQ(commits, 1);
  EXPECT_FALSE(promoter->RunOnce(kNoon));
}

TEST_F(PromoterTest, MatchIsCalledOnlyForWhatIsWhole) {
  std::vector<std::string> calls;
  StartIntake({.promoter = promoter.get(), .on_recorded = [&](const auto& it) {
                 calls.push_back(std::string(it.for_match ? "match" : "-") +
                                 (it.for_cleanup ? " cleanup" : ""));
               }});
  CreateGang("train", 2, 1);
  Observe();
  Create({.name = "train-1", .group = "train", .size = 2, .owner = "train"});
  Observe();
  door.Remove("default/train-0");
  door.Remove("default/train-1");
  Observe();
  EXPECT_THAT(calls, ::testing::ElementsAre("-", "match", "match cleanup"));
}

// A further pod, when the group is already active.
TEST_F(PromoterTest, MatchIsCalledForALatePodThatBecomesAGroup) {
  CreateGang("train", 1);
  ObserveAndPromote();
  std::vector<bool> calls;
  StartIntake({.promoter = promoter.get(), .on_recorded = [&](const auto& it) {
                 calls.push_back(it.for_match);
               }});
  Create({.name = "more", .group = "train", .size = 1, .owner = "train"});
  Observe();
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups"), "2");
  EXPECT_THAT(calls, ::testing::ElementsAre(true));
}

TEST_F(PromoterTest, IntakeLeavesMoreThanABatchToThePromoter) {
  promoter = std::make_unique<Promoter>(database.pool(), *jobs,
                                        Promoter::Options{.batch = 1});
  StartIntake({.promoter = promoter.get()});
  CreateGang("first", 2);
  CreateGang("second", 2);
  Observe();
  EXPECT_EQ(StateOf("first"), "pending queued");
  EXPECT_EQ(Filling("second"), "2/2");
  EXPECT_TRUE(promoter->RunOnce(kNoon));
  EXPECT_EQ(StateOf("second"), "pending queued");
}

TEST_F(PromoterTest, WithAGatedPodBeyondAWholeGroupTheNextOneBegins) {
  cluster::Pod gated = PodOf({.name = "gated", .group = "train", .size = 2});
  gated.gated = true;
  door.Put(gated);
  Observe();
  CreateGang("train", 2);
  ObserveAndPromote();
  EXPECT_EQ(StateOf("train"), "pending queued");
  EXPECT_EQ(Filling("train"), "0/2");
}

}  // namespace
}  // namespace fluxnetes::workers
