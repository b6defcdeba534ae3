#include "workers/loops/binding_ledger.h"

#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

using BindingStanding = BindingLedger::Standing;

TEST(BindingLedger, PodOfOthersIsUnknown) {
  BindingLedger ledger;
  EXPECT_EQ(ledger.Take("a", "node0"), BindingStanding::kUnknown);
}

TEST(BindingLedger, BindingIsUnderWayUntilItIsRecordedAndThenSaidOnce) {
  BindingLedger ledger;
  ledger.Begin({"a"});
  EXPECT_EQ(ledger.Take("a", "node0"), BindingStanding::kUnderWay);
  ledger.End({"a"}, {"a"}, {"node0"});
  EXPECT_EQ(ledger.Take("a", "node0"), BindingStanding::kRecorded);
  EXPECT_EQ(ledger.Take("a", "node0"), BindingStanding::kUnknown);
}

TEST(BindingLedger, WhatWasNotRecordedIsForgotten) {
  BindingLedger ledger;
  ledger.Begin({"a", "b"});
  ledger.End({"a", "b"}, {"b"}, {"node0"});
  EXPECT_EQ(ledger.Take("a", "node0"), BindingStanding::kUnknown);
  EXPECT_EQ(ledger.Take("b", "node0"), BindingStanding::kRecorded);
}

TEST(BindingLedger, PodOnAnotherNodeThanRecordedIsLookedAt) {
  BindingLedger ledger;
  ledger.Begin({"a"});
  ledger.End({"a"}, {"a"}, {"node0"});
  EXPECT_EQ(ledger.Take("a", "node1"), BindingStanding::kUnknown);
}

TEST(BindingLedger, PodThatWasNotBegunIsNotRecorded) {
  BindingLedger ledger;
  ledger.End({"a"}, {"a"}, {"node0"});
  EXPECT_EQ(ledger.Take("a", "node0"), BindingStanding::kUnknown);
}

TEST(BindingLedger, EndOfOneBatchLeavesAnotherUnderWay) {
  BindingLedger ledger;
  ledger.Begin({"a"});
  ledger.Begin({"b"});
  ledger.End({"a"}, {}, {});
  EXPECT_EQ(ledger.Take("b", "node0"), BindingStanding::kUnderWay);
  EXPECT_TRUE(ledger.AnyUnderWay());
  ledger.End({"b"}, {"b"}, {"node0"});
  EXPECT_FALSE(ledger.AnyUnderWay());
}

TEST(BindingLedger, NewListForgetsWhatIsRecordedAndKeepsWhatIsUnderWay) {
  BindingLedger ledger;
  ledger.Begin({"a"});
  ledger.End({"a"}, {"a"}, {"node0"});
  ledger.Begin({"b"});
  ledger.ForgetRecorded();
  EXPECT_EQ(ledger.Take("a", "node0"), BindingStanding::kUnknown);
  EXPECT_EQ(ledger.Take("b", "node0"), BindingStanding::kUnderWay);
}

}  // namespace
}  // namespace fluxnetes::workers
