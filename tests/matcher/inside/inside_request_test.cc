#include "matcher/inside/inside_request.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/matcher/random/random_jobspec.h"

namespace fluxnetes::matcher {
namespace {

std::string ShapeOf(const InsideRequest& request) {
  std::string text;
  for (const InsideChoice& choice : request.choices) {
    if (!text.empty()) text += " else ";
    text += Show(choice.jobspec);
  }
  return text;
}

InsideWish WishOf(Align align, std::int64_t cpus, std::int64_t gpus) {
  InsideWish wish;
  wish.align = align;
  wish.cpus = cpus;
  wish.gpus = gpus;
  return wish;
}

template <typename Wish>
std::string RefusalOf(const Wish& wish) {
  try {
    RequestOf(wish);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(InsideRequest, PutsOneSlotIntoOneDomain) {
  const InsideRequest request = RequestOf(WishOf(Align::kIsland, 8, 4));
  EXPECT_TRUE(request.required);
  EXPECT_EQ(ShapeOf(request),
            "[{type: island, count: 1, with: [{type: slot, count: 1, with: "
            "[{type: core, count: 8}, {type: gpu, count: 4}]}]}] for 0.000000");
}

TEST(InsideRequest, APreferenceIsAFirstChoice) {
  InsideWish wish = WishOf(Align::kNuma, 8, 0);
  wish.align_required = false;
  const InsideRequest request = RequestOf(wish);
  EXPECT_FALSE(request.required);
  ASSERT_EQ(request.choices.size(), 2U);
  EXPECT_EQ(request.choices[1].jobspec.resources[0].type, "slot");
}

TEST(InsideRequest, WholeSocketsAreAsFewAsPossible) {
  InsideWish wish = WishOf(Align::kAnywhere, 9, 0);
  wish.whole_sockets = true;
  const InsideRequest request = RequestOf(wish);
  ASSERT_EQ(request.choices.size(), 8U);
  for (std::uint32_t sockets = 1; sockets <= 8; ++sockets) {
    const auto& resources = request.choices[sockets - 1].jobspec.resources;
    EXPECT_EQ(resources[0].count.min, sockets);
    EXPECT_EQ(resources[0].exclusive, true);
    EXPECT_EQ(resources[2].count.min, (9 + sockets - 1) / sockets);
  }
  wish.align = Align::kSocket;
  EXPECT_EQ(RequestOf(wish).choices.size(), 1U);
}

TEST(InsideRequest, RefusesWishesThatCannotBe) {
  EXPECT_EQ(RefusalOf(InsideWish{}),
            "the wish has no cpus, memory, gpus or nics");
  EXPECT_EQ(RefusalOf(WishOf(Align::kNuma, -1, 0)),
            "cpus: -1 is not a number of units from 0 to 4294967294");
  EXPECT_EQ(RefusalOf(WishOf(Align::kNuma, 1, std::int64_t{1} << 32)),
            "gpus: 4294967296 is not a number of units from 0 to 4294967294");
  InsideWish wish = WishOf(Align::kIsland, 1, 0);
  wish.whole_sockets = true;
  EXPECT_EQ(RefusalOf(wish), "whole sockets cannot be aligned to one island");
}

Jobspec Parsed(const std::string& resources) {
  return ParseJobspec("{version: 1, tasks: [], attributes: null, resources: " +
                      resources + "}");
}

TEST(InsideRequest, AlternativesOfAJobspecAreSeen) {
  const std::string core = "with: [{type: core, count: 1}]}";
  const std::string slot = "{type: slot, count: 1, label: a, " + core;
  const std::string either = "{type: xor_slot, count: 1, label: a, " + core;
  EXPECT_FALSE(RequestOf(Parsed("[" + slot + "]")).choices[0].flexible);
  const InsideRequest several =
      RequestOf(Parsed("[" + slot + "," + slot + "]"));
  EXPECT_EQ(several.choices.size(), 1U);
  EXPECT_TRUE(several.choices[0].flexible);
  const InsideRequest one =
      RequestOf(Parsed("[" + either + "," + either + "]"));
  EXPECT_EQ(one.choices.size(), 2U);
  EXPECT_TRUE(one.choices[1].flexible);
}

TEST(InsideRequest, RefusesJobspecsThatAreNotBelowTheNode) {
  EXPECT_EQ(RefusalOf(Jobspec{}), "the jobspec requests nothing");
  EXPECT_EQ(RefusalOf(Parsed("[{type: node, count: 1, with: [{type: slot, "
                             "count: 1, label: a, with: [{type: core, count: "
                             "1}]}]}]")),
            "the jobspec has a node; only what is below the node may be in it");
}

}  // namespace
}  // namespace fluxnetes::matcher
