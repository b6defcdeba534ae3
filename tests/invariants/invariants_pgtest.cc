// The checker can fail: each planted bug is detected by the invariant that it
// breaks, and the same scenario passes without the bug.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "cluster/devices/claim_spec.h"
#include "sql/faults.h"
#include "tests/invariants/behaviour/manifests.h"
#include "tests/invariants/invariants.h"

#ifdef FLUXNETES_FAULTS
namespace fluxnetes::testing {
namespace {

using std::chrono::seconds;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* kTwoNodes =
    "nodes: [{count: 2, name: node, cpu: 4, memory: 16Gi}]";

struct Story {
  const char* bug;
  const char* invariant;  // the one that detects it
  std::function<void(WholeSystem&)> tell;
};

void PrintTo(const Story& story, std::ostream* out) { *out << story.bug; }

std::vector<std::string> Told(const Story& story, const char* bug) {
  WholeSystem system(kTwoNodes);
  Invariants invariants({.calm = true});
  std::vector<std::string> violations;
  system.check = [&](WholeSystem& whole) {
    const auto found = invariants.Check(whole);
    violations.insert(violations.end(), found.begin(), found.end());
  };
  sql::PlantBug(bug);
  story.tell(system);
  sql::PlantBug("");
  EXPECT_GT(invariants.strict() + static_cast<int>(violations.size()), 0);
  return violations;
}

void RunGang(WholeSystem& system) {
  system.Settle();
  system.Submit(GangOf("train", 4, {.cpu = "2"}));
  system.Settle();
}

// The small gang leaves the tightest room across the racks.
void RunInOneRack(WholeSystem& system) {
  system.Settle();
  for (const auto& node : system.cluster.TakeSnapshot().nodes) {
    cluster::Node racked = *node;
    racked.labels["topology.kubernetes.io/rack"] = node->name;
    system.cluster.UpdateNode(racked);
  }
  system.Settle();
  system.Submit(GangOf("small", 1, {.cpu = "3"}));
  system.Settle();
  system.Submit(GangOf("train", 2, {.cpu = "1", .topology = "rack"}));
  system.Settle();
}

// Where levels do not count, the first node takes three of the four pods, and
// the other one both pods of the last gang.
void RunInSlices(WholeSystem& system) {
  system.Settle();
  system.Submit(GangOf("small", 1, {.cpu = "1"}));
  system.Settle();
  system.Submit(GangOf("train", 4, {.cpu = "1", .levels = "host:2"}));
  system.Settle();
  system.Submit(GangOf("apart", 2, {.cpu = "1", .per_node = 1}));
  system.Settle();
}

// The second gang would fit beside the first.
void RunAlone(WholeSystem& system) {
  system.Settle();
  system.Submit(GangOf("alone", 1, {.cpu = "1", .exclusive = true}));
  system.Settle();
  system.Submit(GangOf("small", 1, {.cpu = "1"}));
  system.Settle();
}

// The second gang would have to wait for the licences of the first.
void ShareLicences(WholeSystem& system) {
  system.database.Execute("INSERT INTO pools (name, total) VALUES ('a', 3)");
  system.Settle();
  const std::string labels = "fluxnetes.pool/a: '2'";
  system.Submit(GangOf("train", 2, {.cpu = "1", .more_labels = labels}));
  system.Settle();
  system.Submit(GangOf("tests", 2, {.cpu = "1", .more_labels = labels}));
  system.Settle();
}

void EndOnePod(WholeSystem& system) {
  RunGang(system);
  system.Advance(seconds(1));
  for (const auto& pod : system.cluster.TakeSnapshot().pods) {
    if (pod->completion_index != 0) continue;
    system.cluster.EndPod(pod->namespace_name, pod->name, 0);
  }
  system.Settle();
}

void RunBesideOthers(WholeSystem& system) {
  for (const char* node : {"node0", "node1"}) {
    cluster::PodTemplate other{};
    other.pod.namespace_name = "kube-system";
    other.pod.name = std::string("agent-") + node;
    other.pod.scheduler_name = "default-scheduler";
    other.pod.node_name = node;
    other.pod.request.resources = {.cpu_milli = 2'000, .pods = 1};
    other.run.length.reset();
    system.cluster.CreatePod(other);
  }
  system.Settle();
  system.Submit(GangOf("train", 4, {.cpu = "2"}));
  system.Settle();
}

void ReserveAndFill(WholeSystem& system) {
  system.Submit(GangOf("first", 2, {.cpu = "3", .seconds = 60, .limit = 60}));
  system.Settle();
  system.Advance(seconds(1));
  system.Submit(GangOf("head", 2, {.cpu = "4", .seconds = 60, .limit = 60}));
  system.Settle();
  system.Advance(seconds(1));
  system.Submit(GangOf("small", 2, {.cpu = "1", .seconds = 900, .limit = 900}));
  system.Settle();
  system.Submit(GangOf("brief", 1, {.cpu = "1", .seconds = 9, .limit = 9}));
  system.Settle();
}

// How many pods have parts of their nodes.
int CountWithParts(WholeSystem& system) {
  return std::stoi(
      system.Ask("SELECT count(*) FROM placements WHERE parts IS NOT NULL"));
}

// The second gang comes after a restart. Each node has a pod of the first one
// in the domain that is taken first, and room for one pod of the second: so
// wherever these go, they meet a pod of the first, if it is forgotten.
void RunAlignedGangs(WholeSystem& system) {
  system.Settle();
  for (const auto& node : system.cluster.TakeSnapshot().nodes) {
    cluster::Node structured = *node;
    structured.structure.Own() = "sockets: 1, numa: 2, cores: 4";
    system.cluster.UpdateNode(structured);
  }
  system.Settle();
  system.Submit(
      GangOf("train", 2, {.cpu = "1", .per_node = 1, .align = "numa"}));
  system.Settle();
  ASSERT_EQ(CountWithParts(system), 2) << "the first gang has no place";
  system.CrashAndRestart();
  system.Submit(GangOf("tests", 2, {.cpu = "2", .align = "numa"}));
  system.Settle();
  ASSERT_EQ(CountWithParts(system), 4) << "the second gang has no place";
}

constexpr const char* kOneGpu =
    "resourceClaims: [{name: gpus, resourceClaimTemplateName: one-gpu}]";

// Two devices on each node, and a template of claims of one.
void PublishDevices(WholeSystem& system) {
  cluster::DeviceClass gpu;
  gpu.device_class = {"gpu", {"device.driver == \"gpu.example.com\""}};
  system.cluster.Put(gpu);
  for (const auto& node : system.cluster.TakeSnapshot().nodes) {
    cluster::ResourceSlice slice;
    slice.slice.name = node->name + "-gpus";
    slice.slice.driver = "gpu.example.com";
    slice.slice.pool = node->name;
    slice.slice.generation = 1;
    slice.slice.nodes.node = node->name;
    for (const char* const name : {"gpu-0", "gpu-1"}) {
      matcher::Device device;
      device.name = name;
      slice.slice.devices.push_back(device);
    }
    system.cluster.Put(slice);
  }
  matcher::DeviceChoice choice;
  choice.device_class = "gpu";
  matcher::DeviceRequest request;
  request.name = "gpu";
  request.choices = {choice};
  matcher::DeviceClaim claim;
  claim.requests = {request};
  cluster::ResourceClaimTemplate made;
  made.namespace_name = "default";
  made.name = "one-gpu";
  made.spec = cluster::ReadClaimSpec(cluster::WriteClaimSpec(claim));
  system.cluster.Put(made);
}

// Runs the workers up to the match only.
void PlaceGang(WholeSystem& system, const std::string& manifests) {
  system.Submit(manifests);
  const auto now = system.cluster.Now();
  system.process->intake.RunOnce(now);
  system.process->promoter.RunOnce(now);
  while (system.process->match.RunOnce(now)) {
  }
  system.check(system);
}

void PlaceTwoGangs(WholeSystem& system) {
  system.Settle();
  PlaceGang(system, GangOf("train", 4, {.cpu = "2"}));
  PlaceGang(system, GangOf("tests", 4, {.cpu = "2"}));
}

// The second gang comes after a restart, and before the claims of the first one
// are written: its devices are known from the records alone.
void PlaceGangsWithDevices(WholeSystem& system) {
  const auto count = [&system] {
    return system.Ask(
        "SELECT count(*) FROM placements WHERE devices IS NOT NULL");
  };
  PublishDevices(system);
  system.Settle();
  PlaceGang(system, GangOf("train", 2, {.cpu = "1", .rules = kOneGpu}));
  ASSERT_EQ(count(), "2") << "the first gang has no place";
  system.CrashAndRestart();
  PlaceGang(system, GangOf("tests", 2, {.cpu = "1", .rules = kOneGpu}));
  ASSERT_EQ(count(), "4") << "the second gang has no place";
}

// A claim of a pod of another scheduler, allocated this device.
void TakeDevice(WholeSystem& system, const std::string& node,
                const std::string& device) {
  cluster::PodTemplate other{};
  other.pod.namespace_name = "kube-system";
  other.pod.name = "other";
  other.pod.scheduler_name = "default-scheduler";
  other.pod.node_name = node;
  other.pod.resource_claims = {{"gpus", "taken", ""}};
  other.run.length.reset();
  system.cluster.CreatePod(other);
  cluster::ResourceClaim claim;
  claim.namespace_name = "kube-system";
  claim.name = "taken";
  matcher::AllocatedDevice held;
  held.request = "gpu";
  held.id = {"gpu.example.com", node, device};
  claim.allocation = cluster::ClaimDevices{{held}, {node}};
  for (const auto& pod : system.cluster.TakeSnapshot().pods)
    if (pod->name == "other")
      claim.reserved_for = {{.name = pod->name, .uid = pod->uid}};
  system.cluster.Put(claim);
}

// Another scheduler takes a device between the match and the binding.
void LoseADevice(WholeSystem& system) {
  PublishDevices(system);
  system.Settle();
  PlaceGang(system, GangOf("train", 2, {.cpu = "1", .rules = kOneGpu}));
  const std::string node =
      system.Ask("SELECT min(node_name) FROM held_devices");
  TakeDevice(system, node,
             system.Ask("SELECT min(device) FROM held_devices WHERE node_name "
                        "= '" +
                        node + "'"));
  system.Settle();
}

// The claims of a gang are written, and then no node takes it any more.
void CloseNodesBeforeBinding(WholeSystem& system) {
  PublishDevices(system);
  system.Settle();
  system.cluster.FailBinds(cluster::BindFault::kUnreachable, 1);
  PlaceGang(system, GangOf("train", 2, {.cpu = "1", .rules = kOneGpu}));
  system.process->RunWorker(3, system.cluster.Now());
  const auto claims = system.cluster.TakeDevices().claims;
  ASSERT_TRUE(std::ranges::any_of(claims, [](const auto& claim) {
    return claim->allocation.has_value();
  })) << "no claim is written";
  for (const auto& node : system.cluster.TakeSnapshot().nodes)
    system.cluster.Cordon(node->name);
  system.Settle();
}

void CountAgain(WholeSystem& system) {
  system.Settle();
  system.Submit(GangOf("train", 4, {.absent = 2}));
  system.Settle();
  system.Submit(PodOf("late", "train", 4));
  system.Settle();
}

// Another process takes over; the old one has not noticed and continues.
void WakeAfterTakeover(WholeSystem& system) {
  system.Submit(GangOf("early", 2, {.cpu = "1"}));
  system.Settle();
  std::unique_ptr<SchedulerProcess> paused = std::move(system.process);
  system.database.Execute(
      "UPDATE clients SET heartbeat_at = now() - interval '1 day'");
  system.process = std::make_unique<SchedulerProcess>(system.database.options(),
                                                      system.cluster);
  system.Settle();
  system.Submit(GangOf("late", 2, {.cpu = "1"}));
  system.database.Execute("UPDATE clients SET heartbeat_at = now()");
  const auto now = system.cluster.Now();
  system.process->intake.RunOnce(now);
  system.process->promoter.RunOnce(now);
  for (int i = 0; i < 3; ++i) paused->match.RunOnce(now);
  system.Settle();
}

void FailOnePod(WholeSystem& system) {
  RunGang(system);
  system.Advance(seconds(1));
  for (const auto& pod : system.cluster.TakeSnapshot().pods) {
    if (pod->completion_index != 0) continue;
    system.cluster.EndPod(pod->namespace_name, pod->name, 1);
  }
  system.Advance(seconds(1));
}

// A node moves from one component to another, whose owner learns of it first.
void MoveANode(WholeSystem& system) {
  const auto paint = [&](const std::string& name, const std::string& pool) {
    cluster::Node node = *system.cluster.GetNode(name);
    node.labels["pool"] = pool;
    system.cluster.UpdateNode(node);
  };
  paint("node0", "red");
  paint("node1", "blue");
  system.database.Execute(
      "UPDATE queues SET node_selector = '{\"pool\": \"grey\"}'; "
      "INSERT INTO queues (name, node_selector, paused) VALUES "
      "('red', '{\"pool\": \"red\"}', true), "
      "('blue', '{\"pool\": \"blue\"}', true), "
      "('another', '{\"pool\": \"black\"}', true)");
  system.standby = std::make_unique<SchedulerProcess>(system.database.options(),
                                                      system.cluster);
  system.Submit(GangOf("train", 1, {.cpu = "4", .queue = "red"}));
  system.Submit(GangOf("tests", 2, {.cpu = "4", .queue = "blue"}));
  system.Settle();
  SchedulerProcess* red = system.process.get();
  SchedulerProcess* blue = system.standby.get();
  if (!red->match.Describe().contains({"red"})) std::swap(red, blue);
  ASSERT_TRUE(blue->match.Describe().contains({"blue"}));
  paint("node0", "blue");
  system.database.Execute("UPDATE queues SET paused = false");
  const auto now = system.cluster.Now();
  blue->intake.RunOnce(now);
  for (int i = 0; i < 3; ++i) blue->match.RunOnce(now);
  for (int i = 0; i < 3; ++i) red->match.RunOnce(now);
  system.Settle();
}

const std::vector<Story>& Stories() {
  static const std::vector<Story> stories = {
      {"promoted-in-part", "1", RunGang},
      {"counted-twice", "1", CountAgain},
      {"half-gang", "2", PlaceTwoGangs},
      {"half-bound", "2", RunGang},
      {"double-grant", "3", PlaceTwoGangs},
      {"others-forgotten", "3", RunBesideOthers},
      {"lost-release", "4", EndOnePod},
      {"release-untold", "4", EndOnePod},
      {"change-lost", "4", FailOnePod},
      {"stale-term", "5", WakeAfterTakeover},
      {"node-shared", "3", MoveANode},
      {"pod-forgotten", "6", RunGang},
      {"job-unfinished", "6", RunGang},
      {"history-too-early", "6", EndOnePod},
      {"rack-forgotten", "2", RunInOneRack},
      {"levels-forgotten", "2", RunInSlices},
      {"whole-nodes-forgotten", "2", RunAlone},
      {"inside-forgotten", "3", RunAlignedGangs},
      {"devices-forgotten", "3", PlaceGangsWithDevices},
      {"holder-unseen", "3", LoseADevice},
      {"claims-kept", "6", CloseNodesBeforeBinding},
      {"domains-mixed", "3", RunAlignedGangs},
      {"pool-forgotten", "3", ShareLicences},
      {"reservation-slips", "7", ReserveAndFill},
      {"wrong-clock", "8", RunGang},
  };
  return stories;
}

class PlantedBug : public ::testing::TestWithParam<Story> {};

TEST_P(PlantedBug, IsCaughtAndWithoutItNothingIs) {
  const Story& story = GetParam();
  EXPECT_THAT(Told(story, ""), IsEmpty());
  EXPECT_THAT(Told(story, story.bug),
              Contains(StartsWith(std::string(story.invariant) + ":")));
}

std::string NameOf(const ::testing::TestParamInfo<Story>& info) {
  std::string name;
  bool upper = true;
  for (const char* c = info.param.bug; *c != '\0'; ++c) {
    if (*c != '-') name += upper ? static_cast<char>(*c - 'a' + 'A') : *c;
    upper = *c == '-';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Invariants, PlantedBug, ::testing::ValuesIn(Stories()),
                         NameOf);

}  // namespace
}  // namespace fluxnetes::testing
#endif
