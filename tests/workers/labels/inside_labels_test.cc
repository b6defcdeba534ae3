#include "workers/labels/inside_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/json/request_json.h"
#include "workers/pods/group_labels.h"

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;
using Labels = std::map<std::string, std::string>;

cluster::Pod PodThatAsks(const Labels& labels, std::int64_t cpu_milli = 4'000) {
  cluster::Pod pod;
  pod.namespace_name = "science";
  pod.name = "train-0";
  pod.labels = labels;
  pod.request.resources = {cpu_milli, std::int64_t{3} << 30, 0, 1};
  pod.request.resources.SetExtended("nvidia.com/gpu", 2);
  pod.request.resources.SetExtended("example.com/nic", 1);
  pod.request.resources.SetExtended("rdma/hca_shared", 10);
  return pod;
}

// The terms in words, or the reason of the refusal.
std::string Read(const Labels& labels, std::int64_t cpu_milli = 4'000) {
  const auto read = ReadInsideLabels(PodThatAsks(labels, cpu_milli));
  return read.refused.empty() ? InsideInWords(read.terms) : read.refused;
}

cluster::PodRequest RequestWithInside(const cluster::Pod& pod) {
  return RequestOf(pod, ReadGroupLabels(pod, cluster::ClusterCache()));
}

// "numa(core=4 ...)": the first choice.
std::string Asked(const Labels& labels) {
  const cluster::Pod pod = PodThatAsks(labels);
  const matcher::InsideRequest request = InsideOf(RequestWithInside(pod));
  std::string text;
  for (const auto& resource : request.choices.front().jobspec.resources)
    text += (text.empty() ? "" : " ") + resource.type + "=" +
            std::to_string(resource.count.min);
  return text + (request.required ? "" : ", or else");
}

TEST(InsideLabels, SayWhatAPodTakesInsideOfItsNode) {
  EXPECT_EQ(Read({}), "");
  EXPECT_EQ(Read({{kAlignLabel, "numa"}}), "in one NUMA domain");
  EXPECT_EQ(Read({{kAlignPreferredLabel, "island"}}),
            "in one island, if possible");
  EXPECT_EQ(Read({{kCpusLabel, "exclusive"}}), "whole cores");
  EXPECT_EQ(Read({{kAlignLabel, "socket"}, {kCpusLabel, "exclusive-sockets"}}),
            "in one socket, whole sockets");
}

TEST(InsideLabels, IslandOfClaimedDevicesIsNotKnown) {
  cluster::Pod pod = PodThatAsks({{kAlignLabel, "island"}});
  cluster::RequestedClaim claim;
  claim.name = "gpus";
  pod.request.rules.Own().resource_claims = {claim};
  EXPECT_THAT(ReadInsideLabels(pod).refused,
              HasSubstr("drivers do not say in which island a device is"));
  pod.labels = {{kAlignLabel, "socket"}};
  EXPECT_EQ(ReadInsideLabels(pod).refused, "");
}

TEST(InsideLabels, BecomeARequestToTheMatcher) {
  EXPECT_EQ(Asked({{kAlignLabel, "numa"}}),
            "numa=1 slot=1 core=4 memory=3072 gpu=2 nic=1");
  EXPECT_EQ(Asked({{kAlignPreferredLabel, "island"}}),
            "island=1 slot=1 core=4 memory=3072 gpu=2 nic=1, or else");
  // Its devices may be anywhere.
  EXPECT_EQ(Asked({{kCpusLabel, "exclusive"}}), "slot=1 core=4");
  EXPECT_EQ(Asked({{kCpusLabel, "exclusive-sockets"}}),
            "socket=1 slot=1 core=4 memory=3072 gpu=2 nic=1");
}

TEST(InsideLabels, JobspecBelowTheNodeIsReadAsItIsStored) {
  cluster::PodRequest request;
  request.rules.Own().inside.jobspec =
      R"([{"type": "socket", "count": 2, "with": [{"type": "slot", "count": 1,
          "label": "task", "with": [{"type": "core", "count": 8}]}]}])";
  const matcher::InsideRequest inside = InsideOf(request);
  ASSERT_EQ(inside.choices.size(), 1U);
  EXPECT_EQ(inside.choices.front().jobspec.resources.size(), 3U);
  EXPECT_TRUE(inside.required);
}

TEST(InsideLabels, RefusalsSayWhatWouldBeRight) {
  EXPECT_EQ(Read({{kAlignLabel, "rack"}}),
            "label fluxnetes.align is \"rack\": nodes have no such domain; it "
            "must be numa, socket or island");
  EXPECT_THAT(Read({{kAlignLabel, "numa"}, {kAlignPreferredLabel, "socket"}}),
              HasSubstr("the pod has the label fluxnetes.align too"));
  EXPECT_THAT(Read({{kCpusLabel, "mine"}}),
              HasSubstr("it must be exclusive or exclusive-sockets"));
  EXPECT_THAT(Read({{kAlignLabel, "numa"}, {kCpusLabel, "exclusive-sockets"}}),
              HasSubstr("whole sockets are not inside of one numa"));
  EXPECT_EQ(Read({{kAlignLabel, "numa"}}, 1'500),
            "label fluxnetes.align is \"numa\": the pod has whole cores, but "
            "requests 1500m of cpu; it must be on a pod whose cpu is a whole "
            "number");
  EXPECT_THAT(Read({{kCpusLabel, "exclusive"}}, 0),
              HasSubstr("the pod requests no cpu"));
  cluster::Pod nothing;
  nothing.labels = Labels{{kAlignLabel, "numa"}};
  EXPECT_THAT(ReadInsideLabels(nothing).refused,
              HasSubstr("it must be on a pod that requests cpus, memory"));
}

TEST(InsideLabels, AreAmongTheKnownLabelsAndPartOfTheStoredRequest) {
  const cluster::Pod pod = PodThatAsks({{kAlignLabel, "numa"}});
  EXPECT_EQ(WhyLabelsAreRefused(pod, nullptr), "");
  const auto stored =
      cluster::PodRequestFromJson(cluster::ToJson(RequestWithInside(pod)));
  EXPECT_EQ(stored.rules->inside.align, "numa");
  EXPECT_THAT(WhyLabelsAreRefused(
                  PodThatAsks({{"fluxnetes.alignment", "numa"}}), nullptr),
              HasSubstr("fluxnetes.align"));
}

}  // namespace
}  // namespace fluxnetes::workers
