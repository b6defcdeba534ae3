#include "matcher/jobspec/jobspec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fluxnetes::matcher {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kJobspec = R"(version: 9999
resources:
  - type: node
    count: {min: 2, max: 8, operator: "*", operand: 2}
    exclusive: true
    with:
      - type: slot
        count: 2
        label: task
        with:
          - {type: core, count: 4}
          - {type: gpu, count: {min: 1}}
attributes:
  system:
    duration: 60.5
    queue: batch
    constraints: {and: [{properties: ["ssd", "^slow"]}, {ranks: ["0-3"]}]}
tasks:
  - {command: [hostname], slot: task, count: {per_slot: 1}}
)";

std::string WhyNoJobspec(const std::string& text) {
  try {
    ParseJobspec(text);
  } catch (const JobspecError& error) {
    return error.what();
  }
  return "none";
}

// Returns the jobspec above with one line changed.
std::string With(const std::string& line, const std::string& by) {
  std::string text = kJobspec;
  const auto at = text.find(line);
  EXPECT_NE(at, std::string::npos) << line;
  return text.replace(at, line.size(), by);
}

TEST(Jobspec, IsReadAsWritten) {
  const Jobspec jobspec = ParseJobspec(kJobspec);
  ASSERT_EQ(jobspec.resources.size(), 4u);
  EXPECT_EQ(jobspec.top, 1);
  const JobResource& node = jobspec.resources[0];
  EXPECT_EQ(node.type, "node");
  EXPECT_EQ(node.count.op, '*');
  EXPECT_EQ(node.exclusive, true);
  EXPECT_EQ(node.first, 1);
  EXPECT_EQ(node.last, 2);
  EXPECT_EQ(jobspec.resources[1].label, "task");
  EXPECT_EQ(jobspec.resources[3].type, "gpu");
  EXPECT_EQ(jobspec.resources[3].parent, 1);
  EXPECT_EQ(jobspec.resources[3].count.max, Count::kNoMax);
  EXPECT_EQ(jobspec.duration, 60.5);
  EXPECT_EQ(jobspec.queue, "batch");
  EXPECT_FALSE(jobspec.constraint.empty());
}

TEST(Jobspec, JsonIsYaml) {
  const Jobspec jobspec = ParseJobspec(
      R"({"version": 1, "resources": [{"type": "core", "count": 1}],
          "tasks": [], "attributes": null})");
  EXPECT_EQ(jobspec.resources[0].type, "core");
  EXPECT_EQ(jobspec.duration, 0);
}

TEST(Jobspec, ErrorsNameLineAndPath) {
  EXPECT_THAT(
      WhyNoJobspec(With("count: 2\n", "count: many\n")),
      AllOf(HasSubstr("line 8"), HasSubstr("resources[0].with[0].count"),
            HasSubstr("\"many\"")));
  EXPECT_THAT(WhyNoJobspec(With("count: 4", "count: -4")),
              HasSubstr("resources[0].with[0].with[0].count"));
  EXPECT_THAT(WhyNoJobspec(With("count: 4", "count: 99999999999")),
              HasSubstr("a number from 0 to 4294967295 is right"));
  EXPECT_THAT(WhyNoJobspec(With("        label: task\n", "")),
              HasSubstr("\"label\""));
  EXPECT_THAT(WhyNoJobspec(With("exclusive: true", "exclusive: maybe")),
              HasSubstr("is not true or false"));
  EXPECT_THAT(WhyNoJobspec(With("min: 2,", "min: 9,")),
              HasSubstr("below its min"));
  EXPECT_THAT(WhyNoJobspec(With("operator: \"*\"", "operator: \"/\"")),
              HasSubstr("is not one of"));
  EXPECT_THAT(WhyNoJobspec(With("max: 8, ", "")), HasSubstr("has no \"max\""));
  EXPECT_THAT(WhyNoJobspec(With("queue: batch", "queue: [batch]")),
              HasSubstr("attributes.system.queue: is not a text"));
  EXPECT_THAT(WhyNoJobspec(With("exclusive", "exlusive")),
              HasSubstr("unknown key \"exlusive\""));
  EXPECT_THAT(WhyNoJobspec(With("version: 9999", "version: 10000")),
              HasSubstr("version"));
  EXPECT_THAT(WhyNoJobspec(With("{per_slot: 1}", "{per_slot: 1, total: 2}")),
              HasSubstr("tasks[0].count"));
  EXPECT_THAT(WhyNoJobspec(With("60.5", "soon")), HasSubstr("\"soon\""));
  EXPECT_THAT(WhyNoJobspec(With("\"ssd\"", "ssd")),
              HasSubstr("must be quoted"));
  EXPECT_THAT(WhyNoJobspec(With("\"0-3\"", "\"3-0\"")),
              HasSubstr("constraints.and[1].ranks[0]"));
  EXPECT_THAT(WhyNoJobspec(With("{ranks", "{rank")),
              HasSubstr("unknown operator"));
}

