#include "workers/pods/known_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/pods/group_labels.h"

namespace fluxnetes::workers {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string WhyLabel(const std::string& key) {
  cluster::Pod pod;
  pod.labels = cluster::LabelMap{{key, "3"}};
  return WhyUnknownLabel(pod);
}

std::string WhyAnnotation(const std::string& key) {
  cluster::Pod pod;
  pod.annotations = {{key, "3"}};
  return WhyUnknownLabel(pod);
}

TEST(KnownLabels, AreTheOnesOfTheManual) {
  for (const char* key :
       {"group-name", "group-size", "group-min-size", "group-max-size",
        "group-by", "queue", "topology-required", "topology-preferred",
        "start-after", "start-by", "account", "hold"})
    EXPECT_EQ(WhyLabel("fluxnetes." + std::string(key)), "") << key;
  for (const char* key : {"topology-required", "topology-preferred",
                          "start-after", "start-by", "account", "hold"})
    EXPECT_EQ(WhyAnnotation("fluxnetes." + std::string(key)), "") << key;
}

TEST(KnownLabels, SlipOfThePenIsToldWhatThereIs) {
  for (const char* key :
       {"fluxnetes.group_size", "fluxnetes.groupsize", "fluxnetes.Queue",
        "fluxnetes.", "fluxnetes.priority"}) {
    EXPECT_THAT(WhyLabel(key),
                AllOf(HasSubstr("label " + std::string(key) + " is \"3\""),
                      HasSubstr("must be one of fluxnetes.group-name, "
                                "fluxnetes.group-size")));
    EXPECT_THAT(WhyAnnotation(key),
                HasSubstr("annotation " + std::string(key) + " is \"3\""));
  }
}

TEST(KnownLabels, AnnotationWhereOnlyALabelCountsIsToldSo) {
  for (const char* key : {kGroupNameLabel, kGroupSizeLabel, kGroupMinSizeLabel,
                          kGroupMaxSizeLabel, kGroupByLabel, kQueueLabel})
    EXPECT_EQ(
        WhyAnnotation(key),
        "annotation " + std::string(key) +
            " is \"3\": an annotation of this name has no effect; it must be a "
            "label of the pod");
}

TEST(KnownLabels, ThoseOfOthersAndOfOurDomainAreNotLookedAt) {
  for (const char* key : {"app", "fluxnetes", "fluxnetes.io/run-seconds",
                          "fluxnetes.io/database-client", "my.fluxnetes.size"})
    EXPECT_EQ(WhyLabel(key) + WhyAnnotation(key), "") << key;
}

TEST(KnownLabels, PodThatSaysOtherThingsIsRefused) {
  cluster::Pod pod;
  pod.namespace_name = "science";
  pod.name = "train-0";
  pod.labels =
      cluster::LabelMap{{kGroupNameLabel, "train"}, {"fluxnetes.size", "3"}};
  const GroupLabels read = ReadGroupLabels(pod, cluster::ClusterCache());
  EXPECT_THAT(read.refused, HasSubstr("label fluxnetes.size is \"3\""));
  EXPECT_EQ(read.group_name, "train");
  EXPECT_FALSE(read.group_size);
  const cluster::JobAnnotations job;
  EXPECT_THAT(WhyLabelsAreRefused(pod, &job), HasSubstr("fluxnetes.size"));
}

}  // namespace
}  // namespace fluxnetes::workers
