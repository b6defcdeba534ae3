// Changes of nodes in a random run, and pods that others place on them.
#include "tests/invariants/random/random_run.h"

namespace fluxnetes::testing {

using std::chrono::seconds;

std::string RandomRun::AnyNode() {
  const auto nodes = system_.cluster.TakeSnapshot().nodes;
  if (nodes.empty()) return "";
  return nodes[Pick(0, static_cast<int>(nodes.size()) - 1)]->name;
}

// Adds a new node, or one of a former name.
void RandomRun::AddNode() {
  if (system_.cluster.TakeSnapshot().nodes.size() >= 9) return;
  cluster::Node node;
  node.name = Chance(0.3) ? fmt::format("node{}", Pick(0, 5))
                          : fmt::format("node{}", nodes_++);
  node.allocatable = {.cpu_milli = Pick(8, 24) * 1'000L,
                      .memory_bytes = 64L << 30,
                      .ephemeral_bytes = 100L << 30,
                      .pods = 110,
                      .extended = {}};
  node.labels["pool"] = Chance(0.5) ? "red" : "blue";
  // The same for every node of this name.
  const int rack = (node.name.back() - '0') % 3;
  if (rack < 2)
    node.labels["topology.kubernetes.io/rack"] = "r" + std::to_string(rack);
  if (Chance(0.5)) node.labels["disk"] = "ssd";
  if (Chance(0.5)) node.allocatable.SetExtended("nvidia.com/gpu", Pick(1, 8));
  if (system_.cluster.AddNode(node)) Note("add " + node.name);
}

void RandomRun::RemoveNode() {
  if (system_.cluster.TakeSnapshot().nodes.size() <= 3) return;
  const std::string node = AnyNode();
  Note("remove " + node);
  system_.cluster.RemoveNode(node);
}

void RandomRun::CloseNode() {
  const std::string node = AnyNode();
  const int how = Pick(0, 3);
  Note(fmt::format("close {} in manner {}", node, how));
  if (how == 0) system_.cluster.Cordon(node);
  if (how == 1) system_.cluster.SetReady(node, false);
  if (how == 2) system_.cluster.AddTaint(node, {"team", "red", "NoSchedule"});
  if (how == 3) system_.cluster.AddTaint(node, {"down", "", "NoExecute"});
}

void RandomRun::OpenNode() {
  for (const auto& node : system_.cluster.TakeSnapshot().nodes) {
    if (Chance(0.5)) continue;
    system_.cluster.Cordon(node->name, false);
    system_.cluster.SetReady(node->name, true);
    system_.cluster.RemoveTaint(node->name, "team");
    system_.cluster.RemoveTaint(node->name, "down");
  }
  Note("open nodes");
}

void RandomRun::ResizeNode() {
  const std::string name = AnyNode();
  const auto known = system_.cluster.GetNode(name);
  if (known == nullptr) return;
  cluster::Node node = *known;
  node.allocatable.cpu_milli = Pick(4, 32) * 1'000L;
  Note(fmt::format("resize {} to {}", name, node.allocatable.cpu_milli));
  system_.cluster.UpdateNode(node);
}

void RandomRun::RelabelNode() {
  const auto known = system_.cluster.GetNode(AnyNode());
  if (known == nullptr) return;
  cluster::Node node = *known;
  node.labels["pool"] = Chance(0.5) ? "red" : "blue";
  if (Chance(0.5)) node.labels.erase("disk");
  Note(fmt::format("{} goes to {}", node.name, node.labels["pool"]));
  system_.cluster.UpdateNode(node);
}

void RandomRun::AddOther() {
  cluster::PodTemplate other{};
  other.pod.namespace_name = "kube-system";
  other.pod.name = fmt::format("other{}", ++others_);
  other.pod.scheduler_name = "default-scheduler";
  other.pod.node_name = AnyNode();
  other.pod.request.resources = {.cpu_milli = Pick(1, 4) * 1'000L,
                                 .memory_bytes = 1L << 30,
                                 .ephemeral_bytes = 0,
                                 .pods = 1,
                                 .extended = {}};
  other.run.length = seconds(Pick(10, 600));
  Note(fmt::format("{} comes to {}", other.pod.name, other.pod.node_name));
  system_.cluster.CreatePod(other);
}

void RandomRun::RemoveOther() {
  if (others_ == 0) return;
  const auto name = fmt::format("other{}", Pick(1, others_));
  if (system_.cluster.Delete({"Pod", "kube-system", name, ""})) {
    Note(name + " goes");
  }
}

// Someone else binds one of our pods.
void RandomRun::BindForUs() {
  const auto pod = AnyPod(false);
  if (pod == nullptr || pod->gated) return;
  const cluster::Binding binding{pod->namespace_name, pod->name, pod->uid, "",
                                 AnyNode()};
  Note(fmt::format("others bind {} to {}", pod->name, binding.node_name));
  try {
    system_.cluster.Bind({&binding, 1}, seconds(1));
  } catch (const cluster::Unreachable&) {
    Note("and hear nothing");
  }
  // The pod may be bound although the answer was lost.
  for (const auto& now : system_.cluster.TakeSnapshot().pods)
    if (now->uid == pod->uid && !now->node_name.empty())
      system_.bound_by_others.insert(pod->uid);
}

}  // namespace fluxnetes::testing
