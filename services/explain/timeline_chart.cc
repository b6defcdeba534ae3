#include "services/explain/timeline_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "services/console/display_text.h"
#include "services/console/text_chart.h"
#include "services/console/time_text.h"

namespace fluxnetes::services {
namespace {

constexpr std::size_t kMostNodeLines = 40;
constexpr std::chrono::hours kHorizonOfNothing{1};

std::int64_t SecondsOf(sql::Timestamp time) {
  return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch())
      .count();
}

class TimelineChart {
 public:
  TimelineChart(const ChartFrame& frame, const std::vector<std::string>& names)
      : now_(SecondsOf(frame.now)),
        until_(std::max(SecondsOf(frame.until), now_ + 1)),
        chart_(now_, until_, names, frame.columns) {}

  const TextChart& chart() const { return chart_; }
  std::string Blank() const { return std::string(chart_.width(), ' '); }

  // Marks the visible part; a span that continues beyond the chart ends with
  // '>'.
  void Mark(sql::Timestamp start, const std::optional<sql::Timestamp>& end,
            char mark, std::string& cells) const {
    const std::int64_t from = std::max(SecondsOf(start), now_);
    const std::int64_t to = end ? std::min(SecondsOf(*end), until_) : until_;
    if (from >= until_ || (end && SecondsOf(*end) < now_)) return;
    chart_.Fill(from, std::max(to, from), mark, cells);
    if (!end || SecondsOf(*end) > until_) cells.back() = '>';
  }

  std::string Axis() const {
    return chart_.Axis(
        "now", "+" + ShortDuration(std::chrono::seconds(until_ - now_)));
  }

 private:
  const std::int64_t now_;
  const std::int64_t until_;
  const TextChart chart_;
};

char MarkOf(const Span& span) {
  if (span.kind == "running") return '#';
  return span.kind == "reserved" ? '=' : '-';
}

std::string CellsOf(const Span& span, const ChartFrame& frame,
                    const TimelineChart& chart) {
  std::string cells = chart.Blank();
  if (span.kind == "running") {
    // An overdue group still has its nodes.
    const auto end =
        span.end ? std::optional(std::max(*span.end, frame.now)) : std::nullopt;
    chart.Mark(frame.now, end, '#', cells);
    return cells;
  }
  if (!span.start) {
    chart.Mark(frame.now, std::nullopt, ':', cells);
    return cells;
  }
  if (*span.start > frame.now)
    chart.Mark(frame.now, std::min(*span.start, frame.until), '.', cells);
  const auto late =
      span.end ? std::optional(std::max(*span.end, frame.now)) : std::nullopt;
  chart.Mark(std::max(*span.start, frame.now), late, MarkOf(span), cells);
  return cells;
}

// The nodes that share a line.
struct Band {
  double cpu = 0;
  std::vector<double> used;  // by slice
  std::string marks;         // ' ', or the mark that replaces the utilisation
};

class Bands {
 public:
  Bands(const Timeline& timeline, const ChartFrame& frame)
      : size_((timeline.nodes.size() + kMostNodeLines - 1) / kMostNodeLines),
        names_(NamesOf(timeline, size_)),
        chart_(frame, names_),
        bands_(names_.size()) {
    for (Band& band : bands_) {
      band.used.assign(chart_.chart().width(), 0);
      band.marks = chart_.Blank();
    }
    for (std::size_t i = 0; i < timeline.nodes.size(); ++i) {
      const Timeline::Node& node = timeline.nodes[i];
      const std::size_t band = i / size_;
      band_of_[node.name] = band;
      bands_[band].cpu += static_cast<double>(node.cpu_milli);
      Use(band, frame.now, std::nullopt, frame,
          static_cast<double>(node.unmanaged_cpu_milli));
    }
  }

  void Add(const Timeline& timeline, const ChartFrame& frame) {
    for (const auto& [place, cpu] : timeline.cpu_milli)
      held_[place.first].emplace_back(place.second, cpu);
    for (const Span& span : timeline.spans) {
      if (span.kind == "running") {
        for (const auto& [node, cpu] : held_[span.id])
          if (const auto band = band_of_.find(node); band != band_of_.end())
            Use(band->second, frame.now, span.end, frame,
                static_cast<double>(cpu));
        continue;
      }
      for (const std::string& node : span.nodes)
        if (const auto band = band_of_.find(node); band != band_of_.end())
          Put(band->second, span.start.value_or(frame.now), span.end,
              span.start ? '=' : ':');
    }
    for (const Timeline::Maintenance& window : timeline.maintenance)
      if (const auto band = band_of_.find(window.node); band != band_of_.end())
        Put(band->second, window.start, window.end, 'X');
  }

