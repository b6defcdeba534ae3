// A picture in Scalable Vector Graphics 1.1: boxes, lines and words at places
// in pixels, from the upper left corner. It says its colours itself, and is
// readable on a light and on a dark page, since it has a ground of its own.
//
// Owned by one thread.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fluxnetes::services {

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

class Svg {
 public:
  Svg(int width, int height);
  ~Svg();
  Svg(const Svg&) = delete;
  Svg& operator=(const Svg&) = delete;

  // `title` is shown when one points at it; empty: none.
  void AddBox(const Box& box, const std::string& colour,
              const std::string& title = {}, double opacity = 1);
  using Points = std::vector<std::pair<double, double>>;
  void AddLine(const Points& points, const std::string& colour,
               double width = 1);
  // What is between the line and `ground`, filled.
  void AddArea(const Points& points, double ground, const std::string& colour);
  enum class Anchor { kStart, kMiddle, kEnd };
  void AddText(double x, double y, const std::string& text,
               Anchor anchor = Anchor::kStart, int size = 11);

  std::string Text() const;

 private:
  struct Document;
  std::unique_ptr<Document> document_;
};

// The marks of an axis: round numbers from 0 to `most`, five or so.
std::vector<double> RoundMarks(double most);

// Those of time, in steps of seconds, minutes, hours or days.
std::vector<std::int64_t> TimeMarks(std::int64_t seconds);

}  // namespace fluxnetes::services
