#include "services/console/svg.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <pugixml.hpp>
#include <sstream>

namespace fluxnetes::services {
namespace {

constexpr auto kInk = "#333";
constexpr auto kFont = "system-ui, sans-serif";

std::string Number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string PathOf(const Svg::Points& points) {
  std::string path;
  for (const auto& [x, y] : points)
    path +=
        fmt::format("{}{},{}", path.empty() ? "M" : "L", Number(x), Number(y));
  return path;
}

}  // namespace

struct Svg::Document {
  pugi::xml_document xml;
  pugi::xml_node root;

  pugi::xml_node Add(const char* name) { return root.append_child(name); }
};

Svg::Svg(int width, int height) : document_(std::make_unique<Document>()) {
  pugi::xml_node root = document_->xml.append_child("svg");
  root.append_attribute("xmlns") = "http://www.w3.org/2000/svg";
  root.append_attribute("width") = width;
  root.append_attribute("height") = height;
  root.append_attribute("viewBox") =
      fmt::format("0 0 {} {}", width, height).c_str();
  root.append_attribute("font-family") = kFont;
  document_->root = root;
  AddBox({0, 0, static_cast<double>(width), static_cast<double>(height)},
         "#fff");
}

Svg::~Svg() = default;

void Svg::AddBox(const Box& box, const std::string& colour,
                 const std::string& title, double opacity) {
  pugi::xml_node node = document_->Add("rect");
  node.append_attribute("x") = Number(box.x).c_str();
  node.append_attribute("y") = Number(box.y).c_str();
  node.append_attribute("width") = Number(box.width).c_str();
  node.append_attribute("height") = Number(box.height).c_str();
  node.append_attribute("fill") = colour.c_str();
  if (opacity < 1)
    node.append_attribute("fill-opacity") = Number(opacity).c_str();
  if (!title.empty()) node.append_child("title").text().set(title.c_str());
}

void Svg::AddLine(const Points& points, const std::string& colour,
                  double width) {
  if (points.empty()) return;
  pugi::xml_node node = document_->Add("path");
  node.append_attribute("d") = PathOf(points).c_str();
  node.append_attribute("fill") = "none";
  node.append_attribute("stroke") = colour.c_str();
  node.append_attribute("stroke-width") = Number(width).c_str();
}

void Svg::AddArea(const Points& points, double ground,
                  const std::string& colour) {
  if (points.empty()) return;
  Points around = points;
  around.emplace_back(points.back().first, ground);
  around.emplace_back(points.front().first, ground);
  pugi::xml_node node = document_->Add("path");
  node.append_attribute("d") = (PathOf(around) + "Z").c_str();
  node.append_attribute("fill") = colour.c_str();
}

void Svg::AddText(double x, double y, const std::string& text, Anchor anchor,
                  int size) {
  constexpr std::array kAnchors = {"start", "middle", "end"};
  pugi::xml_node node = document_->Add("text");
  node.append_attribute("x") = Number(x).c_str();
  node.append_attribute("y") = Number(y).c_str();
  node.append_attribute("font-size") = size;
  node.append_attribute("fill") = kInk;
  node.append_attribute("text-anchor") =
      kAnchors[static_cast<std::size_t>(anchor)];
  node.text().set(text.c_str());
}

std::string Svg::Text() const {
  std::ostringstream text;
  document_->xml.save(text, " ", pugi::format_default, pugi::encoding_utf8);
  return text.str();
}

std::vector<double> RoundMarks(double most) {
  if (!(most > 0)) return {0};
  double step = std::pow(10, std::floor(std::log10(most / 4)));
  for (const double factor : {5.0, 2.0}) {
    if (step * factor * 4 <= most) {
      step *= factor;
      break;
    }
  }
  std::vector<double> marks;
  for (int i = 0; i * step <= most * (1 + 1e-9); ++i) marks.push_back(i * step);
  return marks;
}

std::vector<std::int64_t> TimeMarks(std::int64_t seconds) {
  constexpr std::array<std::int64_t, 15> kSteps = {
      1,      5,      15,     60,      300,       900,       3'600,     10'800,
      21'600, 43'200, 86'400, 604'800, 2'592'000, 7'776'000, 31'536'000};
  std::int64_t step = kSteps.back();
  for (const std::int64_t each : kSteps) {
    if (seconds / each > 8) continue;
    step = each;
    break;
  }
  while (seconds / step > 8) step *= 2;
  std::vector<std::int64_t> marks;
  for (std::int64_t at = 0; at <= seconds; at += step) marks.push_back(at);
  return marks;
}

}  // namespace fluxnetes::services
