// Groups whose controllers can no longer make them whole, by the Job controller
// of Kubernetes, and replacements that no controller makes.
#include <algorithm>

#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

class MakersOnKubernetes : public OnKubernetes {
 protected:
  std::int64_t Succeeded(const std::string& group) {
    return std::ranges::count(PodsOf(group), cluster::PodPhase::kSucceeded,
                              &cluster::Pod::phase);
  }
};

TEST_F(MakersOnKubernetes, RestOfAJobsCompletionsRunsAsASmallerGroup) {
  const std::string job = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: rest}
spec: {parallelism: 4, completions: 5, template: )" +
                          TemplateOf("rest", 4, {.seconds = "2"}, "Never") +
                          "}\n";
  Submit(job);
  EXPECT_TRUE(Comes([&] { return Succeeded("rest") == 5; })) << Log();
}

TEST_F(MakersOnKubernetes, PodsThatAreLeftAfterASuspendStartAsASmallerGroup) {
  Submit(Gang("resumed", 3));
  ASSERT_TRUE(Comes("resumed", "bound"));
  EndPod(PodsOf("resumed")[0].name);
  ASSERT_TRUE(Comes([&] {
    const Json job = Get("jobs/resumed");
    return job["status"].value("succeeded", 0) == 1;
  }));
  Patch("jobs/resumed", {{"spec", {{"suspend", true}}}});
  ASSERT_TRUE(Comes([&] { return PodsOf("resumed").size() <= 1; }));
  Patch("jobs/resumed", {{"spec", {{"suspend", false}}}});
  EXPECT_TRUE(Comes([&] {
    return std::ranges::count_if(PodsOf("resumed"), [](const auto& pod) {
             return !pod.node_name.empty() && !cluster::HasEnded(pod);
           }) == 2;
  })) << Log();
}

TEST_F(MakersOnKubernetes, BarePodTakesTheVacancyOfOneThatWasDeleted) {
  Submit(BarePod("a", "team", 2) + "---" + BarePod("b", "team", 2));
  ASSERT_TRUE(Comes("team", "bound"));
  Delete("pods/a");
  ASSERT_TRUE(Comes([&] { return PodsOf("team").size() == 1; }));
  // KWOK deletes by name and at times twice, so a new pod named a would go too.
  Submit(BarePod("c", "team", 2));
  EXPECT_TRUE(Comes([&] { return Bound("team") == 2; })) << Log();
  EXPECT_TRUE(Comes("team", "bound")) << StateOf("team");
}

}  // namespace
}  // namespace fluxnetes::testing
