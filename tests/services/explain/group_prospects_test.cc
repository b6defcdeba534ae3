// The changes that would help a waiting group; each answer is a simulation.
#include "services/explain/group_prospects.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;
using workers::Scenario;

constexpr std::chrono::seconds kMost{60};  // never reached

// Two nodes of 4 cpu. The group "runs" has 3 cpu of each for another 1,000 s;
// "first", which needs both nodes empty, is ahead of the group "asked".
class GroupProspects : public ::testing::Test {
 protected:
  GroupProspects() {
    scenario_.begin = 10'000;
    scenario_.queues = {{}};
    scenario_.users = {"default"};
    for (const char* name : {"n0", "n1"}) {
      cluster::Node& node = scenario_.nodes.emplace_back();
      node.name = name;
      node.allocatable = {
          .cpu_milli = 4'000, .memory_bytes = 1 << 20, .pods = 110};
    }
    AddGroup("default/runs", 9'000, 1'100, Shape(3'000, 2));
    AddGroup("default/first", 9'500, 500, Shape(4'000, 2));
    AddGroup("default/asked", 9'900, {}, Shape(1'000, 1));
    scenario_.running = {{.group = 0, .start = 9'900, .nodes = {"n0", "n1"}}};
  }

  void AddGroup(const std::string& name, std::int64_t submit,
                std::optional<std::int64_t> duration, int shape) {
    Scenario::Group& group = scenario_.groups.emplace_back();
    group.name = name;
    group.submit = submit;
    group.duration = group.runs = duration;
    group.shape = shape;
  }

  int Shape(std::int64_t cpu_milli, int pods) {
    scenario_.requests.emplace_back().request.resources = {
        .cpu_milli = cpu_milli, .pods = 1};
    scenario_.shapes.push_back(
        {{.request = static_cast<int>(scenario_.requests.size()) - 1,
          .count = pods}});
    return static_cast<int>(scenario_.shapes.size()) - 1;
  }

  Scenario::Group& asked() { return scenario_.groups[2]; }

  Prospects Find(std::optional<std::int64_t> told) const {
    return FindProspects(scenario_, 2, {.at = told}, kMost);
  }

  // Returns "kind+seconds from now ..."
  std::string Better(std::optional<std::int64_t> told) const {
    const Prospects found = Find(told);
    std::string text = found.unknown;
    for (const Prospect& better : found.better)
      text += fmt::format("{}{}+{}", text.empty() ? "" : " ", better.kind,
                          better.start - scenario_.begin);
    return text;
  }

  Scenario scenario_;
};

TEST_F(GroupProspects, ShorterDurationLetsItStartBeforeThoseInFront) {
  EXPECT_EQ(Better(11'500), "duration+0");
  EXPECT_THAT(Find(11'500).better[0].change,
              HasSubstr("10m (activeDeadlineSeconds: 600)"));
  asked().duration = asked().runs = 600;
  EXPECT_EQ(Better(10'000),
            "by the records it should start at once: look again");
}

TEST_F(GroupProspects, AnotherQueueThatIsFreeHelpsAndAPausedOneDoesNot) {
  scenario_.nodes.push_back(scenario_.nodes.back());
  scenario_.nodes.back().name = "n2";
  scenario_.nodes.back().labels = {{"pool", "other"}};
  for (auto& node : scenario_.nodes) node.labels.try_emplace("pool", "batch");
  scenario_.queues[0].node_selector = {{"pool", "batch"}};
  scenario_.queues.push_back(scenario_.queues[0]);
  scenario_.queues[1].name = "other";
  scenario_.queues[1].node_selector = {{"pool", "other"}};
  EXPECT_EQ(Better(11'500), "queue+0 duration+0");
  scenario_.queues[1].paused = true;
  EXPECT_EQ(Better(11'500), "duration+0");
}

TEST_F(GroupProspects, NothingIsSaidOfClaimsWithoutTheDevicesOfTheNodes) {
  const int request = scenario_.shapes[asked().shape][0].request;
  scenario_.requests[request].request.rules.Own().resource_claims = {
      {.name = "gpus",
       .spec = R"({"devices":{"requests":[{"exactly":)"
               R"({"deviceClassName":"gpu"},"name":"one"}]}})"}};
  const std::string unknown =
      "its pods claim devices, and the records do not say which devices nodes "
      "have";
  EXPECT_EQ(Better(11'500), unknown);
  EXPECT_EQ(Better(std::nullopt), unknown);
  scenario_.devices.classes = {{.name = "gpu", .selectors = {"true"}}};
  scenario_.devices.slices = {{.name = "of-n0",
                               .driver = "gpu.example.com",
                               .pool = "n0",
                               .generation = 1,
                               .nodes = {.node = "n0"},
                               .devices = {{.name = "gpu-0"}}}};
  EXPECT_EQ(Better(11'500), "duration+0");
}

TEST_F(GroupProspects, MoreQuotaHelpsWhereItIsAllThatIsMissing) {
  asked().duration = asked().runs = 600;
  scenario_.users = {"default", "other"};
  scenario_.groups[1].user = 1;
  scenario_.accounts = {
      {.name = "team", .namespace_name = "default", .quota = {{"cpu", 6'000}}},
      {.name = "more", .namespace_name = "other", .quota = {{"cpu", 8'000}}}};
  EXPECT_EQ(Better(11'500), "quota+0");
  EXPECT_EQ(Find(11'500).better[0].change, "without the quota of account team");
}

TEST_F(GroupProspects, LargerPoolHelpsByTheLeastThatIsAsGood) {
  const auto ask = [&](const Scenario::Group& group, std::int64_t amount) {
    const int request = scenario_.shapes[group.shape][0].request;
    scenario_.requests[request].request.rules.Own().topology.pools = {
        {"matlab", amount}};
  };
  asked().duration = asked().runs = 600;
  ask(asked(), 3);
  // Without the pool it can never start.
  EXPECT_EQ(Better(std::nullopt), "pool+0");
  EXPECT_EQ(Find(std::nullopt).better[0].change,
            "if pool matlab had 3 more (`fluxnetes pool set matlab --total "
            "3`)");
  ask(scenario_.groups[0], 4);
  scenario_.pools = {{"disk", 1}, {"matlab", 5}};
  EXPECT_EQ(Better(11'500), "pool+0");
  EXPECT_EQ(Find(11'500).better[0].change,
            "if pool matlab had 2 more (`fluxnetes pool set matlab --total "
            "7`)");
}

TEST_F(GroupProspects, AsManyPodsAsHaveRoomNowAreTold) {
  asked().duration = asked().runs = 600;
  asked().shape = Shape(1'000, 5);
  // Pods of 250m would help too: each node has room for four.
  EXPECT_EQ(Better(11'500), "size+0 request+0");
  EXPECT_EQ(Find(11'500).better[0].change, "with 2 of its 5 pods");
}

TEST_F(GroupProspects, SmallerPodsHelpWhereTheyWouldHaveRoom) {
  asked().duration = asked().runs = 600;
  asked().shape = Shape(2'000, 2);
  EXPECT_EQ(Better(11'500), "request+0");
  EXPECT_EQ(Find(11'500).better[0].change,
            "with pods of (1 cpu), half of what they ask for");
}

TEST_F(GroupProspects, WhatCanNeverFitIsToldThePartThatDoes) {
  asked().shape = Shape(16'000, 1);
  EXPECT_EQ(Better(std::nullopt), "request+1500");
  EXPECT_THAT(Find(std::nullopt).better[0].change, HasSubstr("(4 cpu)"));
}

TEST_F(GroupProspects, PausedQueueHelpsIfItIsResumed) {
  scenario_.queues[0].paused = true;
  EXPECT_THAT(Better(std::nullopt), HasSubstr("resume+1500"));
}

TEST_F(GroupProspects, NothingIsSaidWhereTheRunDiffersFromWhatWasTold) {
  EXPECT_EQ(Better(13'000),
            "the records do not tell all that keeps it waiting");
  EXPECT_EQ(Better(10'500),
            "the records do not tell all that keeps it waiting");
  EXPECT_THAT(Better(std::nullopt), HasSubstr("has not said when it starts"));
  const Prospects about =
      FindProspects(scenario_, 2, {.at = 11'500, .approximate = true}, kMost);
  EXPECT_THAT(about.unknown, HasSubstr("approximately"));
}

TEST_F(GroupProspects, TimeThatIsOverIsSaid) {
  const Prospects found =
      FindProspects(scenario_, 2, {.at = 11'500}, std::chrono::milliseconds(0));
  EXPECT_THAT(found.unknown, HasSubstr("takes too long"));
  EXPECT_TRUE(found.better.empty());
}

}  // namespace
}  // namespace fluxnetes::services
