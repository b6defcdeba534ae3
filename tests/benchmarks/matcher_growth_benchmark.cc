// Measures how the cost of a match grows with the nodes and with the
// reservations, and the cost of a cycle with the pending requests. A JSON
// object per row; hack/plots/growth.py draws them.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "tests/benchmarks/flat_cluster.h"

namespace fluxnetes::matcher {
namespace {

constexpr int kRuns = 3;

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * now.tv_nsec;
}

void Print(const char* figure, const std::string& series, int x,
           std::vector<double> microseconds) {
  std::sort(microseconds.begin(), microseconds.end());
  fmt::print(
      R"({{"row": "{1}, {0} {2}", "value": {3:.4g}, "unit": "us", "min": {4:.4g}, )"
      R"("max": {5:.4g}, "figure": "{0}", "series": "{1}", "x": {2}}})"
      "\n",
      figure, series, x, microseconds[microseconds.size() / 2],
      microseconds.front(), microseconds.back());
  std::fflush(stdout);
}

// The first match of a kind of job.
double FirstMatch(Matcher& matcher, const Jobspec& jobspec) {
  const double start = CpuSeconds();
  matcher.Run(1, jobspec, MatchOp::kAllocate, 0);
  const double took = CpuSeconds() - start;
  matcher.Cancel(1);
  return 1e6 * took;
}

// The mean per job of the first ones on an empty cluster.
double PerMatch(Matcher& matcher, const Jobspec& jobspec, int most) {
  constexpr double kEnough = 0.1;
  const double start = CpuSeconds();
  JobId job = 0;
  while (job < most && (job % 16 != 0 || CpuSeconds() - start < kEnough)) {
    if (!matcher.Run(++job, jobspec, MatchOp::kAllocate, 0).found()) break;
  }
  const double took = CpuSeconds() - start;
  for (JobId held = 1; held <= job; ++held) matcher.Cancel(held);
  return 1e6 * took / static_cast<double>(job);
}

double PerReservation(Matcher& matcher, int jobs) {
  const std::vector<Jobspec> stream = JobStream();
  const double start = CpuSeconds();
  for (JobId job = 1; job <= jobs; ++job) {
    matcher.Run(job, stream[job % stream.size()],
                MatchOp::kAllocateOrElseReserve, 0);
  }
  const double took = CpuSeconds() - start;
  for (JobId job = 1; job <= jobs; ++job) matcher.Cancel(job);
  return 1e6 * took / jobs;
}

void GrowNodes() {
  struct Series {
    const char* name;
    bool low;
    std::function<double(Matcher&, int)> measure;
  };
  const Jobspec core = OneCore();
  const Jobspec gang = Gang(4);
  const Series all[] = {
      {"1 core, lonode", false,
       [&](Matcher& matcher, int nodes) {
         return PerMatch(matcher, core, nodes * 16);
       }},
      {"1 core, low", true,
       [&](Matcher& matcher, int nodes) {
         return PerMatch(matcher, core, nodes * 16);
       }},
      {"4 whole nodes, lonode", false,
       [&](Matcher& matcher, int nodes) {
         return PerMatch(matcher, gang, nodes / 8);
       }},
      {"allocate or reserve x 1000, lonode", false,
       [](Matcher& matcher, int) { return PerReservation(matcher, 1'000); }},
  };
  for (const int nodes : {256, 1'024, 4'096, 16'384, 65'536}) {
    Matcher lonode = FlatMatcher(nodes, "lonode");
    Matcher low = FlatMatcher(nodes, "low");
    Print("nodes", "1 core, the first of its kind, lonode", nodes,
          {FirstMatch(lonode, core)});
    FirstMatch(lonode, gang);
    FirstMatch(low, core);
    for (const Series& series : all) {
      std::vector<double> runs;
      for (int i = 0; i < kRuns; ++i) {
        runs.push_back(series.measure(series.low ? low : lonode, nodes));
      }
      Print("nodes", series.name, nodes, runs);
    }
  }
}

// Measures every thousand requests of the stream separately.
void GrowReservations() {
  constexpr int kBlock = 1'000;
  constexpr int kBlocks = 16;
  const std::vector<Jobspec> stream = JobStream();
  std::vector<std::vector<double>> runs(kBlocks);
  for (int i = 0; i < kRuns; ++i) {
    Matcher matcher = FlatMatcher(1'024, "lonode");
    JobId job = 0;
    for (int block = 0; block < kBlocks; ++block) {
      const double start = CpuSeconds();
      for (int n = 0; n < kBlock; ++n) {
        ++job;
        matcher.Run(job, stream[job % stream.size()],
                    MatchOp::kAllocateOrElseReserve, 0);
      }
      runs[block].push_back(1e6 * (CpuSeconds() - start) / kBlock);
    }
  }
  for (int block = 0; block < kBlocks; ++block) {
    Print("reservations", "1,024 nodes, lonode", (block + 1) * kBlock,
          runs[block]);
  }
}

// Considers all pending requests while no node is free.
void GrowPending() {
  for (const int nodes : {1'024, 8'192}) {
    Matcher matcher = FlatMatcher(nodes, "lonode");
    const Jobspec gang = Gang(4);
    JobId job = 0;
    while (matcher.Run(++job, gang, MatchOp::kAllocate, 0).found()) {
    }
    const std::vector<Jobspec> stream = JobStream();
    for (const int pending : {100, 1'000, 10'000, 100'000}) {
      std::vector<double> runs;
      for (int i = 0; i < kRuns; ++i) {
        const double start = CpuSeconds();
        for (int n = 0; n < pending; ++n) {
          matcher.Run(job, stream[n % stream.size()], MatchOp::kAllocate, 0);
        }
        runs.push_back(1e6 * (CpuSeconds() - start));
      }
      Print("pending", fmt::format("{} full nodes", nodes), pending, runs);
    }
  }
}

}  // namespace
}  // namespace fluxnetes::matcher

int main() {
  using namespace fluxnetes::matcher;
  GrowNodes();
  GrowReservations();
  GrowPending();
  return 0;
}
