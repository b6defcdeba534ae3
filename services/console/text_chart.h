// A chart of characters over time, for terminals: a name before each line, and
// what is there when as a character per slice of time.
//
//   default/gang  ######################
//   default/wide  ......................======================
//                 now                   +30m                +1h
//
// Plain value, used by one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fluxnetes::services {

class TextChart {
 public:
  // From one second to another, in lines of so many columns, from 40. Names are
  // cut to a third of that.
  TextChart(std::int64_t begin, std::int64_t end,
            const std::vector<std::string>& names, int columns);

  std::size_t width() const { return width_; }  // slices
  std::int64_t span() const { return span_; }   // seconds, at least one

  // Where the time is, in slices from the left; what is outside is at the edge.
  double At(std::int64_t time) const;

  // Writes the mark into the slices of a line from one time to another, at
  // least into one.
  void Fill(std::int64_t from, std::int64_t to, char mark,
            std::string& cells) const;

  // With the line end.
  std::string Line(const std::string& name, const std::string& cells) const;

  // A line below: a text at the left edge and one that ends at the right one.
  std::string Axis(const std::string& first, const std::string& last) const;

 private:
  const std::int64_t begin_;
  const std::int64_t span_;
  std::size_t label_ = 0;
  std::size_t width_ = 0;
};

// Of nodes that are none to all in use: one of the characters " .:-=+*%#@";
// anything shows, and only all of it shows as that.
inline constexpr std::string_view kFullness = " .:-=+*%#@";
char FullnessMark(double share);

}  // namespace fluxnetes::services
