// The command `fluxnetes simulate` on generated traces, as a process from start
// to end: reading, deciding, statistics. Prints one JSON object per row.
//
//   simulate_benchmark [RUNS]     the number of runs; default 1
//
// The large rows have 1,000,000 jobs of up to 1,024 processors on 1,000 nodes
// of 16 CPUs at a load of 0.7, like large archives. In the small rows jobs are
// as large as the machine, so all its nodes are scanned for each of them.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/places.h"
#include "tests/support/process.h"
#include "workers/simulation/lublin_model.h"

namespace fluxnetes::testing {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::minutes kPatience{20};
constexpr unsigned kSeed = 1;

void PrintRow(const std::string& row, const std::string& unit,
              std::vector<double> values, std::optional<double> limit) {
  std::sort(values.begin(), values.end());
  nlohmann::json document{{"row", row},
                          {"unit", unit},
                          {"value", values[values.size() / 2]},
                          {"min", values.front()},
                          {"max", values.back()}};
  if (limit) document["limit"] = *limit;
  std::cout << document.dump() << std::endl;
}

// A temporary folder, removed with this object.
class Folder {
 public:
  Folder() {
    path_ = std::filesystem::temp_directory_path() / "fluxnetes-sim.XXXXXX";
    if (mkdtemp(path_.data()) == nullptr)
      throw std::runtime_error("cannot make a folder like " + path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const {
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

void WriteTrace(const workers::LublinOptions& options,
                const std::string& path) {
  cluster::SwfTrace trace;
  trace.jobs = workers::LublinJobs(options);
  std::ofstream out(path);
  cluster::WriteSwf(trace, out);
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

double SecondsOf(const std::vector<std::string>& arguments,
                 const std::string& log) {
  std::vector<std::string> command = {
      testing::BuiltProgram("services/fluxnetes"), "simulate"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const auto from = steady_clock::now();
  Process process(command, {}, log);
  if (process.WaitForEnd(kPatience) != 0) {
    std::cerr << std::ifstream(log).rdbuf();
    throw std::runtime_error("the simulation failed");
  }
  return std::chrono::duration<double>(steady_clock::now() - from).count();
}

// Peak memory of the largest child process so far.
double LargestMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1'000;
}

struct Workload {
  std::string name;
  workers::LublinOptions jobs;
  int cpus_per_node = 1;
  std::optional<double> limit;
};

void Measure(const Workload& workload, const Folder& folder, int runs) {
  const std::string trace = folder / "trace.swf";
  WriteTrace(workload.jobs, trace);
  for (const std::string policy : {"fcfs", "easy"}) {
    std::vector<double> seconds;
    for (int i = 0; i < runs; ++i) {
      seconds.push_back(SecondsOf(
          {"--swf", trace, "--nodes",
           std::to_string(workload.jobs.nodes / workload.cpus_per_node),
           "--cpus-per-node", std::to_string(workload.cpus_per_node),
           "--policy", policy, "-o", "json"},
          folder / "log"));
    }
    PrintRow(workload.name + ", " + policy, "s", seconds, workload.limit);
  }
}

int Main(int runs) {
  const Folder folder;
  Measure({.name = "1,000,000 jobs on 1,000 nodes",
           .jobs = {.seed = kSeed,
                    .jobs = 1'000'000,
                    .nodes = 16'000,
                    .largest = 1'024,
                    .load = 0.7,
                    .longest_estimate = 3,
                    .users = 100},
           .cpus_per_node = 16,
           .limit = 60},
          folder, runs);
  PrintRow("memory of these", "MB", {LargestMegabytes()}, {});
  Measure({.name = "5,000 jobs as large as 1,000 nodes",
           .jobs = {.seed = kSeed,
                    .jobs = 5'000,
                    .nodes = 1'000,
                    .load = 0.7,
                    .longest_estimate = 3},
           .cpus_per_node = 1,
           .limit = {}},
          folder, runs);
  return 0;
}

}  // namespace
}  // namespace fluxnetes::testing

int main(int argc, char** argv) {
  return fluxnetes::testing::Main(argc > 1 ? std::max(std::atoi(argv[1]), 1)
                                           : 1);
}
