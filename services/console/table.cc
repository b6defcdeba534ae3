#include "services/console/table.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "services/console/display_text.h"

namespace fluxnetes::services {
namespace {

constexpr int kGap = 2;
constexpr int kLeastOfLast = 16;   // columns for the last one
constexpr int kLeastOfNames = 20;  // columns left of long texts
constexpr int kOfNames = 40;       // before the last one is given more
constexpr int kMostOfPipe = 64;    // longer texts do not widen a column

std::string_view CodeOf(Colour colour) {
  switch (colour) {
    case Colour::kNone:
      return "";
    case Colour::kGreen:
      return "\x1b[32m";
    case Colour::kYellow:
      return "\x1b[33m";
    case Colour::kRed:
      return "\x1b[31m";
    case Colour::kCyan:
      return "\x1b[36m";
    case Colour::kDim:
      return "\x1b[2m";
  }
  return "";
}

}  // namespace

std::string Painted(const std::string& text, Colour colour, bool paint) {
  if (!paint || colour == Colour::kNone || text.empty()) return text;
  return std::string(CodeOf(colour)) + text + "\x1b[0m";
}

Table::Table(std::vector<std::string> headings) {
  for (std::string& heading : headings) {
    Column column;
    std::size_t signs = 0;
    for (; signs < heading.size(); ++signs) {
      if (heading[signs] == '>')
        column.right = true;
      else if (heading[signs] == '?')
        column.optional = true;
      else
        break;
    }
    column.heading = heading.substr(signs);
    columns_.push_back(std::move(column));
  }
}

void Table::Add(std::vector<Cell> cells) {
  assert(cells.size() == columns_.size());
  for (Cell& cell : cells)
    cell.text = cell.text.empty() ? "-" : Printable(cell.text);
  rows_.push_back(std::move(cells));
}

std::vector<int> Table::Widths(const TableStyle& style) const {
  std::vector<int> widths;
  for (const Column& column : columns_)
    widths.push_back(style.header ? DisplayWidth(column.heading) : 1);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const int width = DisplayWidth(row[i].text);
      if (style.columns > 0 || width <= kMostOfPipe)
        widths[i] = std::max(widths[i], width);
    }
  }
  if (style.columns > 0) Fit(widths, style.columns);
  return widths;
}

int Table::Least(std::size_t column, int width) const {
  if (column + 1 == columns_.size()) return std::min(width, kLeastOfLast);
  return columns_[column].right ? width : std::min(width, kLeastOfNames);
}

void Table::Fit(std::vector<int>& widths, int columns) const {
  std::vector<int> fitted;
  int left = columns + kGap;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    fitted.push_back(Least(i, widths[i]));
    left -= fitted[i] + kGap;
  }
  for (std::size_t i = widths.size(); i-- > 0 && left < 0;) {
    if (!columns_[i].optional) continue;
    left += fitted[i] + kGap;
    widths[i] = fitted[i] = 0;
  }
  const auto widen = [&](std::size_t from, std::size_t to, int most) {
    bool any = true;
    while (left > 0 && std::exchange(any, false)) {
      for (std::size_t i = from; i < to && left > 0; ++i) {
        if (fitted[i] >= std::min(widths[i], most)) continue;
        ++fitted[i];
        --left;
        any = true;
      }
    }
  };
  const std::size_t last = widths.size() - 1;
  widen(0, last, kOfNames);
  widen(last, last + 1, columns);
  widen(0, last, columns);
  widths = std::move(fitted);
}

std::string Table::Line(const std::vector<Cell>& cells,
                        const std::vector<int>& widths,
                        const TableStyle& style) const {
  std::string line;
  int left = style.columns;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (widths[i] == 0) continue;
    const bool last = i + 1 == cells.size();
    const int width = style.columns > 0 ? std::min(widths[i], left) : widths[i];
    const std::string text = style.columns == 0 ? cells[i].text
                             : last             ? Cut(cells[i].text, width)
                                    : CutMiddle(cells[i].text, width);
    const int missing = width - DisplayWidth(text);
    const std::string blanks(
        last && !columns_[i].right ? 0 : std::max(missing, 0), ' ');
    const std::string painted = Painted(text, cells[i].colour, style.colour);
    line += columns_[i].right ? blanks + painted : painted + blanks;
    left -= widths[i] + kGap;
    if (last || (style.columns > 0 && left <= 0)) break;
    line.append(kGap, ' ');
  }
  return line;
}

std::vector<std::string> Table::Lines(const TableStyle& style) const {
  const std::vector<int> widths = Widths(style);
  std::vector<std::string> lines;
  if (style.header) {
    std::vector<Cell> header;
    for (const Column& column : columns_) header.emplace_back(column.heading);
    lines.push_back(Line(header, widths, style));
  }
  for (const auto& row : rows_) lines.push_back(Line(row, widths, style));
  return lines;
}

std::string Table::Text(const TableStyle& style) const {
  std::string text;
  for (const std::string& line : Lines(style)) text += line + "\n";
  return text;
}

std::string Table::IndentedText(TableStyle style) const {
  if (style.columns > 0) style.columns = std::max(style.columns - kGap, 1);
  std::string text;
  for (const std::string& line : Lines(style))
    text += std::string(kGap, ' ') + line + "\n";
  return text;
}

}  // namespace fluxnetes::services
