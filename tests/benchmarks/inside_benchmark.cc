// Tasks inside of nodes with 2 sockets, 8 NUMA domains, 128 cores, 1 TiB and 8
// GPUs in 2 islands. The nodes are half full of random tasks, so few are alike.
// The first argument is the number of nodes.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdlib>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "matcher/gangs/node_graph.h"
#include "matcher/inside/node_interior.h"
#include "matcher/inside/short_structure.h"

namespace fluxnetes::matcher {
namespace {

constexpr std::int64_t kGiB = 1'024;  // MiB
constexpr Time kHour = 3'600;

InsideRequest RequestFor(Align align, std::int64_t cpus, std::int64_t gpus) {
  InsideWish wish;
  wish.align = align;
  wish.cpus = cpus;
  wish.memory_mib = cpus * 4 * kGiB;
  wish.gpus = gpus;
  return RequestOf(wish);
}

class HalfFullNodes {
 public:
  // With `torn`, a GPU of each island is taken.
  explicit HalfFullNodes(NodeIndex nodes, bool torn = false)
      : nodes_(nodes), torn_(torn) {
    const ResourceGraph graph = ReadShortStructure(
        "sockets: 2, numa: 8, cores: 128, gpus: 8, islands: 2, memory: 1Ti");
    for (NodeIndex node = 0; node < nodes; ++node) {
      interior.Set(node, graph);
      Fill(node);
    }
  }

  // Places a gang where it fits first. Places nothing if it does not fit.
  bool Place(JobId job, ShapeId shape, int tasks, Time now) {
    const InsideWindow window{now, now + kHour, now};
    plan_.clear();
    int planned = 0;
    for (NodeIndex node = 0; node < nodes_ && planned < tasks; ++node) {
      const int fit = interior.Fit(node, shape, tasks - planned, window);
      if (fit == 0) continue;
      plan_.push_back({node, fit});
      planned += fit;
    }
    if (planned < tasks) return false;
    int task = 0;
    for (const auto& [node, count] : plan_) {
      for (int i = 0; i < count; ++i) {
        if (!interior.Book(job, task++, node, shape, window)) std::abort();
      }
    }
    return true;
  }

  NodeInterior interior;

