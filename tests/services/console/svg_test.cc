#include "services/console/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>

namespace fluxnetes::services {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Svg, IsAPictureOfItsSize) {
  Svg svg(200, 100);
  svg.AddBox({1, 2, 3.5, 4}, "#123456", "a < b & \"c\"", 0.5);
  svg.AddLine({{0, 1}, {2.25, 3}}, "#000");
  svg.AddArea({{0, 1}, {2, 3}}, 9, "#eee");
  svg.AddText(5, 6, "näme", Svg::Anchor::kEnd);
  pugi::xml_document picture;
  ASSERT_TRUE(picture.load_string(svg.Text().c_str()));
  const pugi::xml_node root = picture.document_element();
  EXPECT_STREQ(root.attribute("viewBox").value(), "0 0 200 100");
  const pugi::xml_node box = root.find_child_by_attribute("fill", "#123456");
  EXPECT_STREQ(box.attribute("width").value(), "3.5");
  EXPECT_STREQ(box.attribute("fill-opacity").value(), "0.5");
  EXPECT_STREQ(box.child_value("title"), "a < b & \"c\"");
  EXPECT_THAT(svg.Text(), HasSubstr("M0,1L2.25,3\""));
  EXPECT_THAT(svg.Text(), HasSubstr("M0,1L2,3L2,9L0,9Z\""));
  EXPECT_STREQ(root.child_value("text"), "näme");
  EXPECT_STREQ(root.child("text").attribute("text-anchor").value(), "end");
}

TEST(Svg, MarksOfAnAxisAreRoundAndFew) {
  EXPECT_THAT(RoundMarks(10), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(RoundMarks(16), ElementsAre(0, 2, 4, 6, 8, 10, 12, 14, 16));
  EXPECT_THAT(RoundMarks(1'000), ElementsAre(0, 200, 400, 600, 800, 1'000));
  EXPECT_THAT(RoundMarks(0), ElementsAre(0));
  EXPECT_THAT(TimeMarks(12), ElementsAre(0, 5, 10));
  EXPECT_THAT(TimeMarks(7'200), ElementsAre(0, 900, 1'800, 2'700, 3'600, 4'500,
                                            5'400, 6'300, 7'200));
  for (std::int64_t span = 1; span < 4'000'000'000; span = span * 3 + 1)
    EXPECT_LE(TimeMarks(span).size(), 9U) << span;
}

}  // namespace
}  // namespace fluxnetes::services
