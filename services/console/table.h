// A table in kubectl's style: a header in capitals, columns as wide as their
// text, two blanks between them.
//
// If the terminal's width is known, no line is wider. Where there is too little
// room, long texts lose their middle, optional columns are left out, and the
// last column is cut at its end. Otherwise, as in a pipe, all texts are whole,
// and a text that is much longer than others makes its own line longer, not
// the column wider.
//
// Plain value, for one thread.
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
  std::string text;  // shown as "-" if empty
  Colour colour = Colour::kNone;
};

struct TableStyle {
  int columns = 0;  // of the terminal; 0: no limit
  bool colour = false;
  bool header = true;
};

class Table {
 public:
  // Prefixes of a heading, which are not shown: ">" aligns the column to the
  // right, "?" makes it optional (the last optional column is left out first).
  explicit Table(std::vector<std::string> headings);

  // As many cells as headings.
  void Add(std::vector<Cell> cells);

  std::size_t rows() const { return rows_.size(); }

  // Returns one line per row, without line ends; the header is the first.
  std::vector<std::string> Lines(const TableStyle& style) const;

  // Returns all lines as one text, each with a line end.
  std::string Text(const TableStyle& style) const;

  // As Text(), with each line indented by two blanks.
  std::string IndentedText(TableStyle style) const;

 private:
  struct Column {
    std::string heading;
    bool right = false;
    bool optional = false;
  };
  // 0: the column is left out.
  std::vector<int> Widths(const TableStyle& style) const;
  void Fit(std::vector<int>& widths, int columns) const;
  int Least(std::size_t column, int width) const;
  std::string Line(const std::vector<Cell>& cells,
                   const std::vector<int>& widths,
                   const TableStyle& style) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// Returns the text in the colour if `paint`, else unchanged.
std::string Painted(const std::string& text, Colour colour, bool paint);

}  // namespace fluxnetes::services
