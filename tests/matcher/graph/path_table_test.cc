#include "matcher/graph/path_table.h"

#include <gtest/gtest.h>

#include <map>

namespace fluxnetes::matcher {
namespace {

TEST(PathTable, SamePathsAndNoOthersHaveTheSameNumber) {
  Names names;
  PathTable table(names);
  std::map<std::string, PathId> seen;
  for (int round = 0; round < 2; ++round) {
    for (const char* path : {"", "/", "//", "a", "/a", "a/", "/a/", "/a/b",
                             "/a/bc", "/ab/c", "//a", "/a//b", "/a/b/c"}) {
      const PathId id = table.Intern(path);
      EXPECT_EQ(table.Text(id), path);
      EXPECT_EQ(seen.emplace(path, id).first->second, id) << path;
    }
  }
  for (const auto& [path, id] : seen) {
    for (const auto& [other, other_id] : seen) {
      EXPECT_EQ(id == other_id, path == other);
    }
  }
}

TEST(PathTable, BelowIsByWholeNames) {
  Names names;
  PathTable table(names);
  const auto below = [&](const char* path, const char* above) {
    return table.IsBelow(table.Intern(path), table.Intern(above));
  };
  EXPECT_TRUE(below("/a/b", "/a"));
  EXPECT_TRUE(below("/a/b/c", "/a"));
  EXPECT_FALSE(below("/ab", "/a"));
  EXPECT_FALSE(below("/a", "/a"));
  EXPECT_FALSE(below("/a", "/a/b"));
  EXPECT_FALSE(below("/a", ""));
}

}  // namespace
}  // namespace fluxnetes::matcher
