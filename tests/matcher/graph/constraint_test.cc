#include "matcher/graph/constraint.h"

#include <gtest/gtest.h>

namespace fluxnetes::matcher {
namespace {

bool HasId(const char* text, std::int64_t id) {
  const auto set = IdSet::Parse(text);
  return set && set->Contains(id);
}

bool HasHost(const char* text, const char* host) {
  const auto list = HostList::Parse(text);
  return list && list->Contains(host);
}

TEST(IdSet, HoldsNumbersAndRanges) {
  EXPECT_TRUE(HasId("0-3,7", 2));
  EXPECT_TRUE(HasId("0-3,7", 7));
  EXPECT_TRUE(HasId("[5-6]", 6));
  EXPECT_FALSE(HasId("0-3,7", 5));
  for (const char* text : {"", "a", "3-1", "1,", ",1", "-1", "1-", "[1"}) {
    EXPECT_FALSE(IdSet::Parse(text)) << text;
  }
}

TEST(HostList, HoldsNamesAndNumberedRanges) {
  EXPECT_TRUE(HasHost("login1,node[0-3,7]", "login1"));
  EXPECT_TRUE(HasHost("login1,node[0-3,7]", "node7"));
  EXPECT_FALSE(HasHost("login1,node[0-3,7]", "node4"));
  EXPECT_TRUE(HasHost("n[08-12]-ib", "n09-ib"));
  EXPECT_TRUE(HasHost("n[08-12]-ib", "n12-ib"));
  EXPECT_FALSE(HasHost("n[08-12]-ib", "n9-ib"));
  EXPECT_FALSE(HasHost("n[8-12]", "n09"));
  EXPECT_FALSE(HasHost("n[8-12]", "n"));
  for (const char* text :
       {"", "a,", "a[", "a]", "a[1", "a[2-1]", "a[x]", "a[1][2]"}) {
    EXPECT_FALSE(HostList::Parse(text)) << text;
  }
}

}  // namespace
}  // namespace fluxnetes::matcher
