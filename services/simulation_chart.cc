#include "services/simulation_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "services/display_text.h"
#include "services/moment.h"
#include "workers/simulation_summary.h"

namespace fluxnetes::services {
namespace {

using workers::Course;
using workers::GroupCourse;
using workers::Scenario;

constexpr std::size_t kMostLines = 40;
constexpr int kFewestColumns = 40;
constexpr std::string_view kFullness = " .:-=+*%#@";  // none to all

std::string For(std::int64_t seconds) {
  return ShortDuration(std::chrono::seconds(seconds));
}

// Names before, time beside, and how wide that is.
class Chart {
 public:
  Chart(const Course& course, std::int64_t begin,
        const std::vector<std::string>& names, int columns)
      : begin_(begin), span_(std::max<std::int64_t>(course.end - begin, 1)) {
    columns = std::max(columns, kFewestColumns);
    for (const std::string& name : names)
      label_ = std::max(label_, name.size());
    label_ = std::min(label_, static_cast<std::size_t>(columns) / 3);
    width_ = static_cast<std::size_t>(columns) - label_ - 1;
  }

  std::size_t width() const { return width_; }
  double At(std::int64_t time) const {
    return static_cast<double>(width_) *
           static_cast<double>(
               std::clamp<std::int64_t>(time - begin_, 0, span_)) /
           static_cast<double>(span_);
  }

  std::string Line(const std::string& name, const std::string& cells) const {
    const std::string shown =
        name.size() <= label_ ? name : name.substr(0, label_ - 1) + "~";
    std::string line = fmt::format("{:<{}} {}", shown, label_, cells);
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  }

  std::string Axis() const {
    const std::string last = For(span_);
    return Line("", fmt::format("{:<{}}{}", "0s",
                                width_ - std::min(last.size(), width_), last));
  }

 private:
  const std::int64_t begin_;
  const std::int64_t span_;
  std::size_t label_ = 0;
  std::size_t width_ = 0;
};

// At least one of it.
void Fill(const Chart& chart, std::int64_t from, std::int64_t to, char mark,
          std::string& cells) {
  const auto first =
      std::min(static_cast<std::size_t>(chart.At(from)), chart.width() - 1);
  const auto last = std::max(static_cast<std::size_t>(chart.At(to)), first + 1);
  for (std::size_t i = first; i < last; ++i) cells[i] = mark;
}

std::int64_t EndIn(const Course& course, const GroupCourse& group) {
  return group.end < 0 ? course.end : std::min(group.end, course.end);
}

std::string ChartOfGroups(const Scenario& scenario, const Course& course,
                          int columns) {
  std::vector<std::string> names;
  for (const Scenario::Group& group : scenario.groups)
    names.push_back(Printable(group.name));
  const Chart chart(course, workers::FirstInstant(scenario), names, columns);
  std::string text;
  for (std::size_t i = 0; i < course.groups.size(); ++i) {
    const GroupCourse& group = course.groups[i];
    std::string cells(chart.width(), ' ');
    const std::int64_t waits = group.start < 0 ? course.end : group.start;
    if (group.submit >= 0 && waits > group.submit)
      Fill(chart, group.submit, waits, '.', cells);
    if (group.start >= 0)
      Fill(chart, group.start, EndIn(course, group), '#', cells);
    text += chart.Line(names[i], cells);
  }
  return text + chart.Axis() + ". waits, # has its nodes\n";
}

// Of the nodes of a line together, the share of their cpu that is held.
std::string ChartOfNodes(const Scenario& scenario, const Course& course,
                         int columns) {
  const std::size_t nodes = scenario.nodes.size();
  const std::size_t band = (nodes + kMostLines - 1) / kMostLines;
  std::vector<std::string> names;
  std::vector<double> cpu;
  for (std::size_t i = 0; i < nodes; ++i) {
    if (i % band == 0) {
      names.push_back(scenario.nodes[i].name);
      cpu.push_back(0);
    }
    cpu.back() += static_cast<double>(scenario.nodes[i].allocatable.cpu_milli);
  }
  const Chart chart(course, workers::FirstInstant(scenario), names, columns);
  std::vector<std::vector<double>> held(names.size(),
                                        std::vector<double>(chart.width()));
  for (std::size_t i = 0; i < course.groups.size(); ++i) {
    const GroupCourse& group = course.groups[i];
    if (group.start < 0) continue;
    const double from = chart.At(group.start);
    const double to = chart.At(EndIn(course, group));
    for (int n = 0; n < group.nodes; ++n) {
      const auto stay = static_cast<std::size_t>(course.first_node[i] + n);
      auto& line = held[static_cast<std::size_t>(course.nodes[stay]) / band];
      for (auto at = static_cast<std::size_t>(from);
           at < line.size() && static_cast<double>(at) < to; ++at) {
        const auto left = static_cast<double>(at);
        line[at] += static_cast<double>(course.node_cpu[stay]) *
                    (std::min(to, left + 1) - std::max(from, left));
      }
    }
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string cells;
    for (const double each : held[i]) {
      const double share = cpu[i] > 0 ? std::clamp(each / cpu[i], 0.0, 1.0) : 0;
      const auto last = static_cast<double>(kFullness.size() - 1);
      // Anything shows, and only all of it shows as that.
      auto mark = static_cast<std::size_t>(share * last + 1e-9);
      if (mark == 0 && share > 0) mark = 1;
      cells += kFullness[mark];
    }
    text += chart.Line(names[i], cells);
  }
  const std::string of =
      band == 1 ? "a line is a node" : fmt::format("a line is {} nodes", band);
  return text + chart.Axis() +
         fmt::format("{}; from none to all of its cpu: \"{}\"\n", of,
                     kFullness);
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
