// A text chart over time for terminals: a name in front of each line, and one
// character per time slice.
//
//   default/gang  ######################
//   default/wide  ......................======================
//                 now                   +30m                +1h
//
// Plain value, for one thread.
// Tests: tests/services/simulate/simulation_chart_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fluxnetes::services {

class TextChart {
 public:
  // Covers `begin` to `end` in lines of `columns` columns, at least 40. Names
  // are cut to a third of that.
  TextChart(std::int64_t begin, std::int64_t end,
            const std::vector<std::string>& names, int columns);

  std::size_t width() const { return width_; }  // slices
  std::int64_t span() const { return span_; }   // seconds, at least one

  // Returns the position of a time in slices from the left, limited to the
  // chart.
  double At(std::int64_t time) const;

  // Writes the mark into the slices of a time span, at least into one.
  void Fill(std::int64_t from, std::int64_t to, char mark,
            std::string& cells) const;

  // Returns the line with a line end.
  std::string Line(const std::string& name, const std::string& cells) const;

  // Returns a line with one text at the left edge and one at the right edge.
  std::string Axis(const std::string& first, const std::string& last) const;

 private:
  const std::int64_t begin_;
  const std::int64_t span_;
  std::size_t label_ = 0;
  std::size_t width_ = 0;
};

// The mark of a utilisation from 0 to 1: one of the characters " .:-=+*%#@".
// Any use shows a mark other than the first; only full use shows the last.
inline constexpr std::string_view kFullness = " .:-=+*%#@";
char FullnessMark(double share);

}  // namespace fluxnetes::services
