#include "cluster/json/common_parts.h"

#include <gtest/gtest.h>

#include <string>

namespace fluxnetes::cluster {
namespace {

Pod LabelledPod(const PodLabels& labels, const std::string& tolerated = "gpu") {
  Pod pod;
  pod.labels = labels;
  pod.request.tolerations = {{tolerated, true, "", "NoSchedule"}};
  return pod;
}

const std::string* Where(const Pod& pod, const char* key) {
  return &pod.labels.find(key)->second;
}

TEST(CommonParts, EqualLabelsAreOneAndOthersStayWhatTheyAre) {
  CommonParts common;
  Pod a = LabelledPod({{"app", "web"}, {"index", "1"}});
  Pod b = LabelledPod({{"app", "web"}, {"index", "2"}});
  EXPECT_NE(Where(a, "app"), Where(b, "app"));
  common.Share(a);
  common.Share(b);
  EXPECT_EQ(Where(a, "app"), Where(b, "app"));
  EXPECT_EQ(a.labels.at("index"), "1");
  EXPECT_EQ(b.labels.at("index"), "2");
}

TEST(CommonParts, EqualTolerationsAreOneAndOthersStayWhatTheyAre) {
  CommonParts common;
  Pod a = LabelledPod({});
  Pod b = LabelledPod({});
  Pod other = LabelledPod({}, "tpu");
  for (Pod* pod : {&a, &b, &other}) common.Share(*pod);
  EXPECT_EQ(&a.request.tolerations.Get(), &b.request.tolerations.Get());
  EXPECT_EQ(other.request.tolerations[0].key, "tpu");
}

TEST(CommonParts, WhatIsChangedIsNotThatOfOthers) {
  CommonParts common;
  Pod a = LabelledPod({{"app", "web"}});
  Pod b = LabelledPod({{"app", "web"}});
  common.Share(a);
  common.Share(b);
  b.labels["app"] = "db";
  b.request.tolerations = {{"tpu", true, "", "NoSchedule"}};
  EXPECT_EQ(a.labels.at("app"), "web");
  EXPECT_EQ(a.request.tolerations[0].key, "gpu");
  Pod c = LabelledPod({{"app", "web"}});
  common.Share(c);
  EXPECT_EQ(c.labels.at("app"), "web");
  EXPECT_EQ(c.request.tolerations[0].key, "gpu");
}

TEST(CommonParts, NothingIsKeptAlive) {
  CommonParts common;
  for (int i = 0; i < 10'000; ++i) {
    Pod pod = LabelledPod({{"index", std::to_string(i)}}, std::to_string(i));
    common.Share(pod);
  }
  EXPECT_LT(common.size(), 6'000U);
  Pod pod = LabelledPod({{"index", "1"}}, "1");
  common.Share(pod);
  EXPECT_EQ(pod.labels.at("index"), "1");
  EXPECT_EQ(pod.request.tolerations[0].key, "1");
}

}  // namespace
}  // namespace fluxnetes::cluster
