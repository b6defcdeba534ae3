// Tests: pods without a controller, or with one of an unknown kind, that come
// in the stead of members of an active group (intake_latecomers.h).
#include "tests/workers/support/lifecycle_fixture.h"
#include "workers/cleanup/cleanup.h"

namespace fluxnetes::workers {
namespace {

class FreePodsTest : public LifecycleTest {
 protected:
  FreePodsTest()
      : cleanup(database.pool(), *jobs, *client, door, Cleanup::Options{}) {}

  void RunBare(int size) {
    for (int i = 0; i < size; ++i) Come("train-" + std::to_string(i), size);
    Start();
  }
  void Start() {
    ObserveAndPromote();
    Allocate("train");
    Bind("train");
    Observe();
    database.Execute("DELETE FROM jobs; DELETE FROM match_inbox");
  }
  std::string Come(const std::string& name, int size = 2,
                   std::int64_t cpu = 1'000) {
    return Create({.name = name, .group = "train", .size = size, .cpu = cpu});
  }
  // Each pod has a controller of its own, of a kind that nobody can read.
  std::string ComeOfATask(const std::string& name) {
    cluster::Pod pod = PodOf({.name = name, .group = "train", .size = 2});
    pod.controller = cluster::Owner{"Task", name, "uid-of-" + pod.uid};
    door.Put(pod);
    return pod.uid;
  }
  void Clean() {
    while (cleanup.RunOnce(kNoon)) {
    }
  }
  // The living members and those that were replaced.
  std::string Members() {
    return AskAll(
        "SELECT pod_name, p.state FROM pods p JOIN pod_groups g ON g.id = "
        "group_id "
        "WHERE group_name = 'train' AND replaced_by IS NULL ORDER BY 1");
  }

  Cleanup cleanup;
};

TEST_F(FreePodsTest, OneOfTheSameNameTakesTheVacancyOfTheDeletedMember) {
  RunBare(2);
  door.Remove("default/train-1");
  Observe();
  Clean();
  Come("train-1");
  ObserveAndPromote();
  EXPECT_EQ(Members(), "train-0|bound\ntrain-1|waiting");
  EXPECT_EQ(StateOf("train"), "pending queued");
  EXPECT_EQ(Filling("train"), "");
}

TEST_F(FreePodsTest, OneOfTheSameNameTakesTheVacancyOfTheFailedMember) {
  RunBare(2);
  door.End("default/train-1", cluster::PodPhase::kFailed);
  Observe();
  door.Remove("default/train-1");
  Come("train-1");
  ObserveAndPromote();
  EXPECT_EQ(Members(), "train-0|bound\ntrain-1|waiting");
  EXPECT_EQ(Filling("train"), "");
}

TEST_F(FreePodsTest, OneOfAnotherNameTakesTheVacancyOfEqualRequest) {
  RunBare(3);
  door.End("default/train-1", cluster::PodPhase::kFailed);
  Observe();
  Come("other", 3, 2'000);
  Come("train-9", 3);
  ObserveAndPromote();
  EXPECT_EQ(Members(), "train-0|bound\ntrain-2|bound\ntrain-9|waiting");
  EXPECT_EQ(Filling("train"), "1/3") << "the one of another shape";
}

TEST_F(FreePodsTest, NameCountsBeforeShape) {
  RunBare(3);
  door.End("default/train-0", cluster::PodPhase::kFailed);
  door.End("default/train-1", cluster::PodPhase::kFailed);
  Observe();
  door.Remove("default/train-1");
  Come("train-1", 3, 2'000);
  ObserveAndPromote();
  EXPECT_EQ(Ask("SELECT v.pod_name FROM pods v JOIN pods p ON p.uid = "
                "v.replaced_by"),
            "train-1");
}

TEST_F(FreePodsTest, OneThatSucceededIsRepeatedByOneOfItsNameOnly) {
  RunBare(2);
  door.End("default/train-1", cluster::PodPhase::kSucceeded);
  Observe();
  Clean();
  Come("train-7");
  ObserveAndPromote();
  EXPECT_EQ(Filling("train"), "1/2");
  door.Remove("default/train-7");
  door.Remove("default/train-1");
  Observe();
  Come("train-1");
  ObserveAndPromote();
  EXPECT_EQ(Members(), "train-0|bound\ntrain-1|waiting");
  EXPECT_EQ(Filling("train"), "");
}

TEST_F(FreePodsTest, OneThatCameBeforeTheMemberEndedTakesItsVacancy) {
  RunBare(2);
  Come("train-2");
  ObserveAndPromote();
  EXPECT_EQ(Filling("train"), "1/2");
  door.End("default/train-1", cluster::PodPhase::kFailed);
  ObserveAndPromote();
  EXPECT_EQ(Members(), "train-0|bound\ntrain-2|waiting");
  EXPECT_EQ(Filling("train"), "");
}

TEST_F(FreePodsTest, OneVacancyIsTakenOnce) {
  RunBare(2);
  door.End("default/train-1", cluster::PodPhase::kFailed);
  Observe();
  Come("train-2");
  Come("train-3");
  ObserveAndPromote();
  EXPECT_EQ(Members(), "train-0|bound\ntrain-2|waiting");
  EXPECT_EQ(Filling("train"), "1/2");
}

TEST_F(FreePodsTest, GroupThatIsOverHasNoVacancies) {
  RunBare(2);
  door.End("default/train-0", cluster::PodPhase::kSucceeded);
  door.End("default/train-1", cluster::PodPhase::kFailed);
  Observe();
  door.Remove("default/train-1");
  Come("train-1");  // cleanup has not seen the end yet
  ObserveAndPromote();
  EXPECT_EQ(Filling("train"), "1/2");
  Clean();
  EXPECT_EQ(Ask("SELECT result FROM group_history"), "failed");
}

TEST_F(FreePodsTest, NextGangOfTheNameIsAGroupOfItsOwn) {
  RunBare(2);
  Come("again-0");
  Come("again-1");
  ObserveAndPromote();
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups WHERE group_name = 'train'"),
            "2");
}

TEST_F(FreePodsTest, VacancyOfAControlledMemberIsForItsController) {
  Run("train", 2);
  door.End("default/train-1", cluster::PodPhase::kFailed);
  Observe();
  Come("bare");
  ObserveAndPromote();
  EXPECT_EQ(Filling("train"), "1/2");
}

TEST_F(FreePodsTest, OneOfAControllerOfAnUnknownKindTakesTheVacancyOfItsKind) {
  ComeOfATask("train-0");
  ComeOfATask("train-1");
  Start();
  door.End("default/train-1", cluster::PodPhase::kFailed);
  Observe();
  door.Remove("default/train-1");
  Come("bare");
  ComeOfATask("train-1");
  ObserveAndPromote();
  EXPECT_EQ(Members(), "train-0|bound\ntrain-1|waiting");
  EXPECT_EQ(Filling("train"), "1/2") << "the bare one";
}

}  // namespace
}  // namespace fluxnetes::workers
