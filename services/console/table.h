// A table for a terminal in kubectl's manner: a header in capitals, columns as
// wide as they need to be, two blanks between them. Where the terminal is known
// and the last column would get too little of the line, long names lose their
// beginning and columns that can be missed are left out; then the last one is
// cut to what is left. In a pipe nothing is cut.
//
// Plain value, used by one thread.
#pragma once

#include <string>
#include <vector>

namespace fluxnetes::services {

enum class Colour { kNone, kGreen, kYellow, kRed, kCyan, kDim };

struct Cell {
  Cell() = default;
  // NOLINTBEGIN(google-explicit-constructor): cells are written as texts
  Cell(std::string t) : text(std::move(t)) {}
  Cell(const char* t) : text(t) {}
  // NOLINTEND(google-explicit-constructor)
  Cell(std::string t, Colour c) : text(std::move(t)), colour(c) {}
  std::string text;  // empty is shown as "-"
  Colour colour = Colour::kNone;
};

struct TableStyle {
  int columns = 0;  // of the terminal; 0: lines may be of any length
  bool colour = false;
  bool header = true;
};

class Table {
 public:
  // A heading is shown without the signs before it: ">" sets the column to the
  // right, "<" lets it lose its beginning, "?" lets it be left out (the last of
  // these first).
  explicit Table(std::vector<std::string> headings);

  // As many cells as there are headings.
  void Add(std::vector<Cell> cells);

  std::size_t rows() const { return rows_.size(); }

  // One line per row, without line ends; the header is the first.
  std::vector<std::string> Lines(const TableStyle& style) const;

  // The same as one text, each line ended.
  std::string Text(const TableStyle& style) const;

  // The same below a heading: two blanks before each line.
  std::string IndentedText(TableStyle style) const;

 private:
  struct Column {
    std::string heading;
    bool right = false;
    bool loses_beginning = false;
    bool optional = false;
  };
  // 0: not shown.
  std::vector<int> Widths(const TableStyle& style) const;
  void Fit(std::vector<int>& widths, int columns) const;
  std::string Line(const std::vector<Cell>& cells,
                   const std::vector<int>& widths,
                   const TableStyle& style) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// The text in the colour, or as it is.
std::string Painted(const std::string& text, Colour colour, bool paint);

}  // namespace fluxnetes::services