  std::string Text() const {
    std::string text;
    for (std::size_t i = 0; i < bands_.size(); ++i) {
      std::string cells;
      for (std::size_t at = 0; at < bands_[i].used.size(); ++at) {
        const char put = bands_[i].marks[at];
        const double cpu = bands_[i].cpu;
        cells += put != ' '
                     ? put
                     : FullnessMark(cpu > 0 ? bands_[i].used[at] / cpu : 0);
      }
      text += chart_.chart().Line(names_[i], cells);
    }
    const std::string of = size_ == 1
                               ? "a line is a node"
                               : fmt::format("a line is {} nodes", size_);
    return text + chart_.Axis() +
           fmt::format(
               "{}; from none to all of its cpu: \"{}\"; = reserved, "
               ": kept free, X in maintenance\n",
               of, kFullness);
  }

 private:
  static std::vector<std::string> NamesOf(const Timeline& timeline,
                                          std::size_t size) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < timeline.nodes.size(); i += size)
      names.push_back(Printable(timeline.nodes[i].name));
    return names;
  }

  // Adds the cpu to each slice, in proportion to the covered part.
  void Use(std::size_t band, sql::Timestamp start,
           const std::optional<sql::Timestamp>& end, const ChartFrame& frame,
           double cpu) {
    std::vector<double>& used = bands_[band].used;
    const double from = chart_.chart().At(SecondsOf(start));
    const double to = chart_.chart().At(SecondsOf(end.value_or(frame.until)));
    for (auto at = static_cast<std::size_t>(from);
         at < used.size() && static_cast<double>(at) < to; ++at) {
      const auto left = static_cast<double>(at);
      used[at] += cpu * (std::min(to, left + 1) - std::max(from, left));
    }
  }

  void Put(std::size_t band, sql::Timestamp start,
           const std::optional<sql::Timestamp>& end, char mark) {
    std::string cells = chart_.Blank();
    chart_.Mark(start, end, mark, cells);
    for (std::size_t at = 0; at < cells.size(); ++at)
      if (cells[at] != ' ') bands_[band].marks[at] = mark;
  }

  const std::size_t size_;
  const std::vector<std::string> names_;
  const TimelineChart chart_;
  std::vector<Band> bands_;
  std::unordered_map<std::string, std::size_t> band_of_;
  std::unordered_map<std::int64_t,
                     std::vector<std::pair<std::string, std::int64_t>>>
      held_;
};

}  // namespace

sql::Timestamp HorizonOf(const Timeline& timeline, sql::Timestamp now) {
  sql::Timestamp last = now;
  for (const Span& span : timeline.spans) {
    if (span.start && *span.start > now)
      last = std::max(last, *span.start + (*span.start - now) / 5);
    if (span.end) last = std::max(last, *span.end);
  }
  for (const Timeline::Maintenance& window : timeline.maintenance)
    last = std::max({last, window.start, window.end.value_or(window.start)});
  return last > now ? last : now + kHorizonOfNothing;
}

std::string ChartOfGroups(const Timeline& timeline, const ChartFrame& frame) {
  std::vector<std::string> names;
  for (const Span& span : timeline.spans)
    names.push_back(Printable(span.group.Text()));
  const TimelineChart chart(frame, names);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text +=
        chart.chart().Line(names[i], CellsOf(timeline.spans[i], frame, chart));
  return text + chart.Axis() +
         "# has its nodes, = has them reserved, - will have some by forecast, "
         ". waits, : its nodes are kept free, > goes on\n";
}

std::string ChartOfNodes(const Timeline& timeline, const ChartFrame& frame) {
  if (timeline.nodes.empty()) return "";
  Bands bands(timeline, frame);
  bands.Add(timeline, frame);
  return bands.Text();
}

}  // namespace fluxnetes::services
