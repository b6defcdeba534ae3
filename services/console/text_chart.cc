#include "services/console/text_chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "services/console/display_text.h"

namespace fluxnetes::services {
namespace {

constexpr int kFewestColumns = 40;

}  // namespace

TextChart::TextChart(std::int64_t begin, std::int64_t end,
                     const std::vector<std::string>& names, int columns)
    : begin_(begin), span_(std::max<std::int64_t>(end - begin, 1)) {
  columns = std::max(columns, kFewestColumns);
  for (const std::string& name : names)
    label_ = std::max(label_, static_cast<std::size_t>(DisplayWidth(name)));
  label_ = std::min(label_, static_cast<std::size_t>(columns) / 3);
  width_ = static_cast<std::size_t>(columns) - label_ - 1;
}

double TextChart::At(std::int64_t time) const {
  return static_cast<double>(width_) *
         static_cast<double>(
             std::clamp<std::int64_t>(time - begin_, 0, span_)) /
         static_cast<double>(span_);
}

void TextChart::Fill(std::int64_t from, std::int64_t to, char mark,
                     std::string& cells) const {
  const auto first = std::min(static_cast<std::size_t>(At(from)), width_ - 1);
  const auto last = std::max(static_cast<std::size_t>(At(to)), first + 1);
  for (std::size_t i = first; i < last; ++i) cells[i] = mark;
}

std::string TextChart::Line(const std::string& name,
                            const std::string& cells) const {
  const int label = static_cast<int>(label_);
  const std::string shown =
      DisplayWidth(name) <= label ? name : Cut(name, label);
  std::string line =
      shown +
      std::string(label_ - static_cast<std::size_t>(DisplayWidth(shown)), ' ') +
      " " + cells;
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string TextChart::Axis(const std::string& first,
                            const std::string& last) const {
  return Line("", fmt::format("{:<{}}{}", first,
                              width_ - std::min(last.size(), width_), last));
}

char FullnessMark(double share) {
  share = std::clamp(share, 0.0, 1.0);
  const auto last = static_cast<double>(kFullness.size() - 1);
  auto mark = static_cast<std::size_t>(share * last + 1e-9);
  if (mark == 0 && share > 0) mark = 1;
  return kFullness[mark];
}

}  // namespace fluxnetes::services
