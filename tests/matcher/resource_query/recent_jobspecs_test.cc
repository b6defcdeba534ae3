#include "matcher/resource_query/recent_jobspecs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace fluxnetes::matcher {
namespace {

std::string Cores(std::size_t count) {
  return fmt::format(
      "{{version: 1, tasks: [], attributes: {{}}, resources: [{{type: core, "
      "count: {}}}]}}",
      count);
}

TEST(RecentJobspecs, TextThatComesAgainIsNotReadAgain) {
  RecentJobspecs jobspecs;
  const Jobspec* one = &jobspecs.Read(Cores(1));
  const Jobspec* two = &jobspecs.Read(Cores(2));
  EXPECT_EQ(one->resources[0].count.min, 1U);
  EXPECT_EQ(two->resources[0].count.min, 2U);
  EXPECT_EQ(&jobspecs.Read(Cores(1)), one);
  EXPECT_EQ(&jobspecs.Read(Cores(2)), two);
  EXPECT_EQ(jobspecs.size(), 2U);
}

TEST(RecentJobspecs, NeitherTooManyNorLongTextsAreKept) {
  RecentJobspecs jobspecs;
  for (std::size_t i = 1; i <= 2 * RecentJobspecs::kMost + 1; ++i) {
    EXPECT_EQ(jobspecs.Read(Cores(i)).resources[0].count.min, i);
    EXPECT_LE(jobspecs.size(), RecentJobspecs::kMost);
  }
  EXPECT_EQ(jobspecs.size(), 1U);
  const std::string blanks(RecentJobspecs::kLongest, ' ');
  for (const std::size_t count : {7, 8, 7}) {
    EXPECT_EQ(jobspecs.Read(Cores(count) + blanks).resources[0].count.min,
              count);
  }
  EXPECT_EQ(jobspecs.size(), 1U);
}

TEST(RecentJobspecs, MalformedTextIsRefusedEachTime) {
  RecentJobspecs jobspecs;
  EXPECT_THROW(jobspecs.Read("{version: 1}"), JobspecError);
  EXPECT_THROW(jobspecs.Read("{version: 1}"), JobspecError);
  EXPECT_EQ(jobspecs.size(), 0U);
}

}  // namespace
}  // namespace fluxnetes::matcher
