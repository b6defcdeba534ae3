#include "services/submit/submit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/services/support/cluster_commands.h"
#include "tests/support/places.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr auto kPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: plain}
spec:
  schedulerName: fluxnetes
  restartPolicy: Never
  containers:
    - {name: main, image: x, resources: {requests: {cpu: "1"}}}
)";

constexpr auto kJob = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: a}
spec:
  parallelism: 2
  completions: 2
  template:
    spec:
      schedulerName: fluxnetes
      restartPolicy: Never
      containers:
        - {name: main, image: x, resources: {requests: {cpu: "1"}}}
)";

class Submit : public ClusterCommands {
 protected:
  std::string Write(const std::string& name, const std::string& text) {
    std::string path = directory_ + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
};

TEST_F(Submit, ObjectsAreCreatedAndNamed) {
  const std::string path = Write("all.yaml", std::string(kPod) + "---" + kJob);
  ASSERT_EQ(run_("submit -n b -f " + path), ExitCode::kOk) << run_.err();
  EXPECT_EQ(run_.out(), "pod/plain created\njob.batch/train created\n");
  EXPECT_TRUE(cluster_.GetPod("b", "plain"));
  EXPECT_TRUE(cluster_.GetJob("a", "train"));
}

TEST_F(Submit, StandardInputIsRead) {
  run_.SetInput(kPod);
  EXPECT_EQ(run_("submit -f - -o name"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(run_.out(), "pod/plain\n");
}

TEST_F(Submit, DirectoryIsReadInOrderWithoutWhatIsNoManifest) {
  Write("2.yaml", kPod);
  Write("1.yml", kJob);
  Write("nodes.yaml", "nodes: [{cpu: 1}]\n");
  Write("README.md", "kind: of a text\n");
  EXPECT_EQ(run_("submit -f " + directory_), ExitCode::kOk) << run_.err();
  EXPECT_EQ(run_.out(), "job.batch/train created\npod/plain created\n");
  EXPECT_THAT(run_.err(), HasSubstr("nodes.yaml: is no manifest, passed over"));
}

TEST_F(Submit, ClaimsOfDevicesAreCreatedWithThePods) {
  const std::string requests =
      "{devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}";
  const std::string path =
      Write("all.yaml",
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n"
            "metadata: {name: shared}\nspec: " +
                requests +
                "\n---\napiVersion: resource.k8s.io/v1\n"
                "kind: ResourceClaimTemplate\nmetadata: {name: own}\n"
                "spec: {spec: " +
                requests + "}\n---\n" + kPod);
  ASSERT_EQ(run_("submit -n b -f " + path), ExitCode::kOk) << run_.err();
  EXPECT_EQ(run_.out(),
            "resourceclaim.resource.k8s.io/shared created\n"
            "resourceclaimtemplate.resource.k8s.io/own created\n"
            "pod/plain created\n");
  EXPECT_NE(cluster_.GetResourceClaim("b", "shared"), nullptr);
  const auto templates = cluster_.TakeDevices().claim_templates;
  ASSERT_EQ(templates.size(), 1U);
  EXPECT_EQ(Key(*templates[0]), "b/own");
  EXPECT_EQ(run_("submit -n b -f " + path), ExitCode::kFailed);
  EXPECT_THAT(run_.err(), HasSubstr("already exists"));
}

TEST_F(Submit, DryRunCreatesNothing) {
  EXPECT_EQ(run_("submit --dry-run -f " + Write("p.yaml", kPod)),
            ExitCode::kOk);
  EXPECT_EQ(run_.out(), "pod/plain checked (dry run)\n");
  EXPECT_FALSE(cluster_.GetPod("default", "plain"));
}

TEST_F(Submit, NamesThatTheClusterGeneratesAreTold) {
  std::string text = kPod;
  text.replace(text.find("name: plain"), 11, "generateName: run-");
  const std::string path = Write("p.yaml", text + "---" + text);
  EXPECT_EQ(run_("submit --dry-run -f " + path), ExitCode::kOk) << run_.err();
  EXPECT_EQ(run_.out(),
            "pod/run- checked (dry run)\npod/run- checked (dry run)\n");
  ASSERT_EQ(run_("submit -f " + path), ExitCode::kOk) << run_.err();
  const auto pods = cluster_.TakeSnapshot().pods;
  ASSERT_EQ(pods.size(), 2U);
  for (const auto& pod : pods) {
    EXPECT_THAT(pod->name, StartsWith("run-"));
    EXPECT_THAT(run_.out(), HasSubstr("pod/" + pod->name + " created\n"));
  }
}

TEST_F(Submit, UnknownPriorityClassIsRefusedAndWarningsAreTold) {
  std::string text = kPod;
  text.replace(text.find("spec:"), 5, "spec:\n  priorityClassName: high");
  EXPECT_EQ(run_("submit -f " + Write("p.yaml", text)), ExitCode::kFailed);
  EXPECT_THAT(run_.err(), HasSubstr("no PriorityClass with name high"));
  text = kPod;
  text.replace(text.find("spec:"), 5, "spec:\n  runtimeClassName: kata");
  EXPECT_EQ(run_("submit -f " + Write("p.yaml", text)), ExitCode::kOk);
  EXPECT_THAT(
      run_.err(),
      HasSubstr("Warning: pod/plain: the simulated cluster does not act "
                "on spec.runtimeClassName\n"));
}

TEST_F(Submit, OneWrongManifestAndNothingIsSubmitted) {
  Write("1.yaml", kPod);
  Write("2.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {}\n");
  EXPECT_EQ(run_("submit -f " + directory_), ExitCode::kFailed);
  EXPECT_THAT(run_.err(), HasSubstr("2.yaml"));
  EXPECT_THAT(run_.err(), HasSubstr("nothing was submitted"));
  EXPECT_FALSE(cluster_.GetPod("default", "plain"));
}

TEST_F(Submit, WhatTheServerRefusesIsToldAndTheOthersAreCreated) {
  Write("1.yaml", kPod);
  Write("2.yaml", kJob);
  run_("submit -f " + directory_ + "/1.yaml");
  EXPECT_EQ(run_("submit -f " + directory_), ExitCode::kFailed);
  EXPECT_EQ(run_.out(), "job.batch/train created\n");
  EXPECT_THAT(run_.err(), HasSubstr("error: "));
  EXPECT_THAT(run_.err(), HasSubstr("already exists"));
}

TEST_F(Submit, PodOfAnotherSchedulerIsWarnedOf) {
  std::string text = kPod;
  text.replace(text.find("fluxnetes"), 9, "other");
  EXPECT_EQ(run_("submit -f " + Write("p.yaml", text)), ExitCode::kOk);
  EXPECT_THAT(run_.err(),
              HasSubstr("Warning: pod/plain will not be scheduled"));
}

TEST_F(Submit, InputThatCannotBeIsToldByName) {
  const auto error = [&](const std::string& path) {
    EXPECT_EQ(run_("submit -f " + path), ExitCode::kFailed) << path;
    return run_.err();
  };
  EXPECT_THAT(error(directory_ + "/absent.yaml"),
              HasSubstr("absent.yaml: cannot be read: No such file"));
  std::string big;
  big.resize(50'000'000, '#');
  EXPECT_THAT(error(Write("big.yaml", big)),
              HasSubstr("big.yaml: is larger than 16 MiB"));
  EXPECT_THAT(error(Write("no.yaml", "\tno: [yaml")), HasSubstr("no.yaml:"));
  std::filesystem::create_directory(directory_ + "/empty");
  EXPECT_THAT(error(directory_ + "/empty"), HasSubstr("has no manifests"));
  run_.SetInput(std::string(10'000, '['));
  EXPECT_THAT(error("-"), HasSubstr("(standard input)"));
  if (geteuid() == 0) return;  // root can read everything
  const std::string secret = Write("secret.yaml", kPod);
  chmod(secret.c_str(), 0);
  EXPECT_THAT(error(secret), HasSubstr("Permission denied"));
}

TEST_F(Submit, LabelsThatCannotBeUsedAreWarnedOf) {
  const auto warning = [&](const std::string& size) {
    std::string text = kPod;
    text.replace(text.find("{name: plain}"), 13,
                 "{name: p" + size +
                     ", labels: {fluxnetes.group-name: g, "
                     "fluxnetes.group-size: \"" +
                     size + "\"}}");
    EXPECT_EQ(run_("submit -f " + Write("p.yaml", text)), ExitCode::kOk);
    return run_.err();
  };
  EXPECT_THAT(warning("0"),
              HasSubstr("Warning: pod/p0 will not be scheduled by Fluxnetes: "
                        "label fluxnetes.group-size is \"0\": a group has at "
                        "least one pod"));
  EXPECT_THAT(warning("ten"), HasSubstr("\"ten\": it is not a whole number"));
  EXPECT_THAT(warning("99999999999"), HasSubstr("it is too large"));
  EXPECT_THAT(warning("3"), Not(HasSubstr("Warning")));
  EXPECT_THAT(run_.err(), HasSubstr("Note: "));
  EXPECT_THAT(run_.err(), HasSubstr("1 of 3 pods of the group default/g are "
                                    "there; it waits for the others"));
}

TEST_F(Submit, JobspecOfTheJobIsJudgedLikeThatOfItsPods) {
  std::string text = kJob;
  text.replace(
      text.find("namespace: a"), 12,
      "namespace: a, annotations: {fluxnetes.jobspec: \"version: 1\"}");
  for (const char* dry_run : {" --dry-run", ""}) {
    EXPECT_EQ(run_("submit -f " + Write("j.yaml", text) + dry_run),
              ExitCode::kOk);
    EXPECT_THAT(run_.err(),
                HasSubstr("annotation fluxnetes.jobspec of Job train: line 1: "
                          "the jobspec: has no \"resources\""));
  }
}

// Each error names the place, the fault and the valid values.
TEST_F(Submit, BadManifestsAreRefusedWhole) {
  const std::string pod = kPod;
  const auto with = [&](const std::string& what, const std::string& instead) {
    std::string text = pod;
    text.replace(text.find(what), what.size(), instead);
    return text;
  };
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string below = ", *a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [x";
    for (int j = 0; j < 9; ++j) bomb += below;
    bomb += "]\n";
  }
  const std::pair<std::string, std::string> cases[] = {
      {"a: [not yaml", "m.yaml:1:1: not YAML"},
      {with("kind: Pod", "kind: Service"),
       "kind \"Service\" is not supported; it must be Pod, Job, "
       "ResourceClaim, ResourceClaimTemplate, Node or List"},
      {"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\n"
       "metadata: {name: gpu}\nspec: {}\n",
       "kind \"DeviceClass\" is not supported"},
      {"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n"
       "metadata: {name: gpu}\nspec: {devices: {requests: [{name: gpu, "
       "exactly: {deviceClassName: gpu, shape: round}}]}}\n",
       "spec.devices.requests[0].exactly.shape: this field is not supported"},
      {"apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n",
       "Pod \"x\": spec is missing"},
      {with("{name: plain}", "{}"), "metadata.name"},
      {with("\"1\"", "12x"), "quantity \"12x\": has the unknown suffix \"x\""},
      {with("\"1\"", "-1"), "quantity \"-1\": is negative"},
      {with("\"1\"", "1e400"), "quantity \"1e400\": needs more than 64 bits"},
      {with("{name: plain}",
            "{name: p, labels: {fluxnetes.group-size: \"-3\"}}"),
       "metadata.labels[\"fluxnetes.group-size\"] is \"-3\"; a label's value"},
      {with("{name: plain}",
            "{name: p, labels: {a: " + std::string(2 << 20, 'x') + "}}"),
       "(2097152 bytes); a label's value is at most 63 letters"},
      {with("plain", R"("it's 100% \\ \"big\" 🚀")"),
       R"(metadata.name is "it's 100% \\ \"big\" 🚀"; it must be at most 253)"},
      {bomb, "aliases expanded"},
      {"apiVersion: v1\nmetadata: " + std::string(10'000, '[') +
           std::string(10'000, ']') + "\n",
       "nested deeper than 100 levels"}};
  for (const auto& [text, why] : cases) {
    Write("good.yaml", with("plain", "good"));
    Write("m.yaml", text);
    EXPECT_EQ(run_("submit -f " + directory_ + "/good.yaml -f " + directory_ +
                   "/m.yaml"),
              ExitCode::kFailed)
        << why;
    EXPECT_THAT(run_.err(), HasSubstr(why));
    EXPECT_THAT(run_.err(), HasSubstr("m.yaml:"));
    EXPECT_THAT(run_.err(), HasSubstr("nothing was submitted"));
    EXPECT_FALSE(cluster_.GetPod("default", "good"));
  }
}

TEST_F(Submit, JobThatWantsNoPodsIsCreatedAndHasNone) {
  std::string text = kJob;
  text.replace(text.find("parallelism: 2"), 14, "parallelism: 0");
  EXPECT_EQ(run_("submit -f " + Write("j.yaml", text)), ExitCode::kOk);
  EXPECT_EQ(cluster_.GetJob("a", "train")->active, 0);
}

TEST_F(Submit, GroupThatLacksPodsIsWarnedOfBeforehand) {
  std::string text = kJob;
  text.replace(text.find("completions: 2"), 14, "completions: 3");
  text.replace(text.find("    spec:"), 9,
               "    metadata: {labels: {fluxnetes.group-name: train, "
               "fluxnetes.group-size: \"2\"}}\n    spec:");
  const std::string path = Write("j.yaml", text);
  for (const char* dry_run : {" --dry-run", ""}) {
    EXPECT_EQ(run_("submit -f " + path + dry_run), ExitCode::kOk);
    EXPECT_THAT(run_.err(),
                HasSubstr("1 of 2 pods of the group a/train are there; what "
                          "is left of its Job starts as a smaller group"));
  }
  EXPECT_TRUE(cluster_.GetJob("a", "train"));
}

TEST_F(Submit, ClusterThatIsAwayIsToldWithItsAddress) {
  api_->Stop();
  EXPECT_EQ(run_("submit -f " + Write("p.yaml", kPod)), ExitCode::kNoCluster);
  EXPECT_THAT(run_.err(), HasSubstr("cannot be reached at unix:" + directory_));
  EXPECT_THAT(run_.err(), HasSubstr("fluxnetes serve"));
}

TEST_F(Submit, ExamplesAreRightAndCanBeSubmitted) {
  ASSERT_EQ(run_("submit -f " + testing::SourcePath("deploy/examples")),
            ExitCode::kOk)
      << run_.err();
  EXPECT_THAT(run_.err(), Not(HasSubstr("Warning")));
}

TEST(SimulatedClusterCommand, NodesAreNeededAndChecked) {
  CommandRun run;
  EXPECT_EQ(run("simulated-cluster"), ExitCode::kUsage);
  EXPECT_THAT(run.err(), HasSubstr("--nodes"));
  EXPECT_EQ(run("simulated-cluster --nodes /nonexistent.yaml"),
            ExitCode::kFailed);
  EXPECT_THAT(run.err(), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace fluxnetes::services
