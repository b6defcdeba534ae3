// The matcher as the scheduler uses it: gangs on nodes with cpu, memory and
// pods. The first argument is the number of nodes.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "matcher/gangs/node_graph.h"

namespace fluxnetes::matcher {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;
constexpr Policy kPolicy = Policy::kLonode;

NodeGraph Cluster(std::int64_t nodes) {
  NodeGraph graph({"cpu", "memory", "pods"});
  for (std::int64_t i = 0; i < nodes; ++i) {
    graph.AddNode("node" + std::to_string(i), i,
                  std::vector<std::int64_t>{32'000, 128 * kGiB, 110});
  }
  return graph;
}

Gang Pods(int count, Time duration = kForever) {
  return {{{{1'000, kGiB, 1}, nullptr, count}}, duration};
}

bool Placed(const MatchResult& result) {
  return std::holds_alternative<Placement>(result);
}

// Fills the cluster with gangs and empties it again; emptying is not timed.
void FillWithGangs(benchmark::State& state, Time duration) {
  const auto nodes = state.range(0);
  const Gang gang = Pods(static_cast<int>(state.range(1)), duration);
  NodeGraph graph = Cluster(nodes);
  JobId job = 0;
  for (auto _ : state) {
    ++job;
    if (Placed(graph.Allocate(job, gang, kPolicy, job))) continue;
    state.PauseTiming();
    for (JobId held = 1; held < job; ++held) graph.Cancel(held);
    job = 0;
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations());
}

void BM_Allocate(benchmark::State& state) { FillWithGangs(state, kForever); }
void BM_AllocateForAnHour(benchmark::State& state) {
  FillWithGangs(state, 3600);
}
BENCHMARK(BM_Allocate)->ArgsProduct({{1'000, 10'000}, {1, 16, 64}});
BENCHMARK(BM_AllocateForAnHour)->ArgsProduct({{1'000}, {1, 16}});

void BM_FailOnFullCluster(benchmark::State& state) {
  NodeGraph graph = Cluster(state.range(0));
  JobId job = 0;
  while (Placed(graph.Allocate(++job, Pods(32), kPolicy, 0))) {
  }
  const Gang gang = Pods(16);
  for (auto _ : state) {
    benchmark::DoNotOptimize(graph.Allocate(job, gang, kPolicy, 0));
  }
}
BENCHMARK(BM_FailOnFullCluster)->Arg(1'000)->Arg(10'000)->Arg(100'000);

// Half of the nodes lack cpu, half memory, so aggregate bounds do not help.
void BM_FailWhereEachNodeLacksSomethingElse(benchmark::State& state) {
  NodeGraph graph = Cluster(state.range(0));
  for (NodeIndex node = 0; node < state.range(0); ++node) {
    graph.SetUnmanaged(node, node % 2 == 0
                                 ? std::vector<std::int64_t>{32'000, 0, 0}
                                 : std::vector<std::int64_t>{0, 128 * kGiB, 0});
  }
  const Gang gang = Pods(16);
  for (auto _ : state) {
    benchmark::DoNotOptimize(graph.Allocate(1, gang, kPolicy, 0));
  }
}
BENCHMARK(BM_FailWhereEachNodeLacksSomethingElse)->Arg(1'000)->Arg(10'000);

// All nodes are free now and reserved from tomorrow on.
void BM_FailBeforeReservation(benchmark::State& state) {
  const auto nodes = state.range(0);
  const Time duration = state.range(1) == 0 ? kForever : state.range(1);
  NodeGraph graph = Cluster(nodes);
  std::vector<NodeIndex> all;
  for (NodeIndex node = 0; node < nodes; ++node) all.push_back(node);
  const std::vector<std::vector<std::int64_t>> amounts(nodes, {32'000});
  graph.Restore(1, 1'000, 2'000, all, amounts);
  const Gang gang = Pods(16, duration);
  for (auto _ : state) {
    benchmark::DoNotOptimize(graph.Allocate(2, gang, kPolicy, 0));
  }
}
BENCHMARK(BM_FailBeforeReservation)->ArgsProduct({{1'000, 10'000}, {0, 3'600}});

void BM_ReleaseAndAllocateOnFullCluster(benchmark::State& state) {
  NodeGraph graph = Cluster(state.range(0));
  const Gang gang = Pods(1);
  JobId job = 0;
  while (Placed(graph.Allocate(++job, gang, kPolicy, 0))) {
  }
  std::mt19937_64 random(1);
  std::uniform_int_distribution<JobId> any(1, job - 1);
  for (auto _ : state) {
    const JobId one = any(random);
    graph.Cancel(one);
    graph.Allocate(one, gang, kPolicy, 0);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_ReleaseAndAllocateOnFullCluster)->Arg(1'000)->Arg(10'000);

void BM_Release(benchmark::State& state) {
  constexpr int kTasks = 16;
  NodeGraph graph = Cluster(1'000);
  const Gang gang = Pods(kTasks);
  JobId job = 0;
  JobId at = 0;
  int task = kTasks;
  for (auto _ : state) {
    if (task == kTasks) {
      if (at == job) {
        state.PauseTiming();
        for (job = at = 0; Placed(graph.Allocate(job + 1, gang, kPolicy, 0));) {
          ++job;
        }
        state.ResumeTiming();
      }
      ++at;
      task = 0;
    }
    graph.Release(at, task++);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Release);

// A cluster full of jobs of one task with scattered ends; a gang that needs a
// share (in percent) of whole nodes.
void BM_Reserve(benchmark::State& state) {
  const auto nodes = state.range(0);
  NodeGraph graph = Cluster(nodes);
  std::mt19937_64 random(1);
  std::uniform_int_distribution<Time> duration(1, 100'000);
  JobId job = 0;
  const std::vector<std::int64_t> tenth = {3'200, 12 * kGiB, 1};
  while (Placed(graph.Allocate(++job, {{{tenth, nullptr, 1}}, duration(random)},
                               kPolicy, 0))) {
  }
  const int count = static_cast<int>(nodes * state.range(1) / 100);
  const Gang gang{{{{32'000, kGiB, 1}, nullptr, count}}, 3'600};
  Time start = 0;
  for (auto _ : state) {
    const auto result = graph.AllocateOrReserve(job, gang, kPolicy, 0);
    start = std::get<Placement>(result).start;
    graph.Cancel(job);
  }
  state.counters["running"] = static_cast<double>(job - 1);
  state.counters["start"] = static_cast<double>(start);
}
BENCHMARK(BM_Reserve)
    ->ArgsProduct({{1'000, 10'000}, {1, 10, 100}})
    ->Unit(benchmark::kMicrosecond);

void BM_AddAndRemoveNode(benchmark::State& state) {
  NodeGraph graph = Cluster(state.range(0));
  const Gang gang = Pods(1);
  for (auto _ : state) {
    const NodeIndex node = graph.AddNode(
        "one", 5, std::vector<std::int64_t>{32'000, 128 * kGiB, 110});
    graph.Allocate(1, gang, kPolicy, 0);
    graph.Cancel(1);
    graph.RemoveNode(node);
  }
}
BENCHMARK(BM_AddAndRemoveNode)->Arg(1'000)->Arg(10'000);

}  // namespace
}  // namespace fluxnetes::matcher
