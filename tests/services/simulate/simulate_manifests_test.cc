// Manifests in `fluxnetes simulate`: when their pods start, and what is left
// out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/services/simulate/simulated_manifests.h"

namespace fluxnetes::services {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(SimulatedManifests, StartWhenTheirLabelsLetThem) {
  run_.SetNow(std::chrono::floor<std::chrono::seconds>(run_.now()));
  EXPECT_EQ(
      StartsOf(
          PodWith("early", "fluxnetes.start-after: \"" + InSeconds(15) + "\"") +
              PodWith("first", "") + PodWith("second", "") +
              PodWith("late", "fluxnetes.start-by: \"" + InSeconds(10) + "\"") +
              PodWith("held", "fluxnetes.hold: \"true\"") +
              PodWith("third", ""),
          "", 1),
      (ManifestStarts{{"default/early", 20},
                      {"default/first", 0},
                      {"default/second", 10},
                      {"default/late", -1},
                      {"default/third", 30}}));
  EXPECT_EQ(document_["groups"]["givenUp"], 1);
  EXPECT_THAT(run_.err(), HasSubstr("is held (fluxnetes.hold)"));
  EXPECT_THAT(Rows(), ::testing::Contains(HasSubstr(",0,given up")));
}

TEST_F(SimulatedManifests, OfOnePrefixAreSeveral) {
  std::string pod = PodWith("run-", "");
  pod.replace(pod.find("name: run-"), 10, "generateName: run-");
  EXPECT_EQ(StartsOf(pod + pod + pod, "", 1).size(), 3U);
}

TEST_F(SimulatedManifests, PriorityClassCountsAsNothingWithAWarning) {
  StartsOf(PodWith("urgent", "", "  priorityClassName: high\n"));
  EXPECT_THAT(run_.err(), HasSubstr("its priorityClassName high counts as "
                                    "priority 0; give priority"));
}

TEST_F(SimulatedManifests, AreAsOldAsTheirFirstPodStands) {
  const std::string gang =
      "fluxnetes.group-name: a, fluxnetes.group-size: \"2\"";
  EXPECT_EQ(
      StartsOf(PodWith("z", "") + PodWith("a-0", gang) + PodWith("b", "") +
               PodWith("a-1", gang)),
      (ManifestStarts{{"default/z", 0}, {"default/a", 10}, {"default/b", 20}}));
  EXPECT_EQ(
      StartsOf(PodWith("a-0", gang) + PodWith("b", "") + PodWith("z", "") +
               PodWith("a-1", gang)),
      (ManifestStarts{{"default/a", 0}, {"default/b", 10}, {"default/z", 10}}));
}

TEST_F(SimulatedManifests, ThatIntakeRefusesAreLeftOutWithTheirPlace) {
  const std::string pair =
      "fluxnetes.group-name: p, fluxnetes.group-size: \"2\"";
  EXPECT_EQ(
      StartsOf(
          PodWith("far", "",
                  "  resourceClaims: [{name: gpu, resourceClaimName: x}]\n") +
          PodWith("size", "fluxnetes.group-size: many") + PodWith("p-0", pair) +
          PodWith("p-1", pair + ", fluxnetes.account: other") +
          PodWith("p-2", pair)),
      (ManifestStarts{{"default/p", 0}}));
  EXPECT_THAT(run_.err(), HasSubstr("pods.yaml"));
  EXPECT_THAT(run_.err(), HasSubstr("which is not there"));
  EXPECT_THAT(run_.err(), HasSubstr("\"many\""));
  EXPECT_THAT(run_.err(), HasSubstr("asks for account \"other\""));
}

std::string JobWith(const std::string& name, const std::string& labels,
                    const std::string& spec) {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: " + name +
         "}\nspec:\n" + spec + "  template:\n    metadata:\n      labels: {" +
         labels +
         "}\n      annotations: {fluxnetes.io/run-seconds: \"10\"}\n"
         "    spec:\n      schedulerName: fluxnetes\n"
         "      restartPolicy: Never\n      containers:\n"
         "        - {name: main, image: x, resources: {requests: {cpu: "
         "\"1\"}}}\n---\n";
}

TEST_F(SimulatedManifests, EndWithTheDeadlineOfTheirJob) {
  EXPECT_EQ(StartsOf(JobWith("j", "",
                             "  parallelism: 1\n  completions: 4\n"
                             "  activeDeadlineSeconds: 15\n")),
            (ManifestStarts{{"default/j-0", 0},
                            {"default/j-1", 10},
                            {"default/j-2", -1},
                            {"default/j-3", -1}}));
  EXPECT_EQ(document_["makespan"], 15);
  EXPECT_EQ(document_["groups"]["timedOut"], 1);
}

// Returns "apiVersion: ...; kind: PodGroup" with this spec.
std::string PodGroupWith(const std::string& api, const std::string& spec) {
  return "apiVersion: scheduling." + api +
         "\nkind: PodGroup\nmetadata: {name: g}\nspec: {" + spec + "}\n---\n";
}

TEST_F(SimulatedManifests, OfPodGroupsWaitUntilTheyAreWhole) {
  const std::string names = "scheduling.x-k8s.io/pod-group: g";
  const std::string pods = PodWith("z", "") + PodWith("g-0", names) +
                           PodWith("g-1", names) + PodWith("g-2", names);
  EXPECT_EQ(StartsOf(pods), (ManifestStarts{{"default/z", 0}}));
  EXPECT_THAT(run_.err(), HasSubstr("PodGroup default/g (scheduling.x-k8s.io), "
                                    "which is not there"));
  // The third pod is beyond the group's size.
  EXPECT_EQ(StartsOf(pods + PodGroupWith("x-k8s.io/v1alpha1", "minMember: 2")),
            (ManifestStarts{
                {"default/z", 0}, {"default/g", 10}, {"default/g-2", 20}}));
}

TEST_F(SimulatedManifests, OfNativePodGroupsHaveItsSizeAndPriority) {
  const std::string of_group = "  schedulingGroup: {podGroupName: g}\n";
  const std::string pods = PodWith("z", "") + PodWith("g-0", "", of_group) +
                           PodWith("g-1", "", of_group);
  const auto group = [](const std::string& spec) {
    return PodGroupWith("k8s.io/v1alpha2", "schedulingPolicy: " + spec);
  };
  EXPECT_EQ(StartsOf(pods + group("{gang: {minCount: 2}}")),
            (ManifestStarts{{"default/z", 0}, {"default/g", 10}}));
  EXPECT_EQ(StartsOf(pods + group("{gang: {minCount: 2}}, priority: 5")),
            (ManifestStarts{{"default/z", 10}, {"default/g", 0}}));
  EXPECT_EQ(StartsOf(pods + group("{basic: {}}")),
            (ManifestStarts{
                {"default/z", 0}, {"default/g-0", 0}, {"default/g-1", 10}}));
}

TEST_F(SimulatedManifests, OfJobsThatOnlySayItThemselvesAreGroups) {
  const std::string fluence = "fluence.flux-framework.org/";
  const auto job = [&](const std::string& marks) {
    return PodWith("z", "") + JobWith("j, annotations: {" + marks + "}", "",
                                      "  parallelism: 2\n  completions: 2\n");
  };
  const ManifestStarts apart{
      {"default/z", 0}, {"default/j-0", 0}, {"default/j-1", 10}};
  const ManifestStarts together{{"default/z", 0}, {"default/j", 10}};
  EXPECT_EQ(StartsOf(job("")), apart);
  EXPECT_EQ(StartsOf(job(fluence + "pod-group: j")), together);
  EXPECT_EQ(
      StartsOf(job(fluence + "pod-group: j, " + fluence + "group-size: \"1\"")),
      apart);
}

TEST_F(SimulatedManifests, OfElasticGroupsStartWithTheirMinimumAndGrow) {
  const std::string elastic =
      "fluxnetes.group-name: e, fluxnetes.group-min-size: \"2\", "
      "fluxnetes.group-max-size: \"3\"";
  const std::string job =
      JobWith("e", elastic, "  parallelism: 4\n  completions: 4\n");
  EXPECT_EQ(StartsOf(job, "", 4),
            (ManifestStarts{{"default/e", 0},
                            {"default/e-2", 0},
                            {"default/e-3", 10}}));  // beyond the maximum
  EXPECT_EQ(StartsOf(job + PodWith("z", ""), "", 3),
            (ManifestStarts{{"default/e", 0},
                            {"default/z", 0},  // ahead of pods beyond the size
                            {"default/e-2", 10},
                            {"default/e-3", 20}}));
}

TEST_F(SimulatedManifests, EvictedLeaveAfterTheirGracePeriod) {
  const std::string urgent = "  priority: 10\n  activeDeadlineSeconds: 30\n";
  const std::string low =
      PodWith("low", "", "  terminationGracePeriodSeconds: 3\n");
  std::string high = PodWith(
      "high", "fluxnetes.start-after: \"" + InSeconds(2) + "\"", urgent);
  EXPECT_EQ(
      StartsOf(low + high, "--queue default:preemption=lower_priority", 1),
      (ManifestStarts{{"default/high", 5}, {"default/low", 15}}));
  EXPECT_EQ(document_["evictions"], 1);
  EXPECT_EQ(document_["preempted"], 1);
  EXPECT_THAT(Rows(), ::testing::Contains(HasSubstr(",1,ended")));
}

// Two racks of one node each; four pods need two nodes of one rack, and six
// pods three of one block.
TEST_F(SimulatedManifests, HaveMoreNodesInTheRackThatIsNamed) {
  const std::string nodes = FileWith("racks.yaml", R"(nodes:
- {name: n1, cpu: 2, memory: 8Gi, labels: {topology.kubernetes.io/rack: r1, example.com/block: b1}}
- {name: n2, cpu: 2, memory: 8Gi, labels: {topology.kubernetes.io/rack: r2, example.com/block: b1}}
)");
  const auto fits = [&](const std::string& topology, int pods,
                        const std::string& added) {
    std::string manifests;
    for (int i = 0; i < pods; ++i)
      manifests += PodWith("p" + std::to_string(i),
                           "fluxnetes.group-name: g, fluxnetes.group-size: \"" +
                               std::to_string(pods) + "\", " + topology);
    const json document = RunToJson(
        "-f " + FileWith("pods.yaml", manifests) + " --nodes " + nodes +
        " --queue "
        "default:topology=example.com/block,topology.kubernetes.io/rack"
        " " +
        added);
    return document["groups"]["unsatisfiable"] == 0;
  };
  const std::string in_a_rack = "fluxnetes.topology-required: rack";
  EXPECT_FALSE(fits(in_a_rack, 4, ""));
  EXPECT_TRUE(fits(in_a_rack, 4, "--add-nodes 1:like=n1"));
  EXPECT_THAT(run_.err(),
              HasSubstr("--add-nodes 1:like=n1: like n1 the nodes have rack "
                        "(topology.kubernetes.io/rack) \"r1\"; "
                        "1:like=n1,rack=NAME puts them elsewhere"));
  EXPECT_FALSE(fits(in_a_rack, 4, "--add-nodes 1:like=n1,rack=r3"));
  EXPECT_EQ(run_.err(), "");
  EXPECT_TRUE(fits(in_a_rack, 4, "--add-nodes 2:like=n1,rack=r3"));
  EXPECT_TRUE(fits(in_a_rack, 4, "--add-nodes 1:like=n1,rack=r2"));
  EXPECT_FALSE(fits(in_a_rack, 4, "--add-nodes 2:like=n1,rack="));
  const std::string in_a_block = "fluxnetes.topology-required: block";
  EXPECT_FALSE(fits(in_a_block, 6, "--add-nodes 1:like=n1,block=b2"));
  EXPECT_TRUE(fits(in_a_block, 6, "--add-nodes 1:like=n1,rack=r3"));
  EXPECT_THAT(run_.err(),
              HasSubstr("example.com/block \"b1\"; "
                        "1:like=n1,rack=r3,example.com/block=NAME"));
  EXPECT_TRUE(fits(in_a_block, 6, "--add-nodes 3:like=n2,block=b2,rack=r3"));
  for (const char* wrong :
       {"1:like=n1,rack", "1:like=n1,=r1", "1:like=n1,rack=-",
        "1:like=n1,host=h", "1:like=n1,rack=r3,rack=r4", "1:like=n1,-=x"})
    EXPECT_EQ(run_("simulate -f " + Path("pods.yaml") + " --nodes " + nodes +
                   " --add-nodes " + wrong),
              ExitCode::kUsage)
        << wrong;
}

}  // namespace
}  // namespace fluxnetes::services
