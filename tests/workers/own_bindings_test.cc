#include "workers/own_bindings.h"

#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

using Standing = OwnBindings::Standing;

TEST(OwnBindings, PodOfOthersIsUnknown) {
  OwnBindings own;
  EXPECT_EQ(own.Take("a", "node0"), Standing::kUnknown);
}

TEST(OwnBindings, BindingIsUnderWayUntilItIsRecordedAndThenSaidOnce) {
  OwnBindings own;
  own.Begin({"a"});
  EXPECT_EQ(own.Take("a", "node0"), Standing::kUnderWay);
  own.End({"a"}, {"a"}, {"node0"});
  EXPECT_EQ(own.Take("a", "node0"), Standing::kRecorded);
  EXPECT_EQ(own.Take("a", "node0"), Standing::kUnknown);
}

TEST(OwnBindings, WhatWasNotRecordedIsForgotten) {
  OwnBindings own;
  own.Begin({"a", "b"});
  own.End({"a", "b"}, {"b"}, {"node0"});
  EXPECT_EQ(own.Take("a", "node0"), Standing::kUnknown);
  EXPECT_EQ(own.Take("b", "node0"), Standing::kRecorded);
}

TEST(OwnBindings, PodOnAnotherNodeThanRecordedIsLookedAt) {
  OwnBindings own;
  own.Begin({"a"});
  own.End({"a"}, {"a"}, {"node0"});
  EXPECT_EQ(own.Take("a", "node1"), Standing::kUnknown);
}

TEST(OwnBindings, PodThatWasNotBegunIsNotRecorded) {
  OwnBindings own;
  own.End({"a"}, {"a"}, {"node0"});
  EXPECT_EQ(own.Take("a", "node0"), Standing::kUnknown);
}

TEST(OwnBindings, EndOfOneBatchLeavesAnotherUnderWay) {
  OwnBindings own;
  own.Begin({"a"});
  own.Begin({"b"});
  own.End({"a"}, {}, {});
  EXPECT_EQ(own.Take("b", "node0"), Standing::kUnderWay);
  EXPECT_TRUE(own.AnyUnderWay());
  own.End({"b"}, {"b"}, {"node0"});
  EXPECT_FALSE(own.AnyUnderWay());
}

TEST(OwnBindings, NewListForgetsWhatIsRecordedAndKeepsWhatIsUnderWay) {
  OwnBindings own;
  own.Begin({"a"});
  own.End({"a"}, {"a"}, {"node0"});
  own.Begin({"b"});
  own.ForgetRecorded();
  EXPECT_EQ(own.Take("a", "node0"), Standing::kUnknown);
  EXPECT_EQ(own.Take("b", "node0"), Standing::kUnderWay);
}

}  // namespace
}  // namespace fluxnetes::workers
