#include "cluster/files/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cluster/files/object_name.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kPod = R"(
apiVersion: v1
kind: Pod
metadata:
  name: single
  labels: {app: demo}
spec:
  schedulerName: fluxnetes
  restartPolicy: Never
  containers:
    - name: main
      image: busybox
      command: [sleep, "30"]
      resources: {requests: {cpu: 500m, memory: 1Gi}}
)";

constexpr const char* kJob = R"(
apiVersion: batch/v1
kind: Job
metadata:
  name: train
  namespace: team
spec:
  parallelism: 4
  completions: 4
  completionMode: Indexed
  backoffLimit: 2
  template:
    metadata:
      labels: {fluxnetes.group-name: train, fluxnetes.group-size: "4"}
      annotations: {fluxnetes.io/run-seconds: "0.5"}
    spec:
      schedulerName: fluxnetes
      restartPolicy: Never
      containers:
        - name: main
          image: busybox
          resources: {limits: {cpu: 2, nvidia.com/gpu: 1}}
)";

// Returns the text with one part replaced.
std::string With(std::string text, const std::string& part,
                 const std::string& by) {
  const auto at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), by);
}

std::string WhyRefused(const std::string& text) {
  try {
    return "accepted " + std::to_string(ReadManifests(text, "m.yaml").size());
  } catch (const InputError& error) {
    return error.what();
  }
}

std::string PodWith(const std::string& part, const std::string& by) {
  return WhyRefused(With(kPod, part, by));
}
std::string JobWith(const std::string& part, const std::string& by) {
  return WhyRefused(With(kJob, part, by));
}

TEST(Manifest, PodIsRead) {
  const auto manifests = ReadManifests(kPod, "m.yaml");
  ASSERT_EQ(manifests.size(), 1U);
  const auto& pod = std::get<PodTemplate>(manifests[0].object);
  EXPECT_EQ(Key(pod.pod), "default/single");
  EXPECT_EQ(
      pod.pod.request.resources,
      (Resources{.cpu_milli = 500, .memory_bytes = 1LL << 30, .pods = 1}));
  EXPECT_EQ(pod.restart, RestartPolicy::kNever);
  EXPECT_EQ(pod.run.length, std::chrono::seconds(30));
  EXPECT_EQ(manifests[0].place, "m.yaml:2: Pod \"single\"");
  EXPECT_EQ(Json::parse(manifests[0].json)["metadata"]["namespace"], "default");
  EXPECT_EQ(Json::parse(manifests[0].json)["spec"]["containers"][0]["image"],
            "busybox");
}

TEST(Manifest, JobIsRead) {
  const auto manifests = ReadManifests(kJob, "m.yaml");
  ASSERT_EQ(manifests.size(), 1U);
  const auto& job = std::get<KubernetesJob>(manifests[0].object);
  EXPECT_EQ(job.namespace_name, "team");
  EXPECT_EQ(job.parallelism, 4);
  EXPECT_TRUE(job.indexed);
  EXPECT_EQ(job.backoff_limit, 2);
  EXPECT_EQ(job.pod_template.pod.namespace_name, "team");
  EXPECT_EQ(job.pod_template.pod.labels.at("fluxnetes.group-size"), "4");
  EXPECT_EQ(job.pod_template.pod.request.resources.cpu_milli, 2'000);
  EXPECT_EQ(job.pod_template.pod.request.resources.Extended("nvidia.com/gpu"),
            1);
  EXPECT_EQ(job.pod_template.run.length, std::chrono::milliseconds(500));
}

TEST(Manifest, SeveralDocumentsAndListsAreReadInOrder) {
  const std::string list =
      R"({"apiVersion": "v1", "kind": "List", "items": [
          {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "listed"},
           "spec": {"containers": [{"name": "c", "image": "x"}]}}]})";
  const auto manifests = ReadManifests(
      std::string(kPod) + "---" + kJob + "---\n" + list, "m.yaml");
  ASSERT_EQ(manifests.size(), 3U);
  EXPECT_EQ(std::get<PodTemplate>(manifests[0].object).pod.name, "single");
  EXPECT_EQ(std::get<KubernetesJob>(manifests[1].object).name, "train");
  EXPECT_EQ(std::get<PodTemplate>(manifests[2].object).pod.name, "listed");
}

