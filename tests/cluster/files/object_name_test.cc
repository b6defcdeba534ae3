#include "cluster/files/object_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "cluster/files/field_check.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string WhyName(const Json& metadata) {
  return WhatIsWrongWithName({{"metadata", metadata}}).value_or("right");
}

std::string WhyJob(const Json& metadata, const Json& spec = Json::object()) {
  return WhatIsWrongWithJobName({{"metadata", metadata}, {"spec", spec}})
      .value_or("right");
}

TEST(ObjectName, IsGivenOrGenerated) {
  EXPECT_EQ(WhyName({{"name", "a.b-c"}}), "right");
  EXPECT_EQ(WhyName({{"generateName", "a-"}}), "right");
  EXPECT_EQ(WhyName({{"generateName", "-"}}),
            "metadata.generateName is \"-\"; it must be at most 253 of a-z, "
            "0-9 and, between, - and .");
  EXPECT_THAT(WhyName({{"generateName", "A-"}}),
              StartsWith("metadata.generateName is \"A-\""));
  EXPECT_THAT(WhyName({{"generateName", 3}}),
              StartsWith("metadata.generateName is 3"));
  EXPECT_THAT(WhyName({{"name", "ok"}, {"generateName", "a_"}}),
              StartsWith("metadata.generateName is"));
  EXPECT_EQ(WhyName(Json::object()),
            "metadata.name is missing; give it or metadata.generateName");
  EXPECT_EQ(WhyName(nullptr), "metadata is missing");
}

TEST(ObjectName, OfAJobIsALabelToo) {
  EXPECT_EQ(WhyJob({{"name", std::string(63, 'a')}}), "right");
  EXPECT_THAT(WhyJob({{"name", std::string(64, 'a')}}),
              AllOf(StartsWith("metadata.name is "),
                    HasSubstr("it must be at most 63 characters")));
  EXPECT_EQ(
      WhyJob({{"name", std::string(64, 'a')}}, {{"manualSelector", true}}),
      "right");
  EXPECT_EQ(WhyJob({{"generateName", std::string(200, 'a')}}), "right");
}

TEST(ObjectName, OfAnIndexedJobIsAHostNameWithItsIndex) {
  const auto indexed = [](const std::string& name, int completions) {
    return WhyJob({{"name", name}}, {{"completionMode", "Indexed"},
                                     {"completions", completions}});
  };
  EXPECT_EQ(indexed(std::string(61, 'a'), 10), "right");
  EXPECT_THAT(indexed(std::string(61, 'a'), 11), HasSubstr("shorter"));
  EXPECT_THAT(indexed("a.b", 1), HasSubstr("the host name \"a.b-0\""));
  EXPECT_EQ(indexed("a.b", 0), "right");
  EXPECT_THAT(WhyJob({{"generateName", std::string(58, 'a')}},
                     {{"completionMode", "Indexed"}, {"completions", 1}}),
              StartsWith("metadata.generateName is"));
}

TEST(ObjectName, GeneratedNamesDifferAndAreShort) {
  std::set<std::string> names;
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    names.insert(GeneratedName(std::string(60, 'a'), i));
  }
  EXPECT_EQ(names.size(), 1'000U);
  for (const std::string& name : names) {
    EXPECT_EQ(name.size(), 63U);
    EXPECT_TRUE(IsLabelName(name)) << name;
  }
}

}  // namespace
}  // namespace fluxnetes::cluster
