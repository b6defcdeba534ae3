#include "workers/jobspecs/pod_jobspec.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace fluxnetes::workers {
namespace {

using ::testing::Test;

// A jobspec of these resources, in YAML's flow style.
std::string Spec(const std::string& resources,
                 const std::string& attributes = "",
                 const std::string& count = "per_slot: 1") {
  return "version: 1\nresources: " + resources +
         "\ntasks: [{command: [app], slot: default, count: {" + count +
         "}}]\nattributes: {" + attributes + "}\n";
}

// "[{type: slot, count: 1, label: default, with: [...]}]".
std::string Slots(const std::string& count, const std::string& with) {
  return "{type: slot, label: default, count: " + count + ", with: [" + with +
         "]}";
}
std::string Of(const std::string& type, const std::string& count,
               const std::string& with = "", const std::string& more = "") {
  return "{type: " + type + ", count: " + count + more +
         (with.empty() ? "" : ", with: [" + with + "]") + "}";
}

JobspecPod Pod(std::int32_t group_size, std::int64_t cpu,
               std::int64_t memory_mib = 0, std::int64_t gpus = 0) {
  cluster::Resources resources;
  resources.cpu_milli = cpu * 1000;
  resources.memory_bytes = memory_mib << 20;
  resources.SetExtended("nvidia.com/gpu", gpus);
  return {group_size, {}, resources};
}

std::string RefusalOf(const std::string& resources, const JobspecPod& pod) {
  return ReadPodJobspec(Spec("[" + resources + "]"), pod).refused;
}

std::string TopologyText(const cluster::GroupTopology& topology) {
  std::string text;
  for (const auto& part : topology.required_parts)
    text += part.key + ":" + std::to_string(part.pods) + " ";
  if (!topology.required.empty()) text += topology.required + " ";
  if (topology.per_node.pods > 0)
    text += "per-node:" + std::to_string(topology.per_node.pods) + " ";
  if (topology.whole_nodes) text += "whole ";
  if (!text.empty()) text.pop_back();
  return text;
}

struct SplitCase {
  const char* what;
  std::string resources;
  JobspecPod pod;
  std::string topology;
  std::string inside;
};

class PodJobspecTable : public ::testing::TestWithParam<SplitCase> {};

TEST_P(PodJobspecTable, IsSplitAtTheNode) {
  const SplitCase& each = GetParam();
  const PodJobspec split =
      ReadPodJobspec(Spec("[" + each.resources + "]"), each.pod);
  EXPECT_EQ(split.refused, "") << each.what;
  EXPECT_EQ(TopologyText(split.topology), each.topology) << each.what;
  EXPECT_EQ(split.inside, each.inside) << each.what;
  EXPECT_EQ(split.pods, *each.pod.group_size) << each.what;
}

const std::string kCores = R"({"type":"core","count":8})";

INSTANTIATE_TEST_SUITE_P(
    Forms, PodJobspecTable,
    ::testing::Values(
        SplitCase{"cores alone are amounts", Slots("4", Of("core", "8")),
                  Pod(4, 8), "", ""},
        SplitCase{"the cluster is all of it",
                  Of("cluster", "1", Slots("4", Of("core", "8"))), Pod(4, 8),
                  "", ""},
        SplitCase{"a node has so many pods",
                  Of("node", "4", Slots("2", Of("core", "8"))), Pod(8, 8),
                  "per-node:2", ""},
        SplitCase{
            "exclusive nodes are whole",
            Of("node", "4", Slots("2", Of("core", "8")), ", exclusive: true"),
            Pod(8, 8), "per-node:2 whole", ""},
        SplitCase{"a node in a slot is a pod's alone",
                  Slots("4", Of("node", "1")), Pod(4, 60, 100, 8),
                  "per-node:1 whole", ""},
        SplitCase{"one rack holds all",
                  Of("rack", "1", Of("node", "4", Slots("1", Of("core", "8")))),
                  Pod(4, 8), "rack per-node:1", ""},
        SplitCase{"several racks have slices",
                  Of("rack", "2", Of("node", "4", Slots("1", Of("core", "8")))),
                  Pod(8, 8), "rack:4 per-node:1", ""},
        SplitCase{"levels are given from the innermost",
                  Of("zone", "1",
                     Of("example.com/block", "2",
                        Of("rack", "3", Slots("2", Of("core", "8"))))),
                  Pod(12, 8), "rack:2 example.com/block:6 zone", ""},
        SplitCase{"what Fluence calls a zone",
                  Of("subnet", "1", Slots("2", Of("core", "8"))), Pod(2, 8),
                  "zone", ""}));

INSTANTIATE_TEST_SUITE_P(
    Insides, PodJobspecTable,
    ::testing::Values(
        SplitCase{
            "sockets above the slot",
            Of("rack", "2",
               Of("node", "4", Of("socket", "2", Slots("1", Of("core", "8"))))),
            Pod(16, 8), "rack:8 per-node:2",
            R"([{"type":"socket","count":1,"with":[{"type":"slot","count":1,)"
            R"("label":"pod","with":[{"type":"core","count":8}]}]}])"},
        SplitCase{
            "sockets in the slot",
            Of("node", "2", Slots("1", Of("socket", "2", Of("core", "8")))),
            Pod(2, 16), "per-node:1",
            R"([{"type":"slot","count":1,"label":"pod","with":)"
            R"([{"type":"socket","count":2,"with":)"
            R"([{"type":"core","count":8}]}]}])"},
        SplitCase{
            "in a node of the slot",
            Slots("2", Of("node", "1", Of("socket", "1", Of("core", "8")))),
            Pod(2, 8), "per-node:1 whole",
            R"([{"type":"slot","count":1,"label":"pod","with":)"
            R"([{"type":"socket","count":1,"with":)"
            R"([{"type":"core","count":8}]}]}])"},
        SplitCase{"exclusive cores are vertices",
                  Slots("2", Of("core", "8", "", ", exclusive: true")),
                  Pod(2, 8), "",
                  R"([{"type":"slot","count":1,"label":"pod","with":)"
                  R"([{"type":"core","count":8,"exclusive":true}]}])"}));

const std::string kTwoToEight = "{min: 2, max: 8, operator: \"*\", operand: 2}";

INSTANTIATE_TEST_SUITE_P(
    Ranges, PodJobspecTable,
    ::testing::Values(
        SplitCase{"the number of pods fixes nodes",
                  Of("node", kTwoToEight, Slots("2", Of("core", "8"))),
                  Pod(8, 8), "per-node:2", ""},
        SplitCase{"or slots", Slots(kTwoToEight, Of("core", "8")), Pod(8, 8),
                  "", ""},
        SplitCase{
            "the pod's cpus fix cores",
            Of("numa", "1", Slots("1", Of("core", kTwoToEight))), Pod(1, 4), "",
            R"([{"type":"numa","count":1,"with":[{"type":"slot","count":1,)"
            R"("label":"pod","with":[{"type":"core","count":4}]}]}])"},
        SplitCase{"or sockets of cores",
                  Slots("1", Of("socket", kTwoToEight, Of("core", "8"))),
                  Pod(1, 32), "",
                  R"([{"type":"slot","count":1,"label":"pod","with":)"
                  R"([{"type":"socket","count":4,"with":)"
                  R"([{"type":"core","count":8}]}]}])"},
        SplitCase{"a range that no amount fixes is the matcher's",
                  Slots("1", Of("socket", "{min: 1}")), Pod(1, 3), "",
                  R"([{"type":"slot","count":1,"label":"pod","with":)"
                  R"([{"type":"socket","count":{"min":1,"max":4294967295,)"
                  R"("operator":"+","operand":1}}]}])"}));

TEST(PodJobspec, DiffersFromThePodsWithBothFigures) {
  EXPECT_EQ(RefusalOf(Of("node", "4", Slots("1", Of("core", "8"))), Pod(6, 8)),
            "resources[0].count: the jobspec has 4 slots, but the group has 6 "
            "pods; a slot is a pod, so both must be the same");
  EXPECT_EQ(RefusalOf(Of("node", "4", Slots("1", Of("core", "8"))), Pod(4, 6)),
            "resources[0].with[0]: the slot has 8 cores, but the pod requests "
            "6 cores; both must be the same");
  EXPECT_EQ(RefusalOf(Slots("1", Of("core", "8") + ", " + Of("gpu", "2") +
                                     ", " + Of("memory", "1024")),
                      Pod(1, 8, 2048, 1)),
            "resources[0]: the slot has 8 cores, 1024 MiB of memory, 2 gpus, "
            "but the pod requests 8 cores, 2048 MiB of memory, 1 gpu; both "
            "must be the same");
  EXPECT_EQ(RefusalOf(Slots("1", Of("core", "8")), Pod(1, 8, 0, 1)),
            "resources[0]: the slot has 8 cores, but the pod requests 8 cores, "
            "1 gpu; both must be the same");
}

TEST(PodJobspec, RangeSaysWhatItAllows) {
  EXPECT_EQ(RefusalOf(Of("node", kTwoToEight, Slots("2", Of("core", "8"))),
                      Pod(6, 8)),
            "resources[0].count: allows 4, 8, 16 pods, but the group has 6");
  EXPECT_EQ(
      RefusalOf(Of("node", "{min: 3}", Slots("1", Of("core", "8"))), Pod(2, 8)),
      "resources[0].count: allows 3, 4, 5, 6 and so on pods, but the "
      "group has 2");
  EXPECT_EQ(RefusalOf(Slots("1", Of("core", kTwoToEight)), Pod(1, 5)),
            "resources[0].with[0].count: allows 2, 4, 8 cores, but the pod "
            "requests 5");
  EXPECT_EQ(RefusalOf(Of("rack", kTwoToEight,
                         Of("node", kTwoToEight, Slots("1", Of("core", "8")))),
                      Pod(8, 8)),
            "resources[0].with[0].count: is a second range above the slot; one "
            "range is right, which the number of pods fixes");
}

TEST(PodJobspec, ElasticGroupKeepsToTheRangeAtItsMostToo) {
  JobspecPod pod = Pod(4, 8);
  pod.max_size = 16;
  const std::string spec =
      Spec("[" + Of("node", kTwoToEight, Slots("2", Of("core", "8"))) + "]");
  EXPECT_EQ(ReadPodJobspec(spec, pod).refused, "");
  pod.max_size = 12;
  EXPECT_EQ(ReadPodJobspec(spec, pod).refused,
            "resources[0].count: allows 4, 8, 16 pods, but the group has 12");
}

struct RefusedCase {
  std::string resources;
  std::string refused;
};

class PodJobspecRefusals : public ::testing::TestWithParam<RefusedCase> {};

TEST_P(PodJobspecRefusals, NameThePlace) {
  EXPECT_EQ(RefusalOf(GetParam().resources, Pod(4, 8)), GetParam().refused);
}

INSTANTIATE_TEST_SUITE_P(
    Places, PodJobspecRefusals,
    ::testing::Values(
        RefusedCase{Of("node", "4"),
                    "resources[0]: has nothing below it and is in no slot; a "
                    "slot with what one pod gets must stand there"},
        RefusedCase{Of("rack", "2", Of("rack", "2") + ", " + Of("node", "1")),
                    "resources[0].with[1]: stands beside \"rack\" and above "
                    "the slot; a pod gets only what is in its slot, so only "
                    "one resource may stand there"},
        RefusedCase{
            Of("rakc", "2", Of("node", "2", Slots("1", Of("core", "8")))),
            "resources[0].type: is \"rakc\", which is no level of the "
            "cluster; rack, zone, region or the key of a label of "
            "nodes, such as example.com/block, is right"},
        RefusedCase{Of("cluster", "2", Slots("2", Of("core", "8"))),
                    "resources[0].count: is not 1; there is one cluster"},
        RefusedCase{
            Of("rack", "4", Slots("1", Of("core", "8")), ", exclusive: true"),
            "resources[0].exclusive: is true; only nodes and what is "
            "in them can be exclusive"},
        RefusedCase{Slots("2", Of("node", "2", Of("core", "8"))),
                    "resources[0].with[0].count: is not 1; a slot is one pod, "
                    "which is on one node. Several slots get several nodes"},
        RefusedCase{Slots("4", Slots("1", Of("core", "8"))),
                    "resources[0].with[0].type: is a slot in a slot; a slot "
                    "is one pod"},
        RefusedCase{Slots("4", Of("core", "0")),
                    "resources[0].with[0].count: is 0, which nothing ever "
                    "meets"},
        RefusedCase{Slots("4", Of("core", "8", "", ", exclusive: false")),
                    "resources[0].with[0].exclusive: is false, but all in a "
                    "slot and below what is exclusive is exclusive; leave it "
                    "out"},
        RefusedCase{
            Of("node", "2",
               Of("socket", "1", Of("node", "2", Slots("1", Of("core", "8"))))),
            "resources[0].with[0].with[0].type: is a node in a node, "
            "or in part of one"},
        RefusedCase{Of("node", "2000",
                       Of("socket", "2000", Slots("1", Of("core", "8")))),
                    "resources[0].with[0].count: makes more than 1048576 "
                    "pods"}));

TEST(PodJobspec, TaskIsThePodOfASlot) {
  const std::string two = "[" + Slots("2", Of("core", "8")) + "]";
  EXPECT_EQ(ReadPodJobspec(Spec(two, "", "total: 2"), Pod(2, 8)).refused, "");
  EXPECT_EQ(ReadPodJobspec(Spec(two, "", "total: 4"), Pod(2, 8)).refused,
            "tasks[0].count.total: is 4, but there are 2 slots; a pod is the "
            "task of a slot, so both must be the same");
  EXPECT_EQ(ReadPodJobspec(Spec(two, "", "per_slot: 4"), Pod(2, 8)).refused,
            "tasks[0].count.per_slot: is 4; a pod is the task of a slot, so 1 "
            "is right. The pod's command may start more processes");
  EXPECT_EQ(ReadPodJobspec(Spec(two, "", "per_node: 4"), Pod(2, 8)).refused,
            "line 3: tasks[0].count: is neither per_slot nor total with a "
            "number");
}

std::string Alternative(const char* type, const char* count,
                        const std::string& with) {
  return std::string("{type: ") + type + ", label: default, count: " + count +
         ", with: [" + with + "]}";
}

TEST(PodJobspec, PodGetsTheAlternativesThatHaveItsAmounts) {
  const std::string spec =
      Alternative("slot", "2", Of("socket", "1", Of("core", "8"))) + ", " +
      Alternative("slot", "2", Of("numa", "2", Of("core", "4"))) + ", " +
      Alternative("slot", "2", Of("core", "2") + ", " + Of("gpu", "1"));
  const PodJobspec eight = ReadPodJobspec(Spec("[" + spec + "]"), Pod(2, 8));
  EXPECT_EQ(eight.refused, "");
  EXPECT_EQ(eight.inside,
            R"([{"type":"xor_slot","count":1,"label":"pod","with":)"
            R"([{"type":"socket","count":1,"with":)"
            R"([{"type":"core","count":8}]}]},)"
            R"({"type":"xor_slot","count":1,"label":"pod","with":)"
            R"([{"type":"numa","count":2,"with":)"
            R"([{"type":"core","count":4}]}]}])");
  EXPECT_EQ(ReadPodJobspec(Spec("[" + spec + "]"), Pod(2, 2, 0, 1)).inside, "");
  EXPECT_EQ(RefusalOf(spec, Pod(2, 3)),
            "resources[0]: the slot has 8 cores, but the pod requests 3 cores; "
            "both must be the same; or resources[1]: the slot has 8 cores, but "
            "the pod requests 3 cores; both must be the same; or resources[2]: "
            "the slot has 2 cores, 1 gpu, but the pod requests 3 cores; both "
            "must be the same");
}

TEST(PodJobspec, XorSlotsMayHaveCountsOfTheirOwn) {
  const std::string spec = Alternative("xor_slot", "2", Of("core", "8")) +
                           ", " + Alternative("xor_slot", "4", Of("core", "4"));
  EXPECT_EQ(RefusalOf(spec, Pod(2, 8)), "");
  EXPECT_EQ(RefusalOf(spec, Pod(4, 4)), "");
  EXPECT_NE(RefusalOf(spec, Pod(4, 8)), "");
  EXPECT_EQ(PodsIn(Spec("[" + spec + "]")), std::nullopt);
  const auto both = ReadAlternatives(Spec("[" + spec + "]"), {});
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].pods, 2);
  EXPECT_EQ(both[0].resources.cpu_milli, 8000);
  EXPECT_EQ(both[1].pods, 4);
  EXPECT_EQ(both[1].resources.cpu_milli, 4000);
}

