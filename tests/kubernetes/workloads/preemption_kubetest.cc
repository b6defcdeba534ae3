// Groups that are evicted for others.
#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

constexpr const char* kClasses = "/apis/scheduling.k8s.io/v1/priorityclasses";

// The namespace's name is that of a priority class, too.
class KubernetesPreemption : public OnKubernetes {
 protected:
  void SetUp() override {
    OnKubernetes::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    Send("POST", kClasses,
         {{"apiVersion", "scheduling.k8s.io/v1"},
          {"kind", "PriorityClass"},
          {"metadata", {{"name", home_}}},
          {"value", 1'000}});
    has_class_ = true;
    database_->Execute("UPDATE queues SET preemption = 'lower_priority'");
  }
  void TearDown() override {
    if (has_class_) Send("DELETE", kClasses + ("/" + home_));
    OnKubernetes::TearDown();
  }

  std::string ResultsOf(const std::string& group) {
    return Ask(
        "SELECT string_agg(result, ' ' ORDER BY group_id) FROM group_history "
        "WHERE group_name = '" +
        group + "'");
  }
  // As soon as all of it are bound.
  bool EndsWell(const std::string& group) {
    return Comes([&] {
      EndGroup(group);
      return StateOf(group) == "succeeded";
    });
  }

 private:
  bool has_class_ = false;
};

TEST_F(KubernetesPreemption, JobGoesWholeForOneOfAHigherPriorityAndRunsAnew) {
  Submit(Gang("low", 2, {.cpu = 4}));
  ASSERT_TRUE(Comes("low", "bound"));
  const auto evicted = PodsOf("low");
  Submit(Gang("high", 2, {.cpu = 4, .more = "priorityClassName: " + home_}));
  ASSERT_TRUE(Comes("high", "bound"));
  EXPECT_EQ(ResultsOf("low"), "preempted");
  // The pods themselves, and their condition, are gone before one can look:
  // the kubelets of this cluster take no time.
  std::vector<Json> told;
  for (const cluster::Pod& pod : evicted)
    for (const Json& event : EventsOf(pod.name, "Preempted"))
      told.push_back(event);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0]["message"],
            "the group is preempted by group " + home_ + "/high");
  EXPECT_TRUE(Comes([&] { return PodsOf("low").size() == 2; }));
  EXPECT_TRUE(Comes("low", "pending"));
  for (const cluster::Pod& pod : PodsOf("low")) {
    EXPECT_NE(pod.uid, evicted[0].uid);
    EXPECT_NE(pod.uid, evicted[1].uid);
  }
  ASSERT_TRUE(EndsWell("high"));
  ASSERT_TRUE(Comes("low", "bound"));
  ASSERT_TRUE(EndsWell("low"));
  EXPECT_EQ(ResultsOf("low"), "preempted succeeded");
}

}  // namespace
}  // namespace fluxnetes::testing