TEST(Manifest, NamespaceIsThatOfTheManifestElseTheGivenOne) {
  const auto pod = ReadManifests(kPod, "m", {.namespace_name = "other"});
  EXPECT_EQ(std::get<PodTemplate>(pod[0].object).pod.namespace_name, "other");
  const auto job = ReadManifests(kJob, "m", {.namespace_name = "other"});
  EXPECT_EQ(std::get<KubernetesJob>(job[0].object).namespace_name, "team");
}

TEST(Manifest, NotYamlIsRefused) {
  EXPECT_THAT(WhyRefused("kind: [Pod"), StartsWith("m.yaml:"));
  EXPECT_THAT(WhyRefused("just text"),
              HasSubstr("not an object of Kubernetes"));
  EXPECT_THAT(WhyRefused("- 1\n- 2"), HasSubstr("not an object of Kubernetes"));
  EXPECT_THAT(WhyRefused(""), HasSubstr("holds no object"));
  EXPECT_THAT(WhyRefused("\x7f"
                         "ELF\x02"),
              StartsWith("m.yaml:1:1: "));
}

TEST(Manifest, PodGroupsAreReadForWhoAsksForThem) {
  const std::string group =
      "apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\n"
      "metadata: {name: train}\nspec: {minMember: 3}\n";
  EXPECT_THAT(WhyRefused(group), HasSubstr("\"PodGroup\" is not supported"));
  const ManifestOptions asked{.namespace_name = "team", .pod_groups = true};
  const auto read = [&](const std::string& text) -> std::string {
    try {
      const auto manifests = ReadManifests(text, "m.yaml", asked);
      const auto& made = std::get<PodGroup>(manifests.at(0).object);
      return Key(made.name) + " of " +
             std::to_string(made.min_members.value_or(0)) +
             (made.name.api == PodGroupApi::kNative ? ", native" : "");
    } catch (const InputError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(read(group), "team/train of 3");
  EXPECT_EQ(
      read(With(With(group, "x-k8s.io/v1alpha1", "k8s.io/v1alpha2"),
                "minMember: 3", "schedulingPolicy: {gang: {minCount: 2}}")),
      "team/train of 2, native");
  EXPECT_THAT(read(With(group, "minMember: 3", "minMember: 0")),
              AllOf(StartsWith("m.yaml:1: PodGroup \"train\""),
                    HasSubstr("spec.minMember")));
  EXPECT_THAT(read(With(group, "v1alpha1", "v1")),
              HasSubstr("must have scheduling.x-k8s.io/v1alpha1 or "
                        "scheduling.k8s.io/v1alpha2"));
}

TEST(Manifest, WrongKindIsRefusedByName) {
  EXPECT_THAT(PodWith("kind: Pod", "kind: Deployment"),
              HasSubstr("kind \"Deployment\" is not supported; it must be Pod, "
                        "Job, Node or List"));
  EXPECT_THAT(PodWith("kind: Pod", "king: Pod"), HasSubstr("kind is missing"));
  EXPECT_THAT(JobWith("batch/v1", "batch/v1beta1"),
              HasSubstr("\"batch/v1beta1\"; a Job must have batch/v1"));
  EXPECT_THAT(WhyRefused("kind: List\napiVersion: v1"),
              HasSubstr("items is missing"));
  EXPECT_THAT(WhyRefused("kind: List\nitems: [{kind: List, items: []}]"),
              HasSubstr("items[0]: kind \"List\" is not supported"));
}

TEST(Manifest, MissingFieldsAreNamedWithTheirPath) {
  EXPECT_THAT(PodWith("  name: single\n", ""),
              EndsWith("Pod: metadata.name is missing; give it or "
                       "metadata.generateName"));
  EXPECT_THAT(PodWith("image: busybox", "ports: []"),
              EndsWith("spec.containers[0].image is missing"));
  EXPECT_THAT(PodWith("spec:", "spek:"), EndsWith("spec is missing"));
  EXPECT_THAT(PodWith("    - name: main\n      image", "    - image"),
              EndsWith("spec.containers[0].name is missing"));
  EXPECT_THAT(PodWith("containers:", "container:"),
              EndsWith("spec.containers is missing"));
  EXPECT_THAT(JobWith("template:", "templates:"),
              EndsWith("Job \"train\": spec.template is missing"));
  EXPECT_THAT(JobWith("      restartPolicy: Never\n", ""),
              EndsWith("spec.template.spec.restartPolicy is missing"));
  EXPECT_THAT(
      JobWith("        - name: main\n          image", "        - image"),
      EndsWith("spec.template.spec.containers[0].name is missing"));
}

TEST(Manifest, QuantitiesAreRefusedWithTheirPath) {
  EXPECT_THAT(PodWith("500m", "12x"),
              AllOf(StartsWith("m.yaml:2: Pod \"single\": "),
                    HasSubstr("spec.containers[0].resources.requests[\"cpu\"]: "
                              "quantity \"12x\""),
                    HasSubstr("like 2, 250m")));
  EXPECT_THAT(PodWith("500m", "-1"), HasSubstr("quantity \"-1\": is negative"));
  EXPECT_THAT(PodWith("1Gi", "99999999999999999999"),
              HasSubstr("needs more than 64 bits"));
  EXPECT_THAT(PodWith("1Gi", "7Ei"), HasSubstr("more than any node has"));
  EXPECT_THAT(PodWith("1Gi", "[1]"), HasSubstr("is a list; it must be"));
  EXPECT_THAT(JobWith("gpu: 1", "gpu: one"), HasSubstr("quantity \"one\""));
}

TEST(Manifest, RequestsAboveTheirLimitAreRefused) {
  EXPECT_THAT(PodWith("{requests: {cpu: 500m, memory: 1Gi}}",
                      "{requests: {cpu: 2}, limits: {cpu: 1500m}}"),
              HasSubstr("requests[\"cpu\"] is more than the limit"));
}

TEST(Manifest, NumbersOfAJobMustMakeSense) {
  EXPECT_THAT(JobWith("parallelism: 4", "parallelism: -1"),
              HasSubstr("spec.parallelism is -1; it must be a whole number "
                        "from 0 to 100000"));
  EXPECT_THAT(JobWith("parallelism: 4", "parallelism: 2147483647"),
              HasSubstr("spec.parallelism is 2147483647"));
  EXPECT_THAT(JobWith("parallelism: 4", "parallelism: four"),
              HasSubstr("is \"four\""));
  EXPECT_THAT(JobWith("parallelism: 4", "parallelism: 1.5"),
              HasSubstr("is 1.5"));
  EXPECT_THAT(JobWith("completions: 4", "completions: 99999999999"),
              HasSubstr("spec.completions is 99999999999"));
  EXPECT_THAT(JobWith("completions: 4", "completions: 18446744073709551615"),
              HasSubstr("spec.completions is 18446744073709551615"));
  EXPECT_THAT(JobWith("  completions: 4\n", ""),
              HasSubstr("spec.completions is missing; an Indexed Job"));
  EXPECT_EQ(JobWith("  parallelism: 4\n  completions: 4\n", ""), "accepted 1");
  EXPECT_THAT(JobWith("completions: 4", "completions: 100001"),
              HasSubstr("at most 100000"));
  EXPECT_THAT(JobWith("backoffLimit: 2", "backoffLimit: -2"),
              HasSubstr("spec.backoffLimit is -2"));
  EXPECT_THAT(JobWith("backoffLimit: 2", "activeDeadlineSeconds: -1"),
              HasSubstr("spec.activeDeadlineSeconds is -1"));
  EXPECT_THAT(JobWith("backoffLimit: 2", "suspend: maybe"),
              HasSubstr("spec.suspend is \"maybe\"; it must be true or false"));
  EXPECT_THAT(JobWith("restartPolicy: Never", "restartPolicy: Always"),
              HasSubstr("is \"Always\"; it must be Never or OnFailure"));
}

TEST(Manifest, JobWithoutParallelismIsAcceptedAndMakesNoPods) {
  const auto manifests =
      ReadManifests(With(kJob, "parallelism: 4", "parallelism: 0"), "m.yaml");
  EXPECT_EQ(std::get<KubernetesJob>(manifests[0].object).parallelism, 0);
}

TEST(Manifest, NamesThatKubernetesRefusesAreRefused) {
  for (const std::string name :
       {"\"Upper\"", "'with space'", "\"quote\\\"d\"", "'100%'",
        "'back\\slash'", "'\xF0\x9F\x9A\x80'", "'-dash'", "'dash-'", "'a..b'",
        "'a_b'", "''", "12", "true", "{}"}) {
    EXPECT_THAT(PodWith("name: single", "name: " + name),
                HasSubstr("metadata.name is "))
        << name;
  }
  EXPECT_THAT(PodWith("name: single", "name: " + std::string(254, 'a')),
              HasSubstr("(254 bytes); it must be at most 253"));
  EXPECT_THAT(PodWith("name: single", "name: a\n  namespace: a.b"),
              HasSubstr("metadata.namespace is \"a.b\""));
}

TEST(Manifest, ScalarsAreReadAsKubectlReadsThem) {
  const auto manifests =
      ReadManifests(With(kPod, "restartPolicy: Never",
                         "restartPolicy: Never\n"
                         "  hostNetwork: no\n"
                         "  activeDeadlineSeconds: 1_000\n"
                         "  terminationGracePeriodSeconds: 0o17\n"
                         "  volumes:\n"
                         "    - name: ssh\n"
                         "      secret: {secretName: s, defaultMode: 0400}"),
                    "m.yaml");
  const Json spec = Json::parse(manifests[0].json)["spec"];
  EXPECT_EQ(spec["volumes"][0]["secret"]["defaultMode"], 256);
  EXPECT_EQ(spec["hostNetwork"], false);
  EXPECT_EQ(spec["activeDeadlineSeconds"], 1'000);
  EXPECT_EQ(spec["terminationGracePeriodSeconds"], 15);
  EXPECT_THAT(PodWith("[sleep, \"30\"]", "[yes]"),
              HasSubstr("command[0] is true; it must be text, in quotes"));
  EXPECT_THAT(PodWith("{app: demo}", "{app: on}"),
              HasSubstr("metadata.labels[\"app\"] is true"));
}

TEST(Manifest, ObjectsWithAPrefixAreNamedByTheServerOrByNumber) {
  const std::string pod = With(kPod, "name: single", "generateName: run-");
  const Manifest sent = ReadManifests(pod, "m.yaml").at(0);
  EXPECT_EQ(sent.generate_name, "run-");
  EXPECT_EQ(std::get<PodTemplate>(sent.object).pod.name, "");
  EXPECT_EQ(Json::parse(sent.json)["metadata"].contains("name"), false);
  const auto named =
      ReadManifests(pod + "---" + pod, "m.yaml", {.number_names_from = 7});
  EXPECT_EQ(std::get<PodTemplate>(named.at(0).object).pod.name,
            GeneratedName("run-", 7));
  EXPECT_EQ(std::get<PodTemplate>(named.at(1).object).pod.name,
            GeneratedName("run-", 8));
  EXPECT_EQ(named.at(1).generate_name, "");
}

TEST(Manifest, LabelsThatKubernetesRefusesAreRefused) {
  for (const std::string value :
       {"'100%'", "'a b'", "'\xF0\x9F\x9A\x80'", "'quo\"te'", "'back\\slash'",
        "'-3'", "'a-'"}) {
    EXPECT_THAT(PodWith("{app: demo}", "{app: " + value + "}"),
                HasSubstr("a label's value is at most 63"))
        << value;
  }
  EXPECT_THAT(PodWith("{app: demo}", "{app: 3}"),
              HasSubstr("metadata.labels[\"app\"] is 3; it must be text, in "
                        "quotes if need be"));
  EXPECT_EQ(PodWith("{app: demo}", "{app: ~}"), "accepted 1");
  EXPECT_THAT(PodWith("{app: demo}", "{'a b': c}"),
              HasSubstr("metadata.labels has the name \"a b\""));
  EXPECT_THAT(PodWith("{app: demo}", "{UP/x: c}"), HasSubstr("the name"));
  EXPECT_THAT(PodWith("{app: demo}", "[a]"), HasSubstr("is a list"));
  EXPECT_EQ(PodWith("{app: demo}", "{a.b/C_d.e: '', x: aB-_.9}"), "accepted 1");
}

TEST(Manifest, LabelValueOfTwoMebibytesIsRefusedInOneLine) {
  const std::string why =
      PodWith("{app: demo}", "{app: " + std::string(2 << 20, 'a') + "}");
  EXPECT_THAT(why, HasSubstr("metadata.labels[\"app\"]"));
  EXPECT_THAT(why, HasSubstr("(2097152 bytes)"));
  EXPECT_LT(why.size(), 300U);
}

TEST(Manifest, WhereAPodMayGoIsChecked) {
  const auto spec = [](const std::string& more) {
    return PodWith("restartPolicy: Never", more);
  };
  EXPECT_THAT(spec("tolerations: [{operator: Maybe}]"),
              HasSubstr("spec.tolerations[0].operator is \"Maybe\""));
  EXPECT_THAT(spec("tolerations: [{value: red}]"),
              HasSubstr("spec.tolerations[0] has no key"));
  EXPECT_THAT(spec("tolerations: [{key: a, operator: Exists, value: b}]"),
              HasSubstr("spec.tolerations[0] has a value"));
  EXPECT_THAT(spec("nodeSelector: {zone: 'a b'}"),
              HasSubstr("spec.nodeSelector[\"zone\"]"));
  const std::string terms =
      "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution"
      ": {nodeSelectorTerms: ";
  EXPECT_THAT(spec(terms + "[]}}}"), HasSubstr("nodeSelectorTerms is empty"));
  EXPECT_THAT(
      spec(terms + "[{matchExpressions: [{key: a, operator: Near}]}]}}}"),
      HasSubstr("nodeSelectorTerms[0].matchExpressions[0].operator is "
                "\"Near\""));
  EXPECT_THAT(
      spec(terms + "[{matchExpressions: [{key: a, operator: In}]}]}}}"),
      HasSubstr("matchExpressions[0].values is missing; operator: In needs"));
  EXPECT_THAT(spec(terms + "[{matchExpressions: [{key: a, operator: Gt, "
                           "values: ['1', '2']}]}]}}}"),
              HasSubstr("values has 2 values; operator: Gt needs one"));
  EXPECT_THAT(spec(terms + "[{matchFields: [{key: metadata.name, operator: In, "
                           "values: [a, b]}]}]}}}"),
              HasSubstr("values has 2 values; matchFields needs one"));
  EXPECT_THAT(spec("tolerations: [{key: 'a b'}]"),
              HasSubstr("spec.tolerations[0].key is \"a b\""));
  EXPECT_THAT(spec("tolerations: [{key: a, tolerationSeconds: 3}]"),
              HasSubstr("tolerationSeconds needs effect: NoExecute"));
  EXPECT_THAT(spec(terms + "[{matchExpressions: [{operator: In}]}]}}}"),
              HasSubstr("matchExpressions[0].key is missing"));
  EXPECT_EQ(
      spec(terms + "[{matchExpressions: [{key: a, operator: Exists}]}]}}}"),
      "accepted 1");
}

TEST(Manifest, WhereAPodMayGoAmongOthersIsChecked) {
  const auto spec = [](const std::string& more) {
    return PodWith("restartPolicy: Never", more);
  };
  const auto near = [&](const std::string& term) {
    return spec(
        "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuring"
        "Execution: [" +
        term + "]}}");
  };
  EXPECT_THAT(near("{labelSelector: {}}"),
              HasSubstr("requiredDuringSchedulingIgnoredDuringExecution[0]."
                        "topologyKey is missing"));
  EXPECT_THAT(near("{topologyKey: zone, labelSelector: {matchExpressions: "
                   "[{key: a, operator: Gt, values: ['1']}]}}"),
              HasSubstr("labelSelector.matchExpressions[0].operator is"));
  EXPECT_EQ(near("{topologyKey: zone, labelSelector: {matchLabels: {a: b}}}"),
            "accepted 1");
  EXPECT_THAT(spec("affinity: {podAntiAffinity: {preferredDuringScheduling"
                   "IgnoredDuringExecution: [{weight: 101, podAffinityTerm: "
                   "{topologyKey: zone}}]}}"),
              HasSubstr("[0].weight is 101; it must be"));
  EXPECT_THAT(spec("topologySpreadConstraints: [{topologyKey: zone, maxSkew: "
                   "0, whenUnsatisfiable: DoNotSchedule}]"),
              HasSubstr("spec.topologySpreadConstraints[0].maxSkew is 0"));
  EXPECT_THAT(near("{topologyKey: zone, labelSelector: {matchExpressions: "
                   "[{key: a, operator: Exists, values: ['1']}]}}"),
              HasSubstr("values is there; operator: Exists has none"));
  const std::string soft =
      "{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: ScheduleAnyway";
  EXPECT_THAT(spec("topologySpreadConstraints: [" + soft + ", minDomains: 2}]"),
              HasSubstr("minDomains needs whenUnsatisfiable: DoNotSchedule"));
  EXPECT_THAT(spec("topologySpreadConstraints: [" + soft + "}, " + soft + "}]"),
              HasSubstr("[1] is the second one for zone ScheduleAnyway"));
  EXPECT_THAT(spec("topologySpreadConstraints: [{topologyKey: zone, maxSkew: "
                   "1, whenUnsatisfiable: Never}]"),
              HasSubstr("whenUnsatisfiable is \"Never\""));
}

TEST(Manifest, WhatIsThereTwiceIsRefused) {
  const auto spec = [](const std::string& more) {
    return PodWith("restartPolicy: Never", more);
  };
  EXPECT_THAT(spec("initContainers: [{name: main, image: x}]"),
              HasSubstr("spec.initContainers[0].name is \"main\", which is "
                        "there before"));
  EXPECT_THAT(spec("schedulingGates: [{name: a}, {name: a}]"),
              HasSubstr("spec.schedulingGates[1].name is \"a\", which"));
  EXPECT_THAT(spec("volumes: [{name: v, emptyDir: {}}, {name: v, emptyDir: "
                   "{}}]"),
              HasSubstr("spec.volumes[1].name is \"v\", which"));
  EXPECT_THAT(spec("schedulingGates: [{name: a}]\n  nodeName: node"),
              HasSubstr("a pod with gates can have no node"));
  EXPECT_THAT(PodWith("image: busybox",
                      "image: x\n      ports: [{containerPort: 1, hostPort: 2},"
                      " {containerPort: 3, hostPort: 2}]"),
              HasSubstr("ports[1].hostPort is 2, as of another port"));
  EXPECT_THAT(PodWith("image: busybox",
                      "image: x\n      ports: [{containerPort: 65536}]"),
              HasSubstr("it must be a whole number from 1 to 65535"));
}

TEST(Manifest, VolumeIsOfOneKind) {
  const auto volume = [](const std::string& kinds) {
    return PodWith("restartPolicy: Never", "volumes: [{name: v" + kinds + "}]");
  };
  EXPECT_EQ(volume(", emptyDir: {}"), "accepted 1");
  EXPECT_EQ(volume(""), "accepted 1");
  EXPECT_THAT(volume(", emptyDir: {}, hostPath: {path: /}"),
              HasSubstr("spec.volumes[0] has 2 kinds"));
}

TEST(Manifest, AnnotationsHaveNamesLikeThoseOfLabels) {
  EXPECT_THAT(PodWith("labels: {app: demo}", "annotations: {'a b': c}"),
              HasSubstr("metadata.annotations has the name \"a b\""));
  EXPECT_EQ(PodWith("labels: {app: demo}", "annotations: {Up.Per/A: 'a b'}"),
            "accepted 1");
}

TEST(Manifest, WhatASimulatedPodIsToDoIsChecked) {
  EXPECT_THAT(JobWith("\"0.5\"", "soon"),
              HasSubstr("spec.template.metadata.annotations"
                        "[\"fluxnetes.io/run-seconds\"] is \"soon\"; it must "
                        "be seconds"));
  EXPECT_THAT(JobWith("run-seconds: \"0.5\"", "exit-code: \"-1\""),
              HasSubstr("a whole number, 0 or more"));
  EXPECT_THAT(JobWith("\"0.5\"", "5"),
              HasSubstr("is 5; it must be text, in quotes if need be"));
}

TEST(Manifest, NodeIsReadAndMustHaveCpuAndMemory) {
  const std::string node =
      "{kind: Node, apiVersion: v1, metadata: {name: n1},"
      " status: {allocatable: {cpu: 4, memory: 8Gi}}}";
  const auto manifests = ReadManifests(node, "m.yaml");
  EXPECT_EQ(
      std::get<Node>(manifests[0].object).allocatable,
      (Resources{.cpu_milli = 4'000, .memory_bytes = 8LL << 30, .pods = 110}));
  EXPECT_THAT(WhyRefused(With(node, "cpu: 4, ", "")),
              HasSubstr("status.allocatable has no cpu; a node needs cpu"));
  EXPECT_THAT(WhyRefused(With(node, "cpu: 4", "cpu: 0")),
              HasSubstr("has no cpu"));
  EXPECT_THAT(WhyRefused(With(node, ", memory: 8Gi", "")),
              HasSubstr("has no memory"));
}

}  // namespace
}  // namespace fluxnetes::cluster
