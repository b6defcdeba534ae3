#include "workers/loops/own_bindings.h"

#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

using BindingStanding = OwnBindings::Standing;

TEST(OwnBindings, PodOfOthersIsUnknown) {
  OwnBindings own;
  EXPECT_EQ(own.Take("a", "node0"), BindingStanding::kUnknown);
}

TEST(OwnBindings, BindingIsUnderWayUntilItIsRecordedAndThenSaidOnce) {
  OwnBindings own;
  own.Begin({"a"});
  EXPECT_EQ(own.Take("a", "node0"), BindingStanding::kUnderWay);
  own.End({"a"}, {"a"}, {"node0"});
  EXPECT_EQ(own.Take("a", "node0"), BindingStanding::kRecorded);
  EXPECT_EQ(own.Take("a", "node0"), BindingStanding::kUnknown);
}

TEST(OwnBindings, WhatWasNotRecordedIsForgotten) {
  OwnBindings own;
  own.Begin({"a", "b"});
  own.End({"a", "b"}, {"b"}, {"node0"});
  EXPECT_EQ(own.Take("a", "node0"), BindingStanding::kUnknown);
  EXPECT_EQ(own.Take("b", "node0"), BindingStanding::kRecorded);
}

TEST(OwnBindings, PodOnAnotherNodeThanRecordedIsLookedAt) {
  OwnBindings own;
  own.Begin({"a"});
  own.End({"a"}, {"a"}, {"node0"});
  EXPECT_EQ(own.Take("a", "node1"), BindingStanding::kUnknown);
}

TEST(OwnBindings, PodThatWasNotBegunIsNotRecorded) {
  OwnBindings own;
  own.End({"a"}, {"a"}, {"node0"});
  EXPECT_EQ(own.Take("a", "node0"), BindingStanding::kUnknown);
}

TEST(OwnBindings, EndOfOneBatchLeavesAnotherUnderWay) {
  OwnBindings own;
  own.Begin({"a"});
  own.Begin({"b"});
  own.End({"a"}, {}, {});
  EXPECT_EQ(own.Take("b", "node0"), BindingStanding::kUnderWay);
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
  EXPECT_EQ(own.Take("a", "node0"), BindingStanding::kUnknown);
  EXPECT_EQ(own.Take("b", "node0"), BindingStanding::kUnderWay);
}

}  // namespace
}  // namespace fluxnetes::workers
