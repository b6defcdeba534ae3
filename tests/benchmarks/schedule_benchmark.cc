// The decision core alone: the cost of a cycle when no new group fits, the cost
// of a placement, and the memory of a waiting group.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <optional>
#include <string>

#include "cluster/json/request_json.h"
#include "workers/schedule/schedule.h"

namespace fluxnetes::workers {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;
constexpr int kCpus = 32;
constexpr int kShapes = 10;

const cluster::PodRequest* Request(Schedule& schedule, std::int64_t cpu) {
  cluster::PodRequest request;
  request.resources.cpu_milli = 1'000 * cpu;
  request.resources.memory_bytes = kGiB;
  request.resources.pods = 1;
  return schedule.Intern(cluster::ToJson(request));
}

Held HeldFrom(matcher::Time start, GroupId group) {
  Held held;
  held.queue = "default";
  held.group = group;
  held.start = start;
  return held;
}

void AddNodes(Schedule& schedule, std::int64_t count) {
  schedule.SetQueue({});
  for (std::int64_t i = 0; i < count; ++i) {
    cluster::Node node;
    node.name = "node" + std::to_string(i);
    node.allocatable.cpu_milli = 1'000 * kCpus;
    node.allocatable.memory_bytes = 128 * kGiB;
    node.allocatable.pods = 110;
    schedule.SetNode(node);
  }
}

// As long as a UID of Kubernetes.
std::string Uid(GroupId group, int member) {
  std::string number = std::to_string(group);
  number.insert(0, 12 - number.size(), '0');
  std::string uid = "1b671a64-40d5-491e-" + std::to_string(1'000 + member);
  return uid + "-" + number;
}

PendingGroup MakeGroup(GroupId id, int size, std::int64_t shape,
                       const cluster::PodRequest* request) {
  PendingGroup group;
  group.id = id;
  group.namespace_name = "default";
  group.name = "group-" + std::to_string(id);
  group.queue = "default";
  group.submitted_at = cluster::Time(std::chrono::seconds(id));
  group.shape = shape;
  group.job_id = id;
  for (int i = 0; i < size; ++i) group.members.push_back({Uid(id, i), request});
  return group;
}

void Wait(Schedule& schedule, GroupId first, std::int64_t groups) {
  for (std::int64_t i = 0; i < groups; ++i) {
    const std::int64_t shape = i % kShapes;
    schedule.Add(MakeGroup(first + i, 1, shape, Request(schedule, 2 + shape)));
  }
}

// Groups of two or more pods of one cpu, so that a free place for one pod must
// be considered for every shape. A shape is a size and a duration of more than
// 10^7 s.
void WaitInGangs(Schedule& schedule, GroupId first, std::int64_t groups,
                 std::int64_t shapes) {
  const auto* request = Request(schedule, 1);
  for (std::int64_t i = 0; i < groups; ++i) {
    const std::int64_t shape = i % shapes;
    PendingGroup group =
        MakeGroup(first + i, 2 + static_cast<int>(shape % 10), shape, request);
    group.duration = 10'000'000 + shape;
    schedule.Add(std::move(group));
  }
}

// A full cluster of pods of one cpu, one of which ends; all waiting groups need
// more. With deadlines the head of the queue has a start time, without them a
// drain set.
void OnePodEnds(benchmark::State& state, bool deadlines,
                std::int64_t gang_shapes = 0) {
  Schedule schedule;
  AddNodes(schedule, 1'000);
  const auto* request = Request(schedule, 1);
  GroupId id = 0;
  for (int node = 0; node < 1'000; ++node) {
    for (int i = 0; i < kCpus; ++i) {
      ++id;
      Held held = HeldFrom(0, id);
      if (deadlines) held.end = 1'000'000 + id * 37 % 10'000;
      held.members = {{Uid(id, 0), "node" + std::to_string(node), request}};
      schedule.Restore(held);
    }
  }
  const GroupId running = id;
  if (gang_shapes > 0) {
    WaitInGangs(schedule, running + 1, state.range(0), gang_shapes);
  } else {
    Wait(schedule, running + 1, state.range(0));
  }
  matcher::Time now = 1;
  schedule.Decide(now);
  GroupId victim = 0;
  for (auto _ : state) {
    victim = victim % running + 1;
    const std::string uid = Uid(victim, 0);
    const std::string node = *schedule.NodeOf(uid);
    schedule.Release(victim, uid);
    const Decision decision = schedule.Decide(++now);
    if (!decision.placed.empty()) state.SkipWithError("something fits");
    state.PauseTiming();
    Held held = HeldFrom(now, victim);
    held.members = {{uid, node, request}};
    if (deadlines) held.end = 1'000'000 + victim * 37 % 10'000;
    schedule.Restore(held);
    schedule.Decide(now);
    state.ResumeTiming();
  }
}

void BM_OnePodEnds(benchmark::State& state) { OnePodEnds(state, false); }
void BM_OnePodWithADeadlineEnds(benchmark::State& state) {
  OnePodEnds(state, true);
}
void BM_OnePodEndsAmongGangs(benchmark::State& state) {
  OnePodEnds(state, true, state.range(1));
}
BENCHMARK(BM_OnePodEnds)->Arg(10'000)->Arg(100'000);
BENCHMARK(BM_OnePodWithADeadlineEnds)->Arg(10'000)->Arg(100'000);
BENCHMARK(BM_OnePodEndsAmongGangs)
    ->Args({10'000, 10})
    ->Args({100'000, 10})
    ->Args({100'000, 10'000});

// One group arrives behind 100,000 that do not fit, and does not fit either.
void BM_OneGroupComes(benchmark::State& state) {
  Schedule schedule;
  AddNodes(schedule, 1'000);
  schedule.Add(MakeGroup(1, 1'000, 99, Request(schedule, kCpus)));
  schedule.Decide(1);
  Wait(schedule, 2, state.range(0));
  schedule.Decide(1);
  GroupId id = 1'000'000;
  for (auto _ : state) {
    schedule.Add(MakeGroup(++id, 1, 0, Request(schedule, 2)));
    benchmark::DoNotOptimize(schedule.Decide(2));
  }
}
BENCHMARK(BM_OneGroupComes)->Arg(100'000);

// 100 lines of groups wait for quota that an account below the same parent has
// used up with many running groups. They may reclaim what was lent,
// except from groups of higher priority, and try ten such groups in vain. One
// group ends and arrives again. Items are lines.
void BM_LinesRefusedForQuota(benchmark::State& state) {
  Schedule schedule;
  AddNodes(schedule, 1'000);
  schedule.SetQueue({.preemption = Preemption::kReclaim});
  const std::int64_t running = state.range(0);
  schedule.SetAccounts({{.name = "all", .quota = {{"cpu", 1'000 * running}}},
                        {.name = "lab",
                         .parent = "all",
                         .namespace_name = "lab",
                         .quota = {{"cpu", 1'000 * (running - 10)}},
                         .borrows = true},
                        {.name = "default",
                         .parent = "all",
                         .namespace_name = "default",
                         .quota = {{"cpu", 1'000 * running}}}});
  const auto* request = Request(schedule, 1);
  const auto hold = [&](GroupId id, matcher::Time now) {
    Held held = HeldFrom(now, id);
    held.namespace_name = "lab";
    held.priority = 1;
    held.members = {{Uid(id, 0), "node" + std::to_string(id % 1'000), request}};
    schedule.Restore(held);
  };
  for (GroupId id = 1; id <= running; ++id) hold(id, 0);
  constexpr int kLines = 100;
  for (int shape = 0; shape < kLines; ++shape) {
    PendingGroup group = MakeGroup(running + 1 + shape, 2, shape, request);
    group.duration = 1'000 + shape;
    schedule.Add(std::move(group));
  }
  matcher::Time now = 1;
  schedule.Decide(now);
  GroupId ends = 0;
  for (auto _ : state) {
    state.PauseTiming();
    ends = ends % running + 1;
    schedule.Release(ends, "");
    hold(ends, ++now);
    state.ResumeTiming();
    if (!schedule.Decide(now).placed.empty())
      state.SkipWithError("something fits");
  }
  state.SetItemsProcessed(state.iterations() * kLines);
}
BENCHMARK(BM_LinesRefusedForQuota)->Arg(1'000)->Arg(10'000)->Arg(30'000);

// Groups arrive, are placed in cycles of up to 1,000, and end when the cluster
// is full. Only the decisions are timed. Items are pods.
void BM_Place(benchmark::State& state) {
  const auto size = static_cast<int>(state.range(0));
  Schedule schedule;
  AddNodes(schedule, 1'000);
  const auto* request = Request(schedule, 1);
  const int groups = std::min(1'000, 1'000 * kCpus / size);
  GroupId id = 0;
  GroupId oldest = 1;
  std::int64_t held = 0;
  std::int64_t pods = 0;
  for (auto _ : state) {
    state.PauseTiming();
    while (held + groups > 1'000 * kCpus / size) {
      schedule.Release(oldest++, "");
      --held;
    }
    for (int i = 0; i < groups; ++i) {
      schedule.Add(MakeGroup(++id, size, 0, request));
    }
    state.ResumeTiming();
    const Decision decision = schedule.Decide(id);
    held += static_cast<std::int64_t>(decision.placed.size());
    pods += static_cast<std::int64_t>(decision.placed.size()) * size;
  }
  if (schedule.pending() > 0) state.SkipWithError("something did not fit");
  state.SetItemsProcessed(pods);
}
BENCHMARK(BM_Place)->Arg(1)->Arg(16);

void BM_BytesPerWaitingGroup(benchmark::State& state) {
  for (auto _ : state) {
    Schedule schedule;
    schedule.SetQueue({});
    const auto before = mallinfo2().uordblks;
    Wait(schedule, 1, 100'000);
    state.counters["bytes"] =
        static_cast<double>(mallinfo2().uordblks - before) / 100'000;
  }
}
BENCHMARK(BM_BytesPerWaitingGroup)->Iterations(1);

}  // namespace
}  // namespace fluxnetes::workers
