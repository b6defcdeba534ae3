#include "services/simulate/simulation_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cluster/text/resource_words.h"
#include "services/console/svg.h"
#include "services/console/time_text.h"
#include "services/simulate/fullness.h"
#include "workers/simulation/simulation_summary.h"

namespace fluxnetes::services {
namespace {

using workers::Course;
using workers::GroupCourse;
using workers::Scenario;

constexpr int kWidth = 960;
constexpr int kPictureHeight = 360;
constexpr double kLeft = 64, kRight = 16, kTop = 32, kBottom = 40;
// With more boxes a picture is unreadable.
constexpr std::size_t kMostBoxes = 20'000;
constexpr int kHeatColumns = 240;
constexpr int kHeatRows = 64;
constexpr int kParts = 400;
constexpr auto kGrid = "#e4e4e4";
constexpr auto kFill = "#9ecae1";
constexpr auto kLine = "#2171b5";
// The lines of the scarcest resources.
struct UseLine {
  const char* colour;
  const char* name;
};
constexpr UseLine kUseLines[] = {{kLine, "blue"},
                                 {"#f28e2b", "orange"},
                                 {"#59a14f", "green"},
                                 {"#e15759", "red"}};
constexpr std::size_t kMostUses = std::size(kUseLines);
constexpr std::array kColours = {"#4e79a7", "#f28e2b", "#59a14f", "#e15759",
                                 "#76b7b2", "#edc948", "#b07aa1", "#9c755f"};

std::string Lasting(std::int64_t seconds) {
  return ShortDuration(std::chrono::seconds(seconds));
}

// The axes of a picture: time or another quantity to the right, from 0.
class Plot {
 public:
  Plot(int height, const std::string& title, double most_x, double most_y)
      : svg_(kWidth, height),
        width_(kWidth - kLeft - kRight),
        height_(height - kTop - kBottom),
        most_x_(most_x > 0 ? most_x : 1),
        most_y_(most_y > 0 ? most_y : 1) {
    svg_.AddText(kLeft, kTop - 12, title, Svg::Anchor::kStart, 13);
  }

  double X(double x) const { return kLeft + width_ * x / most_x_; }
  double Y(double y) const { return kTop + height_ * (1 - y / most_y_); }
  double ground() const { return kTop + height_; }
  Svg& svg() { return svg_; }

  void AddTimes(std::int64_t seconds) {
    for (const std::int64_t mark : TimeMarks(seconds))
      AddMarkX(static_cast<double>(mark), Lasting(mark));
  }
  void AddMarkX(double x, const std::string& text) {
    svg_.AddLine({{X(x), kTop}, {X(x), ground() + 4}}, kGrid);
    svg_.AddText(X(x), ground() + 18, text, Svg::Anchor::kMiddle);
  }
  void AddMarkY(double y, const std::string& text) {
    svg_.AddLine({{kLeft, Y(y)}, {kLeft + width_, Y(y)}}, kGrid);
    AddNameY(y, text);
  }
  void AddNameY(double y, const std::string& text) {
    svg_.AddText(kLeft - 6, Y(y) + 4, text, Svg::Anchor::kEnd);
  }
  void AddShares() {
    for (const int percent : {0, 25, 50, 75, 100})
      AddMarkY(percent / 100.0, fmt::format("{} %", percent));
  }

