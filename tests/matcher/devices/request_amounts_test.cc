// How much of a capacity a request takes.
#include "matcher/devices/request_amounts.h"

#include <gtest/gtest.h>

#include <string>

namespace fluxnetes::matcher {
namespace {

constexpr const char* kDriver = "nic.example.com";

DeviceAmount Amount(const char* text) { return ReadAmount(text).value(); }

// A device with a capacity "size" of 10.
Device Ten(const RequestPolicy& policy = {}) {
  Device device;
  device.capacity["nic.example.com/size"] = Amount("10");
  if (!(policy == RequestPolicy())) {
    device.policies["nic.example.com/size"] = policy;
  }
  return device;
}

// What a request for this much takes; "none": it cannot be served.
std::string TakenOf(const char* asked, const RequestPolicy& policy = {}) {
  DeviceAmounts amounts;
  if (*asked != '\0') amounts["size"] = Amount(asked);
  const auto taken = AmountsTaken(amounts, kDriver, Ten(policy));
  return taken ? ToText(taken->at("nic.example.com/size")) : "none";
}

TEST(RequestAmounts, TakeWhatIsAskedOrAllThereIs) {
  EXPECT_EQ(TakenOf("3"), "3");
  EXPECT_EQ(TakenOf(""), "10");
  EXPECT_EQ(TakenOf("10"), "10");
  EXPECT_EQ(TakenOf("11"), "none");
}

TEST(RequestAmounts, RequestWithoutAnAmountTakesTheDefault) {
  RequestPolicy policy;
  policy.fallback = Amount("2");
  EXPECT_EQ(TakenOf("", policy), "2");
  EXPECT_EQ(TakenOf("3", policy), "3");
}

TEST(RequestAmounts, AreRoundedUpToTheNextStep) {
  RequestPolicy policy;
  policy.minimum = Amount("2");
  policy.step = Amount("3");
  EXPECT_EQ(TakenOf("1", policy), "2");
  EXPECT_EQ(TakenOf("2", policy), "2");
  EXPECT_EQ(TakenOf("3", policy), "5");
  EXPECT_EQ(TakenOf("8", policy), "8");
  EXPECT_EQ(TakenOf("9", policy), "none");  // 11 is more than there is
  policy.maximum = Amount("7");
  EXPECT_EQ(TakenOf("6", policy), "none");
  EXPECT_EQ(TakenOf("5", policy), "5");
}

TEST(RequestAmounts, AreRoundedUpToTheNextValidValue) {
  RequestPolicy policy;
  policy.valid = {Amount("1"), Amount("4"), Amount("8")};
  EXPECT_EQ(TakenOf("1", policy), "1");
  EXPECT_EQ(TakenOf("2", policy), "4");
  EXPECT_EQ(TakenOf("9", policy), "none");
  EXPECT_EQ(TakenOf("", policy), "none");  // all of it is no valid value
}

TEST(RequestAmounts, DeviceNeedsTheCapacityThatIsAskedFor) {
  EXPECT_FALSE(AmountsTaken({{"other", Amount("1")}}, kDriver, Ten()));
  EXPECT_FALSE(AmountsTaken({{"a.example/size", Amount("1")}}, kDriver, Ten()));
  EXPECT_TRUE(
      AmountsTaken({{"nic.example.com/size", Amount("1")}}, kDriver, Ten()));
}

TEST(RequestAmounts, NamesHaveTheDomainOfTheDriverOrTheirOwn) {
  const DeviceAmounts shorter = {{"size", Amount("1")},
                                 {"a.example/size", Amount("2")}};
  const DeviceAmounts full = {{"nic.example.com/size", Amount("1")},
                              {"a.example/size", Amount("2")}};
  EXPECT_EQ(WithDomains(shorter, kDriver), full);
  EXPECT_EQ(WithDomains(full, kDriver), full);
  EXPECT_EQ(WithoutDomain(full, kDriver), shorter);
  EXPECT_EQ(
      WithoutDomain({{"nic.example.community/size", Amount("1")}}, kDriver)
          .begin()
          ->first,
      "nic.example.community/size");
}

}  // namespace
}  // namespace fluxnetes::matcher
