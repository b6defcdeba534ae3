// The text chart: when groups wait and run, and the utilisation of nodes.
#include "services/simulate/simulation_chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "workers/simulation/trace_scenario.h"

namespace fluxnetes::services {
namespace {

// Jobs of one cpu each on nodes of two, as pairs of arrival and run time.
workers::Scenario Jobs(int nodes,
                       const std::vector<std::pair<int, int>>& jobs) {
  std::vector<cluster::SwfJob> trace;
  for (const auto& [comes, runs] : jobs) {
    cluster::SwfJob job;
    job.number = std::ssize(trace) + 1;
    job.submit = comes;
    job.runs = runs;
    job.requested = runs;
    job.processors = 1;
    trace.push_back(job);
  }
  return workers::ScenarioOf(trace, workers::NodesOfCpus(nodes, 2), 2, {});
}

std::string ChartOf(const workers::Scenario& scenario, int columns) {
  workers::SimulationOptions options;
  options.keep_nodes = true;
  return GanttChart(scenario, workers::Simulate(scenario, options), columns);
}

TEST(SimulationChart, FewGroupsHaveALineEach) {
  EXPECT_EQ(ChartOf(Jobs(1, {{0, 20}, {0, 40}, {0, 20}}), 42),
            "1 ####################\n"
            "2 ########################################\n"
            "3 ....................####################\n"
            "  0s                                   40s\n"
            ". waits, # has its nodes\n");
}

TEST(SimulationChart, ManyGroupsAreShownByHowFullTheirNodesAre) {
  std::vector<std::pair<int, int>> jobs(60, {0, 10});
  jobs.resize(90, {10, 10});
  const std::string chart = ChartOf(Jobs(30, jobs), 60);
  std::istringstream lines(chart);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line.substr(0, 6), "node0 ");
  int full = 0;
  int half = 0;
  do {
    full += line.size() == 60 && line.ends_with('@') ? 1 : 0;
    half += line.ends_with('=') ? 1 : 0;
  } while (std::getline(lines, line) && line.starts_with("node"));
  EXPECT_EQ(full, 15) << chart;
  EXPECT_EQ(half, 15) << chart;
}

TEST(SimulationChart, ManyNodesShareLines) {
  const std::string chart =
      ChartOf(Jobs(100, std::vector<std::pair<int, int>>(100, {0, 10})), 50);
  EXPECT_NE(chart.find("a line is 3 nodes"), std::string::npos);
  EXPECT_EQ(std::count(chart.begin(), chart.end(), '\n'), 34 + 2);
}

}  // namespace
}  // namespace fluxnetes::services
