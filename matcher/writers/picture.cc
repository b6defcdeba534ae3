#include "matcher/writers/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <unordered_map>

#include "matcher/graph/text_sets.h"
#include "matcher/picture_page.h"
#include "matcher/writers/clean_text.h"
#include "matcher/writers/picture_rows.h"

namespace fluxnetes::matcher {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string Text(std::string_view text) { return JsonQuoted(CleanText(text)); }

std::string Number(Time time) {
  return time == kForever ? "null" : std::to_string(time);
}

// Strings numbered in the order in which they were first seen.
class Catalogue {
 public:
  int Number(const std::string& text) {
    const auto [at, fresh] = numbers_.try_emplace(text, texts_.size());
    if (fresh) texts_.push_back(text);
    return at->second;
  }
  std::string Json() const {
    return fmt::format("[{}]", fmt::join(texts_, ",\n"));
  }

 private:
  std::unordered_map<std::string, int> numbers_;
  std::vector<std::string> texts_;
};

// The data of the page as JSON; picture_page.js describes and draws it.
class PictureData {
 public:
  explicit PictureData(const ResourceGraph& graph)
      : graph_(graph), rows_(graph) {}

  void AddJob(const PictureJob& job) {
    jobs_ += fmt::format(
        "{}{{\"id\": {}, \"name\": {}, \"start\": {}, \"end\": {}, "
        "\"reserved\": {}, \"on\": [",
        jobs_.empty() ? "" : ",\n", job.id, Text(job.name), job.start,
        Number(job.end), job.reserved);
    const char* separator = "";
    const auto write = [&](int first, int last, int share) {
      jobs_ += fmt::format("{}[{},{},{}]", separator, first, last, share);
      separator = ",";
    };
    // Adjacent rows with the same share of the job go together.
    int first = -1;
    int last = -1;
    int share = -1;
    for (const auto& [row, units] : rows_.Fold(job.held)) {
      const int next = Share(units, rows_.rows()[row].units);
      if (row == last + 1 && next == share && first >= 0) {
        last = row;
        continue;
      }
      if (first >= 0) write(first, last, share);
      first = last = row;
      share = next;
    }
    if (first >= 0) write(first, last, share);
    jobs_ += "]}";
  }

  std::string Json(Time now) {
    const std::string rows = Rows();
    std::string down;
    WriteDown(Out(down));
    const bool nodes =
        std::all_of(rows_.rows().begin(), rows_.rows().end(),
                    [&](const PictureRows::Row& row) {
                      return graph_.type(row.vertex) == types::kNode;
                    });
    return fmt::format(
        "{{\"title\": {}, \"now\": {}, \"row_type\": \"{}\",\n"
        "\"groups\": [{}],\n\"rows\": [{}],\n\"kinds\": {},\n"
        "\"down\": [{}],\n\"shares\": {},\n\"jobs\": [{}]}}",
        Text(graph_.Name(graph_.root())), now, nodes ? "node" : "row", groups_,
        rows, kinds_.Json(), down, shares_.Json(), jobs_);
  }

 private:
  int Share(const UnitSums& units, const UnitSums& all) {
    double part = 0;
    std::string text;
    for (const auto& [type, sum] : units) {
      const double whole = all.at(type);
      if (whole > 0) part = std::max(part, sum / whole);
      text += fmt::format("{}{} {:.0f} of {:.0f}", text.empty() ? "" : ", ",
                          graph_.type_names()[type], sum, whole);
    }
    return shares_.Number(
        fmt::format("{{\"part\": {:.4f}, \"text\": {}}}", part, Text(text)));
  }

  // Also makes the groups: adjacent rows of one parent.
  std::string Rows() {
    std::string rows;
    const int size = static_cast<int>(rows_.rows().size());
    for (int first = 0; first < size;) {
      const VertexIndex above = graph_.parent(rows_.rows()[first].vertex);
      int next = first;
      for (; next < size && graph_.parent(rows_.rows()[next].vertex) == above;
           ++next) {
        const PictureRows::Row& row = rows_.rows()[next];
        rows += fmt::format(
            "{}{{\"name\": {}, \"kind\": {}}}", rows.empty() ? "" : ",\n",
            Text(graph_.Name(row.vertex)), kinds_.Number(Kind(row.units)));
      }
      groups_ += fmt::format("{}{{\"name\": {}, \"first\": {}, \"last\": {}}}",
                             groups_.empty() ? "" : ",\n",
                             Text(above == kNoVertex ? "" : graph_.Path(above)),
                             first, next - 1);
      first = next;
    }
    return rows;
  }

  std::string Kind(const UnitSums& units) const {
    std::string text;
    for (const auto& [type, sum] : units) {
      text += fmt::format("{}{} {:.0f}", text.empty() ? "" : ", ",
                          graph_.type_names()[type], sum);
    }
    return Text(text);
  }

  void WriteDown(Out out) const {
    const char* separator = "";
    int row = 0;
    for (const PictureRows::Row& one : rows_.rows()) {
      bool up = true;
      for (VertexIndex v = one.vertex; v != kNoVertex; v = graph_.parent(v)) {
        up = up && graph_.up(v);
      }
      if (!up) {
        fmt::format_to(out, "{}[{},{}]", separator, row, row);
        separator = ",";
      }
      ++row;
    }
  }

  const ResourceGraph& graph_;
  PictureRows rows_;
  Catalogue shares_;
  Catalogue kinds_;
  std::string groups_;
  std::string jobs_;
};

void Fill(std::string& page, std::string_view mark, std::string_view text) {
  page.replace(page.find(mark), mark.size(), text);
}

}  // namespace

std::vector<VertexIndex> HeldAlone(const Matcher& matcher, JobId job) {
  const ResourceGraph& graph = matcher.graph();
  std::vector<VertexIndex> held;
  std::vector<VertexIndex> todo = {graph.root()};
  while (!todo.empty()) {
    const VertexIndex v = todo.back();
    todo.pop_back();
    const Matcher::Hold hold = matcher.HoldOf(job, v);
    if (hold.exclusive) held.push_back(v);
    if (!hold.tagged) continue;
    for (EdgeIndex e = graph.FirstOut(v); e != kNoEdge; e = graph.NextOut(e)) {
      todo.push_back(graph.target(e));
    }
  }
  return held;
}

std::string DrawPicture(const ResourceGraph& graph,
                        std::span<const PictureJob> jobs, Time now) {
  if (graph.root() == kNoVertex) {
    throw std::invalid_argument("a graph without a root has no picture");
  }
  PictureData data(graph);
  for (const PictureJob& job : jobs) data.AddJob(job);
  std::string json;
  for (const char c : data.Json(now)) {  // no </script> in it
    if (c == '<') {
      json += "\\u003c";
    } else {
      json += c;
    }
  }
  std::string page(kPicturePageHtml);
  // From the end of the page, so that marks in what was filled in are not
  // found.
  Fill(page, "@script@", kPicturePageJs);
  Fill(page, "@data@", json);
  Fill(page, "@style@", kPicturePageCss);
  Fill(page, "@title@", XmlText(graph.Name(graph.root())));
  return page;
}

}  // namespace fluxnetes::matcher
