#include "tests/workers/support/match_fixture.h"
#include "workers/bind/overdue_bindings.h"

namespace fluxnetes::workers {
namespace {

using std::chrono::seconds;

class OverdueBindingsTest : public MatchTest {
 protected:
  // Makes a group of two pods, one of them bound.
  void BindInPart(const std::string& state = "pending") {
    Place("train", 2);
    BindPlaced();
    database.Execute(
        "UPDATE pods SET state = 'waiting', node_name = NULL, bound_at = NULL "
        "WHERE pod_name = 'train-1';"
        "UPDATE pod_groups SET state = '" +
        state + "', phase = CASE '" + state +
        "' WHEN 'pending' THEN 'queued' END, bound_at = NULL, "
        "first_in_line = true, went_back_at = allocated_at");
  }
};

TEST_F(OverdueBindingsTest, GroupBoundInPartTooLongStartsAnew) {
  BindInPart();
  overdue->GiveUp(kNoon + seconds(30));
  EXPECT_TRUE(door.deleted.empty());
  overdue->GiveUp(kNoon + seconds(61));
  ASSERT_EQ(door.deleted.size(), 1U);
  EXPECT_EQ(door.deleted[0], "Pod default/train-0");
}

TEST_F(OverdueBindingsTest, GroupWhoseRestCanNeverFitStartsAnewToo) {
  BindInPart("unsatisfiable");
  overdue->GiveUp(kNoon + seconds(61));
  EXPECT_EQ(door.deleted.size(), 1U);
}

TEST_F(OverdueBindingsTest, BarePodIsToldOnceAndStays) {
  BindInPart();
  database.Execute("UPDATE pods SET owner_uid = NULL");
  overdue->GiveUp(kNoon + seconds(61));
  EXPECT_TRUE(door.deleted.empty());
  ASSERT_EQ(door.events.size(), 1U);
  EXPECT_EQ(door.events[0].pod_name, "train-0");
  // The API server keeps one of such events.
  EXPECT_TRUE(door.events[0].once);
}

TEST_F(OverdueBindingsTest, PodThatMayNotBeDeletedKeepsNoOtherBack) {
  Place("other", 1);
  BindInPart();
  database.Execute(
      "UPDATE pod_groups SET state = 'pending', phase = 'queued', "
      "bound_at = NULL, first_in_line = true, went_back_at = allocated_at");
  door.undeletable = {"Pod default/other-0"};
  EXPECT_THROW(overdue->GiveUp(kNoon + seconds(61)), cluster::Refused);
  EXPECT_THAT(door.deleted, ::testing::UnorderedElementsAre(
                                "Pod default/other-0", "Pod default/train-0"));
}

// Its running pods may have worked for days.
TEST_F(OverdueBindingsTest, GroupThatRanWholeKeepsItsPodsWhateverItWaitsFor) {
  Place("train", 2);
  BindPlaced();
  Observe();
  const auto later = kNoon + std::chrono::hours(5);
  cluster::Pod late =
      PodOf({.name = "late", .group = "train", .size = 2, .owner = "train"});
  door.End("default/train-0", cluster::PodPhase::kFailed);
  Observe(later);
  database.Execute(
      "DELETE FROM placements WHERE pod_uid IN (SELECT uid FROM "
      "pods WHERE state = 'failed')");  // its place is no longer held
  door.Put(late);
  Observe(later);
  ASSERT_EQ(StateOf("train"), "pending queued");
  overdue->GiveUp(later + std::chrono::hours(1));
  EXPECT_TRUE(door.deleted.empty());
  // But if a node rejected one of its first pods, the group never ran whole.
  database.Execute(
      "UPDATE pods SET turned_away = 'OutOfcpu' WHERE state = 'failed'");
  overdue->GiveUp(later + std::chrono::hours(1));
  EXPECT_THAT(door.deleted, ::testing::ElementsAre("Pod default/train-1"));
}

}  // namespace
}  // namespace fluxnetes::workers
