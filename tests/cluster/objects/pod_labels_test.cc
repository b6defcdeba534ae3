#include "cluster/objects/pod_labels.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace fluxnetes::cluster {
namespace {

TEST(PodLabels, AreReadAsAMapInOrderOfKey) {
  const PodLabels labels = {{"team", "red"}, {"app", "web"}};
  EXPECT_EQ(labels.size(), 2U);
  EXPECT_EQ(labels.begin()->first, "app");
  EXPECT_EQ(labels.at("team"), "red");
  EXPECT_EQ(labels.find("team")->second, "red");
  EXPECT_EQ(labels.find("tea"), labels.end());
  EXPECT_EQ(labels.find("teams"), labels.end());
  EXPECT_TRUE(labels.contains("app"));
  EXPECT_FALSE(labels.contains("zone"));
  EXPECT_THROW(labels.at("zone"), std::out_of_range);
  EXPECT_EQ(LabelMap(labels.begin(), labels.end()),
            (LabelMap{{"app", "web"}, {"team", "red"}}));
}

TEST(PodLabels, CopyThatIsChangedLeavesTheOtherAsItIs) {
  const PodLabels labels = {{"app", "web"}, {"team", "red"}};
  PodLabels copy = labels;
  EXPECT_EQ(copy, labels);
  copy["team"] = "blue";
  copy["size"] = "3";
  EXPECT_NE(copy, labels);
  EXPECT_EQ(labels, (PodLabels{{"app", "web"}, {"team", "red"}}));
  EXPECT_EQ(copy, (PodLabels{{"app", "web"}, {"size", "3"}, {"team", "blue"}}));
  copy.erase("size");
  copy.erase("zone");
  copy["team"] = "red";
  EXPECT_EQ(copy, labels);
  copy.clear();
  EXPECT_TRUE(copy.empty());
  EXPECT_EQ(copy, PodLabels());
}

}  // namespace
}  // namespace fluxnetes::cluster