 private:
  Svg svg_;
  double width_, height_, most_x_, most_y_;
};

std::int64_t EndOf(const Course& course, const GroupCourse& group) {
  return group.end < 0 ? course.end : std::min(group.end, course.end);
}

// Calls `draw` for each node of each group with its index in the course's nodes
// and its time span.
template <typename Draw>
void ForEachStay(const Scenario& scenario, const Course& course, Draw draw) {
  const std::int64_t begin = workers::FirstInstant(scenario);
  for (std::size_t i = 0; i < course.groups.size(); ++i) {
    const GroupCourse& group = course.groups[i];
    if (group.start < 0 || group.nodes == 0) continue;
    const auto from = static_cast<double>(std::max(group.start, begin) - begin);
    const auto to = static_cast<double>(EndOf(course, group) - begin);
    const auto first = static_cast<std::size_t>(course.first_node[i]);
    for (std::size_t n = 0; n < static_cast<std::size_t>(group.nodes); ++n)
      draw(i, first + n, from, to);
  }
}

// The lane of each stay within its node: groups on one node are drawn one below
// the other.
struct Lanes {
  std::vector<int> of_stay;
  std::vector<int> count;  // by node
};

Lanes ChooseLanes(const Scenario& scenario, const Course& course) {
  struct Stay {
    int node;
    double from, to;
    std::size_t number;
  };
  std::vector<Stay> stays;
  ForEachStay(scenario, course,
              [&](std::size_t, std::size_t stay, double from, double to) {
                stays.push_back({course.nodes[stay], from, to, stays.size()});
              });
  std::sort(stays.begin(), stays.end(), [](const Stay& a, const Stay& b) {
    return std::tie(a.node, a.from, a.number) <
           std::tie(b.node, b.from, b.number);
  });
  Lanes lanes{std::vector<int>(stays.size()),
              std::vector<int>(scenario.nodes.size(), 1)};
  std::vector<double> free_at;  // by lane of one node
  int node = -1;
  for (const Stay& stay : stays) {
    if (std::exchange(node, stay.node) != stay.node) free_at.clear();
    auto lane = std::ranges::find_if(
        free_at, [&](double free) { return free <= stay.from; });
    if (lane == free_at.end()) lane = free_at.insert(lane, 0);
    *lane = stay.to;
    lanes.of_stay[stay.number] = static_cast<int>(lane - free_at.begin());
    int& count = lanes.count[static_cast<std::size_t>(node)];
    count = std::max(count, static_cast<int>(free_at.size()));
  }
  return lanes;
}

void DrawGroups(const Scenario& scenario, const Course& course, Plot& plot) {
  const Lanes lanes = ChooseLanes(scenario, course);
  std::size_t number = 0;
  ForEachStay(
      scenario, course,
      [&](std::size_t group, std::size_t stay, double from, double to) {
        const int node = course.nodes[stay];
        const int count = lanes.count[static_cast<std::size_t>(node)];
        const double top = plot.Y(
            node + 1 - static_cast<double>(lanes.of_stay[number]) / count);
        const double height = (plot.Y(0) - plot.Y(1)) / count;
        ++number;
        const GroupCourse& course_of = course.groups[group];
        plot.svg().AddBox(
            {plot.X(from), top, std::max(plot.X(to) - plot.X(from), 0.5),
             std::max(height - (height > 3 ? 1 : 0), 0.5)},
            kColours[group % kColours.size()],
            fmt::format("{}: {} to {}, waited {}", scenario.groups[group].name,
                        course_of.start, EndOf(course, course_of),
                        Lasting(course_of.start - course_of.submit)));
      });
}

// Draws how full bands of nodes were, by time slices.
void DrawHeat(const Fullness& fullness, std::size_t rows, double span,
              double nodes, Plot& plot) {
  const double column = span / kHeatColumns;
  const double high = nodes / static_cast<double>(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t c = 0; c < kHeatColumns; ++c) {
      const double part = std::min(fullness.At(row, c), 1.0);
      if (part < 0.005) continue;
      const double top = plot.Y(static_cast<double>(row + 1) * high);
      const double left = plot.X(static_cast<double>(c) * column);
      plot.svg().AddBox(
          {left, top, plot.X(static_cast<double>(c + 1) * column) - left,
           plot.Y(static_cast<double>(row) * high) - top},
          kLine, {}, std::round(part * 50) / 50);
    }
  }
}

std::size_t HeatRows(const Scenario& scenario) {
  return std::min<std::size_t>(kHeatRows, scenario.nodes.size());
}

Fullness FullnessOf(const Scenario& scenario, const Course& course,
                    double span) {
  const std::size_t rows = HeatRows(scenario);
  const std::size_t nodes = scenario.nodes.size();
  Fullness fullness(scenario, course, rows, kHeatColumns,
                    [=](std::size_t node) { return node * rows / nodes; });
  if (span <= 0) return fullness;
  const double column = span / kHeatColumns;
  ForEachStay(scenario, course,
              [&](std::size_t, std::size_t stay, double from, double to) {
                fullness.Add(stay, from / column, to / column);
              });
  return fullness;
}

void MarkNodes(const Scenario& scenario, Plot& plot) {
  for (const double mark :
       RoundMarks(static_cast<double>(scenario.nodes.size()))) {
    const auto node = static_cast<std::size_t>(mark);
    if (static_cast<double>(node) != mark || node >= scenario.nodes.size())
      continue;
    std::string name = scenario.nodes[node].name;
    if (name.size() > 9) name = "…" + name.substr(name.size() - 8);
    plot.AddNameY(mark + 0.5, name);  // in the middle of its row
  }
}

}  // namespace

