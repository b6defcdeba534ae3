#include "workers/pods/start_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/text/timestamp.h"
#include "workers/pods/group_labels.h"

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using StartMarks = std::map<std::string, std::string>;

cluster::Pod PodToStart(const StartMarks& labels,
                        const StartMarks& annotations = {}) {
  cluster::Pod pod;
  pod.namespace_name = "science";
  pod.name = "train-0";
  pod.labels = labels;
  pod.annotations = annotations;
  return pod;
}

std::string Shown(const std::optional<cluster::Time>& time) {
  return time ? cluster::FormatMicroTimestamp(*time) : "-";
}

// "after by hold", or the reason of the refusal.
std::string ReadStart(const StartMarks& labels,
                      const StartMarks& annotations = {}) {
  const auto read = ReadStartLabels(PodToStart(labels, annotations));
  if (!read.refused.empty()) {
    EXPECT_EQ(read.terms, StartTerms());
    return read.refused;
  }
  return Shown(read.terms.after) + " " + Shown(read.terms.by) +
         (read.terms.hold ? " hold" : "");
}

TEST(StartLabels, PodWithoutThemStartsAtAnyTime) {
  EXPECT_EQ(ReadStart({{"app", "train"}}), "- -");
}

TEST(StartLabels, LabelsAreInSecondsAnnotationsAlsoAsKubernetesWritesTimes) {
  EXPECT_EQ(ReadStart({{kStartAfterLabel, "1769860800"},
                       {kStartByLabel, "1769864400"}}),
            "2026-01-31T12:00:00.000000Z 2026-01-31T13:00:00.000000Z");
  EXPECT_EQ(ReadStart({}, {{kStartAfterLabel, "2026-01-31T13:00:00+01:00"},
                           {kStartByLabel, "2026-01-31T12:00:00.5Z"}}),
            "2026-01-31T12:00:00.000000Z 2026-01-31T12:00:00.500000Z");
  EXPECT_EQ(ReadStart({}, {{kStartByLabel, "1769864400"}}),
            "- 2026-01-31T13:00:00.000000Z");
  EXPECT_EQ(ReadStart({{kStartAfterLabel, "0"}}),
            "1970-01-01T00:00:00.000000Z -");
}

TEST(StartLabels, LabelAndAnnotationMustSayTheSame) {
  EXPECT_EQ(ReadStart({{kStartByLabel, "1769860800"}},
                      {{kStartByLabel, "2026-01-31T12:00:00Z"}}),
            "- 2026-01-31T12:00:00.000000Z");
  EXPECT_EQ(ReadStart({{kStartByLabel, "1769860801"}},
                      {{kStartByLabel, "2026-01-31T12:00:00Z"}}),
            "label and annotation fluxnetes.start-by are \"1769860801\" and "
            "\"2026-01-31T12:00:00Z\": they must say the same");
}

TEST(StartLabels, WhatIsNoTimeIsRefusedWithWhatWouldBeRight) {
  EXPECT_EQ(ReadStart({{kStartAfterLabel, "tomorrow"}}),
            "label fluxnetes.start-after is \"tomorrow\"; it must be a time in "
            "seconds since 1970 (`date -d TIME +%s`); an annotation of the "
            "same name may be written like 2026-01-31T12:00:00Z");
  for (const char* text :
       {"", " ", "-1", "+1", "1.5", "1e9", "253402300800",
        "99999999999999999999", "2026-01-31", "2026-01-31T12.00.00Z", "12 "})
    EXPECT_THAT(ReadStart({{kStartByLabel, text}}),
                StartsWith("label fluxnetes.start-by is "))
        << text;
  for (const char* text : {"", "noon", "2026-01-31", "2026-01-31T12:00:00",
                           "2026-02-30T12:00:00Z", "12:00"})
    EXPECT_THAT(ReadStart({}, {{kStartByLabel, text}}),
                HasSubstr("it must be a time like 2026-01-31T12:00:00Z"))
        << text;
  EXPECT_EQ(ReadStart({{kStartByLabel, "253402300799"}}),
            "- 9999-12-31T23:59:59.000000Z");
}

TEST(StartLabels, GroupThatCouldNeverStartIsRefused) {
  const std::string never =
      "fluxnetes.start-by is 2026-01-31T12:00:00Z, which is not after "
      "fluxnetes.start-after, 2026-01-31T12:00:00Z: the group could never "
      "start";
  EXPECT_EQ(ReadStart({{kStartAfterLabel, "1769860800"},
                       {kStartByLabel, "1769860800"}}),
            never);
  EXPECT_THAT(ReadStart({{kStartAfterLabel, "1769860801"},
                         {kStartByLabel, "1769860800"}}),
              HasSubstr("could never start"));
}

TEST(StartLabels, HoldIsTrueOrFalse) {
  EXPECT_EQ(ReadStart({{kHoldLabel, "true"}}), "- - hold");
  EXPECT_EQ(ReadStart({}, {{kHoldLabel, "true"}}), "- - hold");
  EXPECT_EQ(ReadStart({{kHoldLabel, "false"}}), "- -");
  EXPECT_EQ(ReadStart({{kHoldLabel, "yes"}}),
            "label fluxnetes.hold is \"yes\"; it must be \"true\" or "
            "\"false\"");
  EXPECT_THAT(ReadStart({{kHoldLabel, "true"}}, {{kHoldLabel, "false"}}),
              HasSubstr("must say the same"));
}

TEST(StartLabels, TheyAreOfTheGroupHoweverItIsNamed) {
  EXPECT_TRUE(ReadGroupLabels(PodToStart({{kHoldLabel, "true"}}),
                              cluster::ClusterCache())
                  .start.hold);
  const GroupLabels read = ReadGroupLabels(
      PodToStart({{kGroupNameLabel, "train"}, {kStartByLabel, "soon"}}),
      cluster::ClusterCache());
  EXPECT_EQ(read.group_name, "train");
  EXPECT_EQ(read.group_size, std::nullopt);
  EXPECT_THAT(read.refused, HasSubstr("fluxnetes.start-by is \"soon\""));
}

}  // namespace
}  // namespace fluxnetes::workers
