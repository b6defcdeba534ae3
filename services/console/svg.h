// A picture in Scalable Vector Graphics 1.1: boxes, lines and texts at
// positions in pixels from the upper left corner. It sets its own colours and
// background, so that it is readable on light and dark pages.
//
// For one thread.
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

  // `title` is the tooltip; empty: none.
  void AddBox(const Box& box, const std::string& colour,
              const std::string& title = {}, double opacity = 1);
  using Points = std::vector<std::pair<double, double>>;
  void AddLine(const Points& points, const std::string& colour,
               double width = 1);
  // Fills the area between the line and `ground`.
  void AddArea(const Points& points, double ground, const std::string& colour);
  enum class Anchor { kStart, kMiddle, kEnd };
  void AddText(double x, double y, const std::string& text,
               Anchor anchor = Anchor::kStart, int size = 11);

  std::string Text() const;

 private:
  struct Document;
  std::unique_ptr<Document> document_;
};

// Returns the marks of an axis: about five round numbers from 0 to `most`.
std::vector<double> RoundMarks(double most);

// The same for time, in steps of seconds, minutes, hours or days.
std::vector<std::int64_t> TimeMarks(std::int64_t seconds);

}  // namespace fluxnetes::services
