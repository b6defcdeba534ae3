#include "cluster/text/resource_words.h"

#include <gtest/gtest.h>

#include "cluster/objects/resources.h"

namespace fluxnetes::cluster {
namespace {

constexpr std::int64_t kGibibyte = std::int64_t{1} << 30;

TEST(ResourceWords, AmountsHaveTheUnitsOfPeople) {
  EXPECT_EQ(AmountInWords("cpu", 2'000), "2 cpu");
  EXPECT_EQ(AmountInWords("cpu", 250), "250m cpu");
  EXPECT_EQ(AmountInWords("memory", 4 * kGibibyte), "4Gi");
  EXPECT_EQ(AmountInWords("ephemeral-storage", 10 * kGibibyte),
            "10Gi of ephemeral storage");
  EXPECT_EQ(AmountInWords("pods", 1), "1 pod");
  EXPECT_EQ(AmountInWords("pods", 110), "110 pods");
  EXPECT_EQ(AmountInWords("nvidia.com/gpu", 1), "1 nvidia.com/gpu");
  EXPECT_EQ(AmountInWords("nvidia.com/gpu", 2), "2 nvidia.com/gpu");
}

TEST(ResourceWords, HugepagesAreCounted) {
  EXPECT_EQ(AmountInWords("hugepages-2Mi", 2 << 20), "1 hugepage of 2Mi");
  EXPECT_EQ(AmountInWords("hugepages-2Mi", 4 << 20), "2 hugepages of 2Mi");
  EXPECT_EQ(AmountInWords("hugepages-1Gi", kGibibyte), "1 hugepage of 1Gi");
  EXPECT_EQ(AmountInWords("hugepages-2Mi", 0), "0 hugepages of 2Mi");
  EXPECT_EQ(AmountInWords("hugepages-2Mi", 3 << 20), "3Mi of hugepages of 2Mi");
  EXPECT_EQ(AmountInWords("hugepages-big", 7), "7 hugepages-big");
}

TEST(ResourceWords, OddBytesAreRoundedDown) {
  EXPECT_EQ(BytesInWords(0), "0");
  EXPECT_EQ(BytesInWords(17), "17");
  EXPECT_EQ(BytesInWords(1'500'000'000), "1500M");
  EXPECT_EQ(BytesInWords(32'675LL << 20), "32675Mi");
  EXPECT_EQ(BytesInWords(16'393'244LL << 10), "15.6Gi");
  EXPECT_EQ(BytesInWords(16 * kGibibyte - 1), "15.9Gi");
  EXPECT_EQ(BytesInWords(INT64_MAX), "7.9Ei");
}

TEST(ResourceWords, LittleIsSaidOfAmountsAndFewOfThings) {
  EXPECT_EQ(ResourceInWords("hugepages-1Gi"), "hugepages of 1Gi");
  EXPECT_EQ(TooLittleOf("cpu"), "too little cpu");
  EXPECT_EQ(TooLittleOf("memory"), "too little memory");
  EXPECT_EQ(TooLittleOf("ephemeral-storage"), "too little ephemeral storage");
  EXPECT_EQ(TooLittleOf("pods"), "too few pods");
  EXPECT_EQ(TooLittleOf("hugepages-2Mi"), "too few hugepages of 2Mi");
  EXPECT_EQ(TooLittleOf("nvidia.com/gpu"), "too few nvidia.com/gpu");
}

TEST(ResourceWords, ListsUseThem) {
  Resources resources{.cpu_milli = 500,
                      .memory_bytes = 16'393'244LL << 10,
                      .ephemeral_bytes = kGibibyte};
  resources.SetExtended("hugepages-2Mi", 2 << 20);
  EXPECT_EQ(Format(resources),
            "500m cpu, 15.6Gi, 1Gi of ephemeral storage, 1 hugepage of 2Mi");
}

}  // namespace
}  // namespace fluxnetes::cluster
