#include "services/simulate/simulation_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "services/console/display_text.h"
#include "services/console/text_chart.h"
#include "services/console/time_text.h"
#include "workers/simulation/simulation_summary.h"

namespace fluxnetes::services {
namespace {

using workers::Course;
using workers::GroupCourse;
using workers::Scenario;

constexpr std::size_t kMostLines = 40;

std::string For(std::int64_t seconds) {
  return ShortDuration(std::chrono::seconds(seconds));
}

TextChart ChartFor(const Scenario& scenario, const Course& course,
                   const std::vector<std::string>& names, int columns) {
  return {workers::FirstInstant(scenario), course.end, names, columns};
}

std::string Axis(const TextChart& chart) {
  return chart.Axis("0s", For(chart.span()));
}

std::int64_t EndIn(const Course& course, const GroupCourse& group) {
  return group.end < 0 ? course.end : std::min(group.end, course.end);
}

std::string ChartOfGroups(const Scenario& scenario, const Course& course,
                          int columns) {
  std::vector<std::string> names;
  for (const Scenario::Group& group : scenario.groups)
    names.push_back(Printable(group.name));
  const TextChart chart = ChartFor(scenario, course, names, columns);
  std::string text;
  for (std::size_t i = 0; i < course.groups.size(); ++i) {
    const GroupCourse& group = course.groups[i];
    std::string cells(chart.width(), ' ');
    const std::int64_t waits = group.start < 0 ? course.end : group.start;
    if (group.submit >= 0 && waits > group.submit)
      chart.Fill(group.submit, waits, '.', cells);
    if (group.start >= 0)
      chart.Fill(group.start, EndIn(course, group), '#', cells);
    text += chart.Line(names[i], cells);
  }
  return text + Axis(chart) + ". waits, # has its nodes\n";
}

// Shows the share of the cpu in use, of all nodes of a line together.
std::string ChartOfNodes(const Scenario& scenario, const Course& course,
                         int columns) {
  const std::size_t nodes = scenario.nodes.size();
  const std::size_t band = (nodes + kMostLines - 1) / kMostLines;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < nodes; i += band)
    names.push_back(scenario.nodes[i].name);
  const TextChart chart = ChartFor(scenario, course, names, columns);
  Fullness fullness(scenario, course, names.size(), chart.width(),
                    [band](std::size_t node) { return node / band; });
  for (std::size_t i = 0; i < course.groups.size(); ++i) {
    const GroupCourse& group = course.groups[i];
    if (group.start < 0) continue;
    const double from = chart.At(group.start);
    const double to = chart.At(EndIn(course, group));
    for (int n = 0; n < group.nodes; ++n) {
      const auto stay = static_cast<std::size_t>(course.first_node[i] + n);
      fullness.Add(stay, from, to);
    }
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string cells;
    for (std::size_t at = 0; at < chart.width(); ++at)
      cells += FullnessMark(fullness.At(i, at));
    text += chart.Line(names[i], cells);
  }
  const std::string of =
      band == 1 ? "a line is a node" : fmt::format("a line is {} nodes", band);
  return text + Axis(chart) +
         fmt::format("{}; from none to all of its {}: \"{}\"\n", of,
                     fullness.of(), kFullness);
}

}  // namespace

std::string GanttChart(const Scenario& scenario, const Course& course,
                       int columns) {
  if (course.groups.empty()) return "";
  return course.groups.size() <= kMostLines
             ? ChartOfGroups(scenario, course, columns)
             : ChartOfNodes(scenario, course, columns);
}

}  // namespace fluxnetes::services