 private:
  // Every second node gets a task with the GPUs of an island; all get others
  // until half of the cores are taken. Ends differ.
  void Fill(NodeIndex node) {
    std::uniform_int_distribution<int> cpus(1, 16);
    int left = 64;
    const auto add = [&](Align align, int wanted, int gpus) {
      const ShapeId shape = interior.Take(RequestFor(align, wanted, gpus));
      const InsideWindow window{0, 10 * kHour + job_ % 1'000, 0};
      if (interior.Book(job_, 0, node, shape, window)) ++job_;
      left -= wanted;
    };
    for (int island = 0; torn_ && island < 2; ++island) {
      const int gpu = island * 4 + cpus(random_) % 4;
      interior.Restore(job_++, 0, node, "gpu" + std::to_string(gpu), 0,
                       10 * kHour);
    }
    if (node % 2 == 0 && !torn_) add(Align::kIsland, 16, 4);
    while (left > 0) add(Align::kNuma, std::min(left, cpus(random_)), 0);
    // An end that comes early leaves a hole.
    if (job_ > 3 && node % 3 == 0) interior.Cancel(job_ - 2);
  }

  struct Planned {
    NodeIndex node;
    int tasks;
  };
  const NodeIndex nodes_;
  const bool torn_;
  std::mt19937 random_{1};
  JobId job_ = 1'000'000;
  std::vector<Planned> plan_;
};

// Each round places a gang of 64 and ends the one before the last 20.
void BM_GangsOf64(benchmark::State& state) {
  HalfFullNodes nodes(static_cast<NodeIndex>(state.range(0)));
  const Align align = state.range(1) == 0 ? Align::kIsland : Align::kNuma;
  const ShapeId shape = nodes.interior.Take(RequestFor(
      align, state.range(1) == 0 ? 32 : 12, state.range(1) == 0 ? 4 : 1));
  constexpr JobId kLive = 20;
  JobId job = 0;
  for (; job < kLive; ++job) {
    if (!nodes.Place(job, shape, 64, job)) std::abort();
  }
  const std::int64_t searches = nodes.interior.searches();
  for (auto _ : state) {
    if (!nodes.Place(job, shape, 64, job)) std::abort();
    nodes.interior.Cancel(job - kLive);
    ++job;
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["searches"] = benchmark::Counter(
      static_cast<double>(nodes.interior.searches() - searches),
      benchmark::Counter::kAvgIterations);
}
BENCHMARK(BM_GangsOf64)
    ->ArgsProduct({{10'000}, {0, 1}})
    ->ArgNames({"nodes", "numa"})
    ->Unit(benchmark::kMicrosecond);

// Gangs that fit nowhere: all nodes have 6 GPUs free, none 4 on one island.
// Each round has a new request, of which nothing is known yet, or asks the same
// again.
void BM_GangInVain(benchmark::State& state) {
  HalfFullNodes nodes(static_cast<NodeIndex>(state.range(0)), true);
  const bool is_new = state.range(1) != 0;
  ShapeId shape = nodes.interior.Take(RequestFor(Align::kIsland, 8, 4));
  Time now = 0;
  nodes.Place(1, shape, 64, now);
  for (auto _ : state) {
    if (is_new) {
      state.PauseTiming();
      nodes.interior.Give(shape);
      shape = nodes.interior.Take(RequestFor(Align::kIsland, 8, 4));
      state.ResumeTiming();
    }
    if (nodes.Place(1, shape, 64, ++now)) std::abort();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_GangInVain)
    ->ArgsProduct({{10'000}, {0, 1}})
    ->ArgNames({"nodes", "new"})
    ->Unit(benchmark::kMicrosecond);

// One fit and one booking on nodes whose states are new each time.
void BM_FitAndBookInNewStates(benchmark::State& state) {
  HalfFullNodes nodes(static_cast<NodeIndex>(state.range(0)));
  JobId job = 0;
  std::vector<ShapeId> shapes;
  std::int64_t cpus = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const auto node = static_cast<NodeIndex>(job % state.range(0));
    const ShapeId shape = nodes.interior.Take(
        RequestFor(Align::kSocket, 1 + cpus % 16, cpus % 2));
    ++cpus;
    const InsideWindow window{job, job + kHour, job};
    state.ResumeTiming();
    if (nodes.interior.Fit(node, shape, 1, window) > 0) {
      benchmark::DoNotOptimize(
          nodes.interior.Book(job, 0, node, shape, window));
    }
    state.PauseTiming();
    nodes.interior.Give(shape);
    ++job;
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_FitAndBookInNewStates)->Arg(10'000)->Unit(benchmark::kMicrosecond);

// Whole decisions of a NodeGraph. Each round places a gang of 64 tasks with 4
// GPUs of an island and ends the one before the last 20. With `torn`, a GPU of
// each island is taken, so the amounts suffice everywhere and no island does.
void BM_GangsOf64ByNodeGraph(benchmark::State& state) {
  const bool torn = state.range(1) != 0;
  NodeGraph graph({"cpu", "memory", "gpu"});
  const ResourceGraph inside = ReadShortStructure(
      "sockets: 2, numa: 8, cores: 128, gpus: 8, islands: 2, memory: 1Ti");
  std::mt19937 random{1};
  JobId job = 1'000'000;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    const NodeIndex node =
        graph.AddNode("node" + std::to_string(i), i,
                      std::vector<std::int64_t>{128, 1024 * kGiB, 8});
    graph.SetInside(node, inside);
    const auto hold = [&](std::int64_t cpus, std::int64_t gpus,
                          const std::string& parts) {
      const std::vector<NodeIndex> on = {node};
      const std::vector<std::vector<std::int64_t>> amounts = {{cpus, 0, gpus}};
      const std::vector<std::string> text = {parts};
      graph.Restore(job++, 0, kForever, on, amounts, {}, {}, text);
    };
    if (torn) hold(0, 1, "gpu" + std::to_string(random() % 4));
    if (torn) hold(0, 1, "gpu" + std::to_string(4 + random() % 4));
    if (!torn && i % 2 == 0) hold(64, 4, "island0/");
    for (int core = 64 + static_cast<int>(random() % 8); core < 96;) {
      const int last = core + static_cast<int>(random() % 8);
      hold(last - core + 1, 0,
           "core" + std::to_string(core) + " core" + std::to_string(last));
      core = last + 1;
    }
  }
  TaskGroup group{{16, 64 * kGiB, 4}, nullptr, 64};
  group.inside = graph.TakeInside(RequestFor(Align::kIsland, 16, 4));
  const Gang gang = {{group}, kHour};
  constexpr JobId kLive = 20;
  job = 0;
  for (auto _ : state) {
    const auto placed = graph.TryAllocate(job, gang, Policy::kLonode, job);
    if (placed.has_value() == torn) std::abort();
    graph.Cancel(job - kLive);
    ++job;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_GangsOf64ByNodeGraph)
    ->ArgsProduct({{10'000}, {0, 1}})
    ->ArgNames({"nodes", "torn"})
    ->Unit(benchmark::kMicrosecond);

// The memory of the nodes, of their tasks and of all states that a gang of
// each kind has seen.
void BM_Memory(benchmark::State& state) {
  for (auto _ : state) {
    const std::size_t before = mallinfo2().uordblks;
    HalfFullNodes nodes(static_cast<NodeIndex>(state.range(0)));
    for (const Align align : {Align::kIsland, Align::kNuma, Align::kSocket}) {
      for (int cpus = 1; cpus <= 16; ++cpus) {
        const ShapeId shape =
            nodes.interior.Take(RequestFor(align, cpus, cpus % 2));
        for (NodeIndex node = 0; node < state.range(0); ++node) {
          nodes.interior.Fit(node, shape, 2, {0, kHour, 0});
        }
      }
    }
    state.counters["MB"] =
        static_cast<double>(mallinfo2().uordblks - before) / 1e6;
  }
}
BENCHMARK(BM_Memory)->Arg(10'000)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fluxnetes::matcher
