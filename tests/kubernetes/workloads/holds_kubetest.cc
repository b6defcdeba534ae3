// Who may start when: holds and times to start.
#include <chrono>

#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

class KubernetesHolds : public OnKubernetes {
 protected:
  static std::string In(int seconds) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::to_string(
        std::chrono::duration_cast<std::chrono::seconds>(now).count() +
        seconds);
  }

  // A gang whose pods have one more label.
  static std::string GangWith(const std::string& name, int size,
                              const std::string& label,
                              const std::string& value) {
    std::string manifest = Gang(name, size);
    const std::string labels = "labels: {";
    manifest.insert(manifest.find(labels) + labels.size(),
                    label + ": \"" + value + "\", ");
    return manifest;
  }

  std::string PhaseOf(const std::string& group) {
    return Ask("SELECT phase FROM pending WHERE group_name = '" + group + "'");
  }

  // As the command does it.
  void SetHold(const std::string& group, const std::string& columns) {
    database_->Execute("UPDATE pod_groups SET " + columns +
                       " WHERE group_name = '" + group + "'");
  }
};

TEST_F(KubernetesHolds, HeldGroupStartsWhenItIsReleased) {
  Submit(GangWith("train", 4, "fluxnetes.hold", "true"));
  ASSERT_TRUE(Comes([&] { return PhaseOf("train") == "held"; }));
  Submit(Gang("other", 4));
  ASSERT_TRUE(Comes("other", "bound"));
  // Its pods are told, and not that a node is missing.
  ASSERT_TRUE(Comes([&] {
    const Json condition = ConditionOf(PodsOf("train")[0].name);
    return !condition.is_null() && condition["reason"] == "SchedulingGated" &&
           condition["message"] ==
               "held by the label fluxnetes.hold of its pods";
  }));
  EXPECT_EQ(Bound("train"), 0);
  StartScheduler();
  SetHold("train", "released_at = now()");
  EXPECT_TRUE(Comes("train", "bound"));
}

TEST_F(KubernetesHolds, ReservationIsGivenUpWhileAGroupIsHeld) {
  Submit(Gang("fills", 2, {.cpu = 3}));
  ASSERT_TRUE(Comes("fills", "bound"));
  Submit(Gang("wide", 2, {.cpu = 4}));
  ASSERT_TRUE(Waits("wide"));
  SetHold("wide", "held_at = now(), held_reason = 'not yet'");
  ASSERT_EQ(PhaseOf("wide"), "held");
  EXPECT_EQ(Ask("SELECT count(*) FROM reservations"), "0");
  EndGroup("fills");
  Submit(Gang("next", 2, {.cpu = 4}));
  ASSERT_TRUE(Comes("next", "bound"));
  EXPECT_EQ(ReasonOf("wide"), "held: not yet");
  EndGroup("next");
  SetHold("wide", "held_at = NULL");
  EXPECT_TRUE(Comes("wide", "bound"));
}

TEST_F(KubernetesHolds, GroupStartsAtItsTime) {
  Submit(GangWith("later", 4, "fluxnetes.start-after", In(3'600)));
  ASSERT_TRUE(Comes([&] { return PhaseOf("later") == "deferred"; }));
  EXPECT_EQ(ReasonOf("later").rfind("starts after ", 0), 0U);
  // The user thinks better of it.
  for (const cluster::Pod& pod : PodsOf("later"))
    Patch("pods/" + pod.name,
          {{"metadata", {{"labels", {{"fluxnetes.start-after", In(2)}}}}}});
  EXPECT_TRUE(Comes("later", "bound"));
}

TEST_F(KubernetesHolds, GroupWithoutAPlaceByItsTimeIsGivenUp) {
  Submit(GangWith("late", 16, "fluxnetes.start-by", In(4)));
  ASSERT_TRUE(Comes([&] { return StateOf("late") == "cancelled"; }));
  EXPECT_EQ(Ask("SELECT reason LIKE 'had %(fluxnetes.start-by)%' "
                "FROM group_history WHERE group_name = 'late'"),
            "t");
  EXPECT_TRUE(Comes([&] { return PodsOf("late").empty(); }));
  const Json events = Send("GET", Path("events"))["items"];
  int told = 0;
  for (const Json& event : events)
    if (event.value("message", "").rfind("given up: the group had ", 0) == 0)
      ++told;
  EXPECT_EQ(told, 1);
}

TEST_F(KubernetesHolds, TimeThatIsNoneIsRefused) {
  Submit(GangWith("odd", 2, "fluxnetes.start-by", "tomorrow"));
  ASSERT_TRUE(Comes([&] {
    const auto pods = PodsOf("odd");
    return !pods.empty() && !EventsOf(pods[0].name, "FailedScheduling").empty();
  }));
  const auto message =
      EventsOf(PodsOf("odd")[0].name, "FailedScheduling")[0]["message"]
          .get<std::string>();
  EXPECT_NE(message.find("label fluxnetes.start-by is \"tomorrow\""),
            std::string::npos);
}

}  // namespace
}  // namespace fluxnetes::testing