std::string GanttPicture(const Scenario& scenario, const Course& course) {
  const std::int64_t span = course.end - workers::FirstInstant(scenario);
  const auto nodes = scenario.nodes.size();
  const int height =
      static_cast<int>(kTop + kBottom) +
      static_cast<int>(std::clamp<std::size_t>(nodes * 14, 120, 640));
  const auto length = static_cast<double>(span);
  const auto count = static_cast<double>(nodes);
  const bool each = course.nodes.size() <= kMostBoxes;
  if (each) {
    Plot plot(height, fmt::format("Groups on {} nodes", nodes), length, count);
    plot.AddTimes(span);
    MarkNodes(scenario, plot);
    DrawGroups(scenario, course, plot);
    return plot.svg().Text();
  }
  const Fullness fullness = FullnessOf(scenario, course, length);
  Plot plot(
      height,
      fmt::format("How full {} nodes were (their {})", nodes, fullness.of()),
      length, count);
  plot.AddTimes(span);
  MarkNodes(scenario, plot);
  DrawHeat(fullness, HeatRows(scenario), length, count, plot);
  return plot.svg().Text();
}

std::string UtilisationPicture(const Scenario& scenario, const Course& course) {
  const std::int64_t span = course.end - workers::FirstInstant(scenario);
  const auto length = static_cast<double>(span);
  const std::vector<workers::ResourceUse> uses =
      workers::UsesOf(scenario, course);
  const std::size_t count = std::min(uses.size(), kMostUses);
  std::string title = "In use:";
  for (std::size_t i = 0; i < count; ++i)
    title += fmt::format("{} {} ({})", i == 0 ? "" : ",",
                         cluster::ResourceInWords(uses[i].resource),
                         kUseLines[i].name);
  Plot plot(kPictureHeight, count == 0 ? "Nothing in use" : title, length, 1);
  plot.AddTimes(span);
  plot.AddShares();
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<double> parts = workers::UtilisationOverTime(
        scenario, course, uses[i].resource, kParts);
    Svg::Points points;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      for (const std::size_t edge : {p, p + 1}) {
        points.emplace_back(plot.X(length * static_cast<double>(edge) / kParts),
                            plot.Y(std::min(parts[p], 1.0)));
      }
    }
    if (i == 0) plot.svg().AddArea(points, plot.ground(), kFill);
    plot.svg().AddLine(points, kUseLines[i].colour);
  }
  return plot.svg().Text();
}

std::string WaitsPicture(const Scenario& scenario, const Course& course) {
  std::vector<std::int64_t> waits;
  for (const GroupCourse& group : course.groups) {
    if (group.start >= 0 && group.start >= scenario.begin)
      waits.push_back(group.start - group.submit);
  }
  std::sort(waits.begin(), waits.end());
  const auto most = static_cast<double>(waits.empty() ? 0 : waits.back());
  // A logarithmic scale: waits span orders of magnitude.
  const auto place = [](double wait) { return std::log10(wait + 1); };
  Plot plot(kPictureHeight, "Groups that had started after this wait",
            place(most), 1);
  for (const std::int64_t mark : {0, 10, 60, 600, 3'600, 6 * 3'600, 86'400,
                                  604'800, 2'592'000, 31'536'000}) {
    if (static_cast<double>(mark) <= most || mark == 0)
      plot.AddMarkX(place(static_cast<double>(mark)), Lasting(mark));
  }
  plot.AddShares();
  Svg::Points points = {{plot.X(0), plot.ground()}};
  for (int i = 1; i <= kParts && !waits.empty(); ++i) {
    const std::size_t rank =
        (waits.size() * static_cast<std::size_t>(i) + kParts - 1) / kParts;
    points.emplace_back(plot.X(place(static_cast<double>(
                            waits[std::max<std::size_t>(rank, 1) - 1]))),
                        plot.Y(static_cast<double>(i) / kParts));
  }
  plot.svg().AddLine(points, kLine, 2);
  return plot.svg().Text();
}

}  // namespace fluxnetes::services
