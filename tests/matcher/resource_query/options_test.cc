#include "matcher/resource_query/options.h"

#include <gtest/gtest.h>

#include <vector>

namespace fluxnetes::matcher {
namespace {

std::variant<QueryOptions, QueryEnd> ParsedOptions(
    std::vector<std::string> words) {
  words.insert(words.begin(), "resource-query");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return ParseQueryOptions(static_cast<int>(words.size()), argv.data());
}

TEST(QueryOptions, EqualCandidatesAreSortedIfAskedFor) {
  const auto sorts = [](const std::vector<std::string>& words) {
    return std::get<QueryOptions>(ParsedOptions(words)).sort_equals;
  };
  EXPECT_FALSE(sorts({}));
  EXPECT_TRUE(sorts({"--equals=sort", "-P", "low"}));
  EXPECT_FALSE(sorts({"--equals=sort", "--equals", "found"}));
}

TEST(QueryOptions, UnknownOrderIsRefused) {
  const auto end = std::get<QueryEnd>(ParsedOptions({"--equals=any"}));
  EXPECT_EQ(end.code, 1);
  EXPECT_EQ(end.text.substr(0, end.text.find('\n')),
            "[ERROR] unknown order for --equals: any");
}

}  // namespace
}  // namespace fluxnetes::matcher
