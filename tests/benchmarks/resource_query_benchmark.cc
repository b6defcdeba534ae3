// The graph matcher as a library: jobspecs parsed once, results as values.
// resource_query/pipe.py measures the same work through the program.
//
// `limit` is the target; `elsewhere` is a measurement of Fluxion v0.54 (-O2) on
// another machine, through its resource-query.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <utility>

#include "tests/benchmarks/flat_cluster.h"

namespace fluxnetes::matcher {
namespace {

struct Figures {
  double limit = 0;
  double elsewhere = 0;
};

void Show(benchmark::State& state, const Figures& figures) {
  if (figures.limit != 0) state.counters["limit"] = figures.limit;
  if (figures.elsewhere != 0) state.counters["elsewhere"] = figures.elsewhere;
}

// Runs the job until it does not fit any more, cancels all jobs, untimed, and
// repeats. The first match of a kind, in which the matcher builds its index, is
// a row of its own.
void Fill(benchmark::State& state, Matcher matcher, const Jobspec& jobspec) {
  matcher.Run(1, jobspec, MatchOp::kAllocate, 0);
  matcher.Cancel(1);
  JobId job = 0;
  for (auto _ : state) {
    if (matcher.Run(++job, jobspec, MatchOp::kAllocate, 0).found()) continue;
    state.PauseTiming();
    for (JobId held = 1; held < job; ++held) matcher.Cancel(held);
    job = 0;
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations());
}

// Does the same with a new matcher each time that the job does not fit any
// more: under `first`, a cancelled job leaves its traces in the order of the
// nodes.
void FillAnew(benchmark::State& state,
              const std::function<std::unique_ptr<Matcher>()>& make,
              const Jobspec& jobspec) {
  auto matcher = make();
  JobId job = 0;
  for (auto _ : state) {
    if (matcher->Run(++job, jobspec, MatchOp::kAllocate, 0).found()) continue;
    state.PauseTiming();
    matcher = make();
    job = 0;
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations());
}

// One iteration is the whole stream on an empty cluster.
void Stream(benchmark::State& state, int nodes, const char* policy, int jobs) {
  Matcher matcher = FlatMatcher(nodes, policy);
  const std::vector<Jobspec> stream = JobStream();
  for (auto _ : state) {
    for (JobId job = 1; job <= jobs; ++job) {
      matcher.Run(job, stream[job % stream.size()],
                  MatchOp::kAllocateOrElseReserve, 0);
    }
    state.PauseTiming();
    for (JobId job = 1; job <= jobs; ++job) matcher.Cancel(job);
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * jobs);
}

void Fail(benchmark::State& state, const Jobspec& filling, int filling_jobs,
          const Jobspec& failing) {
  Matcher matcher = FlatMatcher(8'192, "lonode");
  JobId job = 0;
  while (job < filling_jobs &&
         matcher.Run(++job, filling, MatchOp::kAllocate, 0).found()) {
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        matcher.Run(1'000'000, failing, MatchOp::kAllocate, 0));
  }
}

void First(benchmark::State& state) {
  const Jobspec core = OneCore();
  for (auto _ : state) {
    state.PauseTiming();
    auto matcher = std::make_unique<Matcher>(FlatMatcher(8'192, "lonode"));
    state.ResumeTiming();
    matcher->Run(1, core, MatchOp::kAllocate, 0);
    state.PauseTiming();
    matcher.reset();
    state.ResumeTiming();
  }
}

// Cancels jobs on a cluster full of one-core jobs.
void Cancel(benchmark::State& state) {
  Matcher matcher = FlatMatcher(1'024, "lonode");
  const Jobspec core = OneCore();
  JobId job = 0;
  JobId last = 0;
  for (auto _ : state) {
    if (job == last) {
      state.PauseTiming();
      job = last = 0;
      while (matcher.Run(last + 1, core, MatchOp::kAllocate, 0).found()) ++last;
      state.ResumeTiming();
    }
    matcher.Cancel(++job);
  }
  state.SetItemsProcessed(state.iterations());
}

// Takes back a job of whole nodes rank by rank, in a random order.
void CancelByRank(benchmark::State& state, int nodes, const char* policy) {
  Matcher matcher(FlatCluster(nodes, 32, /*ranked=*/true),
                  {.policy = *ParsePolicy(policy)});
  const Jobspec gang = Gang(nodes);
  std::vector<std::int64_t> ranks(nodes);
  std::iota(ranks.begin(), ranks.end(), 0);
  std::mt19937 random(1);
  int next = nodes;
  for (auto _ : state) {
    if (next == nodes) {
      state.PauseTiming();
      matcher.Run(1, gang, MatchOp::kAllocate, 0);
      std::shuffle(ranks.begin(), ranks.end(), random);
      next = 0;
      state.ResumeTiming();
    }
    matcher.CancelRanks(1, {ranks[next++]});
  }
  state.SetItemsProcessed(state.iterations());
}

void GrowOrShrink(benchmark::State& state, bool grow) {
  Matcher matcher = FlatMatcher(8'192, "lonode");
  const auto add = [](ResourceGraph& graph) {
    Vertex vertex;
    vertex.type = vertex.basename = "node";
    vertex.name = "node9000";
    vertex.id = vertex.rank = 9'000;
    vertex.uniq_id = graph.size();
    const VertexIndex node = graph.AddVertex(vertex);
    graph.AddEdge(graph.root(), node);
    vertex.type = vertex.basename = "core";
    vertex.rank = -1;
    for (int c = 0; c < 32; ++c) {
      vertex.name = "core" + std::to_string(c);
      vertex.id = c;
      vertex.uniq_id = graph.size();
      graph.AddEdge(node, graph.AddVertex(vertex));
    }
  };
  const auto untimed = [&](const std::function<void()>& work) {
    state.PauseTiming();
    work();
    state.ResumeTiming();
  };
  const auto shrink = [&] { matcher.Remove("/cluster0/node9000"); };
  // The first lookup of a path indexes all vertices.
  matcher.Grow(add);
  shrink();
  for (auto _ : state) {
    if (grow) {
      matcher.Grow(add);
      untimed(shrink);
    } else {
      untimed([&] { matcher.Grow(add); });
      shrink();
    }
  }
}

template <typename Work>
void Row(const char* name, Figures figures, Work work, double seconds = 0.2) {
  benchmark::RegisterBenchmark((std::string("library: ") + name).c_str(),
                               [figures, work](benchmark::State& state) {
                                 Show(state, figures);
                                 work(state);
                               })
      ->MinTime(seconds);
}

void FillRow(const char* name, Figures figures, int nodes, const char* policy,
             const Jobspec& jobspec) {
  Row(name, figures, [=](benchmark::State& state) {
    const auto make = [&] {
      return std::make_unique<Matcher>(FlatMatcher(nodes, policy));
    };
    if (ParsePolicy(policy)->stop_on_match) {
      FillAnew(state, make, jobspec);
    } else {
      Fill(state, std::move(*make()), jobspec);
    }
  });
}

// Shapes of requests without a shortlist, on 1,024 nodes of 32 cores and 4
// gpus. `micros` is what Fluxion takes; wanted is a fiftieth of it.
struct Shape {
  const char* name;
  const char* resources;
  bool flexible = false;
};

void ShapeRow(const Shape& shape, const char* policy, double micros) {
  const std::string name = fmt::format("1024x32, {}, {}", shape.name, policy);
  Row(name.c_str(), {50e6 / micros, 1e6 / micros},
      [=](benchmark::State& state) {
        MatcherOptions options;
        options.policy = *ParsePolicy(policy);
        options.flexible = shape.flexible;
        const auto make = [&] {
          return std::make_unique<Matcher>(FlatCluster(1'024, 32, false, 4),
                                           options);
        };
        const Jobspec jobspec = JobOf(shape.resources);
        if (options.policy.stop_on_match) {
          FillAnew(state, make, jobspec);
        } else {
          Fill(state, std::move(*make()), jobspec);
        }
      });
}

void ShapeRows() {
  const Shape core{"1 core",
                   "{type: slot, count: 1, label: a, with: [{type: core, "
                   "count: 1}]}"};
  const Shape gang{"4 nodes",
                   "{type: slot, count: 4, label: a, with: [{type: node, "
                   "count: 1, exclusive: true, with: [{type: core, count: "
                   "32}]}]}"};
  ShapeRow(core, "locality", 84'064);
  ShapeRow(gang, "locality", 28'318);
  ShapeRow(core, "variation", 224'893);
  ShapeRow(gang, "variation", 101'300);
  const Shape cores{"1 to 8 cores",
                    "{type: slot, count: 1, label: a, with: [{type: core, "
                    "count: {min: 1, max: 8, operator: \"+\", operand: 1}}]}"};
  ShapeRow(cores, "lonode", 43'701);
  ShapeRow(cores, "low", 45'971);
  const Shape nodes{
      "1 to 4 nodes",
      "{type: slot, count: {min: 1, max: 4, operator: \"+\", "
      "operand: 1}, label: a, with: [{type: node, count: 1, with: "
      "[{type: core, count: 32}]}]}"};
  ShapeRow(nodes, "lonode", 30'431);
  const Shape two{"a core and a gpu",
                  "{type: core, count: 1, exclusive: true}, {type: gpu, count: "
                  "1, exclusive: true}"};
  ShapeRow(two, "lonode", 58'412);
  ShapeRow(two, "low", 76'982);
  ShapeRow(two, "first", 390);
  const Shape either{"either of two slots",
                     "{type: slot, count: 1, label: a, with: [{type: core, "
                     "count: 4}, {type: gpu, count: 1}]}, {type: slot, count: "
                     "1, label: b, with: [{type: core, count: 8}]}",
                     true};
  ShapeRow(either, "lonode", 105'432);
  ShapeRow(either, "low", 129'945);
  ShapeRow(either, "first", 487);
  const Shape one_of{"one of two xor_slots",
                     "{type: xor_slot, count: 1, label: a, with: [{type: core, "
                     "count: 4}, {type: gpu, count: 1}]}, {type: xor_slot, "
                     "count: 1, label: b, with: [{type: core, count: 8}]}",
                     true};
  ShapeRow(one_of, "lonode", 36'919);
  ShapeRow(one_of, "low", 40'996);
  ShapeRow(one_of, "first", 443);
  ShapeRow(core, "firstnodex", 290);
}

void StreamRow(const char* name, Figures figures, int nodes, const char* policy,
               int jobs) {
  Row(name, figures,
      [=](benchmark::State& state) { Stream(state, nodes, policy, jobs); });
}

[[maybe_unused]] const bool kRegistered = [] {
  const Jobspec core = OneCore();
  const Jobspec gang = Gang(4);
  FillRow("8192x32, 1 core, lonode", {200e3, 2.5}, 8'192, "lonode", core);
  FillRow("8192x32, 1 core, low", {200e3, 2}, 8'192, "low", core);
  FillRow("1024x32, 1 core, lonode", {200e3, 32}, 1'024, "lonode", core);
  FillRow("1024x32, 1 core, first", {300e3, 4'798}, 1'024, "first", core);
  FillRow("8192x32, 1 core, first", {114e3, 2'285}, 8'192, "first", core);
  FillRow("1024x32, 4 nodes, first", {92e3, 1'836}, 1'024, "first", gang);
  FillRow("8192x32, 4 nodes, first", {71e3, 1'423}, 8'192, "first", gang);
  FillRow("1024x32, 4 nodes, lonode", {50e3, 130}, 1'024, "lonode", gang);
  FillRow("1024x32, 4 nodes, low", {50e3, 160}, 1'024, "low", gang);
  FillRow("1024x32, 4 nodes, high", {50e3, 145}, 1'024, "high", gang);
  FillRow("8192x32, 4 nodes, lonode", {50e3, 10.7}, 8'192, "lonode", gang);
  FillRow("8192x32, 4 nodes, low", {50e3, 5.9}, 8'192, "low", gang);
  StreamRow("1024x32, allocate or reserve x 3000, lonode", {10e3, 217}, 1'024,
            "lonode", 3'000);
  StreamRow("1024x32, allocate or reserve x 3000, low", {10e3, 249}, 1'024,
            "low", 3'000);
  StreamRow("1024x32, allocate or reserve x 3000, first", {17.3e3, 346}, 1'024,
            "first", 3'000);
  StreamRow("8192x32, allocate or reserve x 3000, first", {13.8e3, 276}, 8'192,
            "first", 3'000);
  StreamRow("8192x32, allocate or reserve x 3000, lonode", {4e3, 26}, 8'192,
            "lonode", 3'000);
  StreamRow("1024x32, 10,000 reservations, lonode", {5e3, 146}, 1'024, "lonode",
            10'000);
  ShapeRows();
  const auto fail = [](const char* name, double limit, int filling_jobs,
                       const Jobspec& filling, const Jobspec& failing) {
    Row(name, {limit, 0}, [=](benchmark::State& state) {
      Fail(state, filling, filling_jobs, failing);
    });
  };
  fail("8192x32 full of gangs, 1 core fails", 10e3, 1 << 20, gang, core);
  fail("8192x32 full of gangs, 4 nodes fail", 10e3, 1 << 20, gang, gang);
  // Only a count can show that the remaining nodes are too few.
  fail("8192x32 half full, 8000 nodes fail", 0, 1'024, gang, Gang(8'000));
  // Creating the cancelled jobs takes much longer than cancelling, so fewer
  // runs.
  Row("1024x32, cancel of 1-core jobs", {200e3, 0}, Cancel, 0.05);
  const auto by_rank = [](int nodes, const char* policy, Figures figures) {
    const std::string name =
        fmt::format("{} nodes of one job, back by rank, {}", nodes, policy);
    Row(name.c_str(), figures,
        [=](benchmark::State& state) { CancelByRank(state, nodes, policy); });
  };
  by_rank(64, "lonode", {});
  by_rank(256, "lonode", {35e3, 17'544});
  by_rank(256, "first", {16e3, 8'065});
  by_rank(1'024, "lonode", {10.3e3, 5'128});
  by_rank(1'024, "first", {11.8e3, 5'917});
  by_rank(4'096, "lonode", {7.4e3, 3'690});
  by_rank(8'192, "lonode", {});
  const auto shape = [](const char* name, bool grow) {
    benchmark::RegisterBenchmark((std::string("library: ") + name).c_str(),
                                 [grow](benchmark::State& state) {
                                   Show(state, {1, 0});
                                   GrowOrShrink(state, grow);
                                 })
        ->Iterations(1'000)
        ->Unit(benchmark::kMillisecond);
  };
  benchmark::RegisterBenchmark("library: 8192x32, first match of a kind", First)
      ->Iterations(3)
      ->Unit(benchmark::kMillisecond);
  shape("8192x32, one node more", true);
  shape("8192x32, one node less", false);
  return true;
}();

}  // namespace
}  // namespace fluxnetes::matcher