TEST(Jobspec, WhatIsNoJobspecIsRefused) {
  EXPECT_THAT(WhyNoJobspec(""), HasSubstr("is not a map"));
  EXPECT_THAT(WhyNoJobspec("[1, 2]"), HasSubstr("is not a map"));
  EXPECT_THAT(WhyNoJobspec("a: b: c"), HasSubstr("line 1"));
  EXPECT_THAT(WhyNoJobspec("{version: 1}"), HasSubstr("\"resources\""));
  EXPECT_THAT(WhyNoJobspec("{version: 1, version: 1, resources: []}"),
              HasSubstr("twice"));
  EXPECT_THAT(
      WhyNoJobspec("{version: 1, resources: [], tasks: [], attributes: null}"),
      HasSubstr("is empty"));
}

TEST(Jobspec, SizeAndDepthAreBounded) {
  EXPECT_THAT(WhyNoJobspec(std::string(kMaxJobspecBytes + 1, ' ')),
              HasSubstr("bytes"));
  EXPECT_NE(WhyNoJobspec(std::string(10'000, '[')), "none");
  std::string deep;
  std::string end;
  for (int i = 0; i < 100; ++i) {
    deep += "{type: node, count: 1, with: [";
    end += "]}";
  }
  deep += "{type: core, count: 1}";
  EXPECT_THAT(
      WhyNoJobspec("{version: 1, tasks: [], attributes: null, resources: [" +
                   deep + end + "]}"),
      HasSubstr("nested too deeply"));
  std::string bomb =
      "version: 1\ntasks: []\nattributes:\n  user:\n"
      "    a0: &a0 [{type: core, count: 1}]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string name = "a" + std::to_string(i);
    const std::string before = "*a" + std::to_string(i - 1);
    bomb.append("    ").append(name).append(": &").append(name);
    bomb.append(" [{type: node, count: 1, with: ").append(before);
    bomb.append("}, {type: rack, count: 1, with: ").append(before);
    bomb.append("}]\n");
  }
  bomb += "resources: *a29\n";
  EXPECT_THAT(WhyNoJobspec(bomb), HasSubstr("more than 10000 resources"));
  EXPECT_THAT(WhyNoJobspec("version: 1\ntasks:\n"
                           "  - {command: [a], slot: x, count: {total: 1}}\n"
                           "attributes: null\nresources: &r\n"
                           "  - {type: node, count: 1, with: *r}\n"),
              HasSubstr("nested too deeply"));
}

TEST(Count, TakesAsManyAsTheOperatorAllows) {
  const Count plus{2, 10, '+', 3};
  EXPECT_EQ(plus.Take(1), 0u);
  EXPECT_EQ(plus.Take(4), 2u);
  EXPECT_EQ(plus.Take(9), 8u);
  EXPECT_EQ(plus.Most(), 8u);
  const Count times{3, 100, '*', 2};
  EXPECT_EQ(times.Take(5), 3u);
  EXPECT_EQ(times.Take(50), 48u);
  EXPECT_EQ(times.Most(), 96u);
  const Count power{2, 1'000, '^', 2};
  EXPECT_EQ(power.Take(15), 4u);
  EXPECT_EQ(power.Take(16), 16u);
  EXPECT_EQ(power.Most(), 256u);
  EXPECT_EQ((Count{0, 0, '+', 1}.Take(5)), 0u);
  EXPECT_EQ((Count{5, 4, '+', 1}.Take(5)), 0u);
  EXPECT_EQ((Count{2, Count::kNoMax, '*', Count::kNoMax}.Most()), 2u);
  EXPECT_EQ((Count{2, Count::kNoMax, '^', Count::kNoMax}.Most()), 2u);
}

}  // namespace
}  // namespace fluxnetes::matcher
