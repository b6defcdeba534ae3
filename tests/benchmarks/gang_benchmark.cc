// Gangs of 64 mixed pods on nodes with cpu, memory, gpu and 20 labels each: a
// launcher, servers that keep apart, workers on tainted GPU nodes and data pods
// spread over zones. The cluster stays half full: each round places a gang and
// ends the oldest. The first argument is the number of nodes.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

#include "matcher/gangs/explanation.h"
#include "matcher/gangs/node_graph.h"

namespace fluxnetes::matcher {
namespace {

using Op = LabelRequirement::Op;
constexpr std::int64_t kGiB = std::int64_t{1} << 30;
constexpr Policy kPolicy = Policy::kLonode;

Labels LabelsOf(std::int64_t node) {
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  Labels labels = {
      {"kubernetes.io/hostname", "node" + number(node)},
      {"kubernetes.io/os", "linux"},
      {"kubernetes.io/arch", node % 10 == 0 ? "arm64" : "amd64"},
      {"topology.kubernetes.io/region", "region" + number(node / 8 % 2)},
      {"topology.kubernetes.io/zone", "zone" + number(node % 4)},
      {"rack", "rack" + number(node / 32)},
      {"generation", number(node % 7)},
      {"pool", node % 50 == 0 ? "system" : "batch"},
  };
  if (node % 2 == 0) labels["gpu.model"] = node % 4 == 0 ? "a" : "b";
  for (int i = 0; labels.size() < 20; ++i) {
    labels["example.com/label" + number(i)] = number(node % (i + 2));
  }
  return labels;
}

NodeGraph Cluster(std::int64_t nodes) {
  NodeGraph graph({"cpu", "memory", "gpu", "pods"});
  for (std::int64_t i = 0; i < nodes; ++i) {
    const bool gpus = i % 2 == 0;
    const NodeIndex node = graph.AddNode(
        "node" + std::to_string(i), i,
        std::vector<std::int64_t>{64'000, 256 * kGiB, gpus ? 8 : 0, 110});
    std::vector<Taint> taints;
    if (gpus) taints.push_back({"gpu", "", TaintEffect::kNoSchedule});
    graph.SetLabels(node, LabelsOf(i), taints);
  }
  return graph;
}

LabelTerm In(std::string key, std::vector<std::string> values) {
  return {{std::move(key), Op::kIn, std::move(values), false}};
}

TaskRules RulesOf(const std::string& application, const std::string& role) {
  TaskRules rules;
  rules.namespace_name = "default";
  rules.labels = {{"app", application}, {"role", role}};
  return rules;
}

struct GangRules {
  TaskRules launcher, server, worker, data;
};

GangRules RulesOfGang(const std::string& application) {
  GangRules rules{RulesOf(application, "launcher"),
                  RulesOf(application, "server"),
                  RulesOf(application, "worker"), RulesOf(application, "data")};
  rules.launcher.node.preferred = {{50, In("pool", {"system"})}};
  rules.server.node.affinity = {
      {{"topology.kubernetes.io/zone", Op::kIn, {"zone1", "zone3"}, false},
       {"generation", Op::kGt, {"1"}, false}}};
  LabelTerm servers = In("app", {application});
  servers.push_back({"role", Op::kIn, {"server"}, false});
  rules.server.anti_affinity = {
      {{servers, {"default"}}, "kubernetes.io/hostname"}};
  rules.worker.node.selector = {{"gpu.model", "a"}};
  rules.worker.node.tolerations = {{"gpu", true, "", std::nullopt}};
  LabelTerm data = In("app", {application});
  data.push_back({"role", Op::kIn, {"data"}, false});
  rules.data.spread = {{"topology.kubernetes.io/region", data}};
  rules.data.node.preferred = {{10, In("kubernetes.io/arch", {"amd64"})}};
  return rules;
}

class GangOf64 {
 public:
  GangOf64(NodeGraph& graph, const std::string& application)
      : graph_(graph), rules_(RulesOfGang(application)) {
    const auto add = [&](std::vector<std::int64_t> amounts, int count,
                         const TaskRules& rules) {
      gang_.groups.push_back(
          {std::move(amounts), nullptr, count, graph_.TakeRules(rules)});
    };
    add({1'000, kGiB, 0, 1}, 1, rules_.launcher);
    add({8'000, 16 * kGiB, 0, 1}, 16, rules_.server);
    add({4'000, 16 * kGiB, 1, 1}, 32, rules_.worker);
    add({2'000, 8 * kGiB, 0, 1}, 15, rules_.data);
  }
  ~GangOf64() {
    for (const TaskGroup& group : gang_.groups) graph_.GiveRules(group.rules);
  }
  GangOf64(const GangOf64&) = delete;
  GangOf64& operator=(const GangOf64&) = delete;

  Gang& gang() { return gang_; }

 private:
  NodeGraph& graph_;
  GangRules rules_;
  Gang gang_;
};

// A gang needs 32 GPUs; a quarter of the nodes has 8 of that kind.
JobId HalfFull(std::int64_t nodes) { return nodes / 4 * 8 / 32 / 2; }

void Check(const MatchResult& result) {
  if (!std::holds_alternative<Placement>(result)) std::abort();
}

// Applications recur: their rules are known.
void BM_GangsOf64(benchmark::State& state) {
  const auto nodes = state.range(0);
  NodeGraph graph = Cluster(nodes);
  std::deque<GangOf64> gangs;
  const int applications = static_cast<int>(HalfFull(nodes) / 20 + 1);
  for (int i = 0; i < applications; ++i) {
    gangs.emplace_back(graph, "app" + std::to_string(i));
    if (state.range(1) != 0) gangs.back().gang().duration = 3'600;
  }
  JobId job = 0;
  const JobId live = HalfFull(nodes);
  for (; job < live; ++job) {
    Check(graph.Allocate(job, gangs[job % applications].gang(), kPolicy, 0));
  }
  for (auto _ : state) {
    Check(graph.Allocate(job, gangs[job % applications].gang(), kPolicy, 0));
    graph.Cancel(job - live);
    ++job;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_GangsOf64)
    ->ArgsProduct({{10'000, 100'000}, {0, 3'600}})
    ->Unit(benchmark::kMicrosecond);

// Each gang has labels of its own, so its rules are new, but the node
// predicates in them are known.
void BM_GangsOf64WithRulesOfTheirOwn(benchmark::State& state) {
  const auto nodes = state.range(0);
  NodeGraph graph = Cluster(nodes);
  std::deque<GangOf64> gangs;
  JobId job = 0;
  const JobId live = HalfFull(nodes);
  const auto add = [&] {
    gangs.emplace_back(graph, "app" + std::to_string(job));
    Check(graph.Allocate(job, gangs.back().gang(), kPolicy, 0));
    ++job;
  };
  while (job < live) add();
  for (auto _ : state) {
    add();
    graph.Cancel(job - 1 - live);
    gangs.pop_front();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_GangsOf64WithRulesOfTheirOwn)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Unit(benchmark::kMicrosecond);

// All under one rack, the smallest that fits the gang.
void BM_GangInOneRack(benchmark::State& state) {
  const auto nodes = state.range(0);
  NodeGraph graph = Cluster(nodes);
  const Gang gang = {{{{4'000, 8 * kGiB, 1, 1}, nullptr, 64}},
                     kForever,
                     {"rack"},
                     /*together_required=*/true};
  JobId job = 0;
  const JobId live = nodes / 64;
  for (; job < live; ++job) Check(graph.Allocate(job, gang, kPolicy, 0));
  for (auto _ : state) {
    Check(graph.Allocate(job, gang, kPolicy, 0));
    graph.Cancel(job - live);
    ++job;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_GangInOneRack)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Unit(benchmark::kMicrosecond);

// The second argument is the number of gangs with a reservation.
void BM_GangsOf64BesideReservations(benchmark::State& state) {
  const auto nodes = state.range(0);
  NodeGraph graph = Cluster(nodes);
  GangOf64 of64(graph, "app");
  of64.gang().duration = 3'600;
  GangOf64 other(graph, "other");
  other.gang().duration = 3'600;
  const Gang large{{{{32'000, 128 * kGiB, 0, 1}, nullptr, 64}}, 600};
  JobId job = 0;
  while (std::holds_alternative<Placement>(
      graph.Allocate(++job, other.gang(), kPolicy, 0))) {
  }
  for (JobId i = 0; i < state.range(1); ++i) {
    Check(graph.AllocateOrReserve(++job, i % 2 == 0 ? large : other.gang(),
                                  kPolicy, 0));
  }
  for (auto _ : state) {
    Check(graph.AllocateOrReserve(++job, of64.gang(), kPolicy, 0));
    graph.Cancel(job);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_GangsOf64BesideReservations)
    ->ArgsProduct({{1'000}, {0, 10, 100, 1'000}})
    ->Unit(benchmark::kMicrosecond);

void BM_ExplainGangOf64(benchmark::State& state) {
  NodeGraph graph = Cluster(state.range(0));
  GangOf64 of64(graph, "app");
  of64.gang().groups[2].amounts[2] = 9;
  for (auto _ : state) {
    benchmark::DoNotOptimize(graph.Explain(of64.gang(), kPolicy, 0));
  }
}
BENCHMARK(BM_ExplainGangOf64)->Arg(10'000)->Unit(benchmark::kMicrosecond);

// A node gets another label while the rules of many applications are in use;
// the argument is their number.
void BM_RelabelNode(benchmark::State& state) {
  NodeGraph graph = Cluster(10'000);
  std::deque<GangOf64> gangs;
  for (int i = 0; i < state.range(0); ++i) {
    gangs.emplace_back(graph, "app" + std::to_string(i));
  }
  Labels labels = LabelsOf(17);
  for (auto _ : state) {
    labels["generation"] = labels["generation"] == "3" ? "4" : "3";
    graph.SetLabels(17, labels);
  }
}
BENCHMARK(BM_RelabelNode)->Arg(1)->Arg(100)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace fluxnetes::matcher
