#include "workers/graph/selected_labels.h"

#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

using cluster::LabelMap;
using cluster::PodSelector;

cluster::PodRequest Apart(const PodSelector& selector) {
  cluster::PodRequest request;
  request.rules.Own().anti_affinity = {{selector, "zone"}};
  return request;
}

TEST(SelectedLabels, AreNoneWhereNothingIsSelected) {
  SelectedLabels selected;
  EXPECT_FALSE(selected.Add(cluster::PodRequest{}));
  EXPECT_FALSE(selected.Any());
  EXPECT_EQ(selected.Of({{"app", "web"}}), LabelMap{});
}

TEST(SelectedLabels, AreThoseThatAreNamedAndTheValuesToo) {
  SelectedLabels selected;
  EXPECT_TRUE(selected.Add(Apart({{"app", "In", {"web"}}})));
  EXPECT_EQ(selected.Of({{"app", "web"}, {"name", "x"}}),
            (LabelMap{{"app", "web"}}));
  EXPECT_EQ(selected.Of({{"app", "a"}}), selected.Of({{"app", "b"}}));
  EXPECT_NE(selected.Of({{"app", "a"}}), selected.Of({}));
}

TEST(SelectedLabels, TellOnceThatThereIsNews) {
  SelectedLabels selected;
  EXPECT_TRUE(selected.Add(Apart({{"app", "In", {"web"}}})));
  EXPECT_FALSE(selected.Add(Apart({{"app", "Exists", {}}})));
  EXPECT_TRUE(selected.Add(Apart({{"app", "In", {"db"}}})));
  EXPECT_FALSE(selected.EveryPod());
}

TEST(SelectedLabels, SelectorOfWhatIsNotThereTakesPodsWithoutLabels) {
  SelectedLabels selected;
  EXPECT_TRUE(selected.Add(Apart({{"app", "NotIn", {"web"}}})));
  EXPECT_TRUE(selected.EveryPod());
  SelectedLabels empty;
  EXPECT_TRUE(empty.Add(Apart({})));
  EXPECT_TRUE(empty.EveryPod());
  EXPECT_TRUE(empty.Any());
}

}  // namespace
}  // namespace fluxnetes::workers