TEST(PodJobspec, AttributesGiveDurationQueueAndNodes) {
  const PodJobspec read =
      ReadPodJobspec(Spec("[" + Slots("2", Of("core", "8")) + "]",
                          "system: {duration: 90.5, queue: debug, constraints: "
                          "{properties: [\"ssd\"]}}"),
                     Pod(2, 8));
  EXPECT_EQ(read.refused, "");
  EXPECT_EQ(read.duration, std::chrono::seconds(91));
  EXPECT_EQ(read.queue, "debug");
  ASSERT_EQ(read.nodes.size(), 1U);
  EXPECT_EQ(read.nodes[0][0].key, "fluxnetes.property/ssd");
  EXPECT_EQ(ReadPodJobspec(Spec("[" + Slots("2", Of("core", "8")) + "]",
                                "system: {duration: -1}"),
                           Pod(2, 8))
                .refused,
            "attributes.system.duration: is -1; a number of seconds from 0 to "
            "3153600000 is right");
}

TEST(PodJobspec, SizeIsKnownWhereNothingIsARange) {
  EXPECT_EQ(
      PodsIn(Spec(
          "[" + Of("rack", "2", Of("node", "4", Slots("2", Of("core", "1")))) +
          "]")),
      16);
  EXPECT_EQ(PodsIn(Spec("[" + Slots(kTwoToEight, Of("core", "1")) + "]")),
            std::nullopt);
  EXPECT_EQ(PodsIn("not a jobspec"), std::nullopt);
}

TEST(PodJobspec, TextIsLimited) {
  EXPECT_EQ(
      ReadPodJobspec(std::string(kMaxPodJobspecBytes + 1, ' '), {}).refused,
      "has 65537 bytes; at most 65536 are right");
  std::string many;
  for (int i = 0; i < 501; ++i) many += (i > 0 ? ", " : "") + Of("core", "1");
  EXPECT_EQ(RefusalOf(Slots("1", many), Pod(1, 1)),
            "resources: has 502 of them; at most 500 are right");
}

TEST(PodJobspec, InsideIsAJobspecOfWhatIsBelowTheNode) {
  const PodJobspec read =
      ReadPodJobspec(Spec("[" +
                          Of("node", "1",
                             Of("socket", "1", Slots("1", Of("core", "8")),
                                ", exclusive: true")) +
                          "]"),
                     Pod(1, 8));
  const auto json = nlohmann::json::parse(read.inside);
  EXPECT_EQ(json[0]["exclusive"], true);
  EXPECT_EQ(json[0]["with"][0]["type"], "slot");
}

}  // namespace
}  // namespace fluxnetes::workers
