#include "cluster/simulated/numa_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace fluxnetes::cluster {
namespace {

using ::testing::ElementsAre;

constexpr TopologyPolicy kSingle = TopologyPolicy::kSingleNumaNode;
constexpr TopologyPolicy kRestricted = TopologyPolicy::kRestricted;

NumaBook BookOf(const std::string& structure) {
  Node node;
  node.structure.Own() = structure;
  return NumaBook(node);
}

PodRequest Asks(std::int64_t cpu_milli, std::int64_t gpus = 0) {
  PodRequest request;
  request.resources.cpu_milli = cpu_milli;
  request.resources.SetExtended("nvidia.com/gpu", gpus);
  request.guaranteed = true;
  return request;
}

TEST(NumaBook, CpusOfPodsThatAreNotGuaranteedAreShared) {
  NumaBook book = BookOf("numa: 2, cores: 8");
  PodRequest shares = Asks(3'000);
  shares.guaranteed = false;
  book.Take(1, shares, kSingle);
  EXPECT_THAT(book.cpus(), ElementsAre(4, 4));
}

TEST(NumaBook, TakesTheLowestDomainThatHasAll) {
  NumaBook book = BookOf("numa: 2, cores: 8, gpus: 2");
  book.Take(1, Asks(3'000), kSingle);
  EXPECT_THAT(book.cpus(), ElementsAre(1, 4));
  book.Take(2, Asks(2'000, 1), kSingle);
  EXPECT_THAT(book.cpus(), ElementsAre(1, 2));
  EXPECT_THAT(book.gpus(), ElementsAre(1, 0));
  book.Take(3, Asks(1'000, 1), kSingle);
  EXPECT_THAT(book.cpus(), ElementsAre(0, 2));
  book.Release(1);
  book.Release(1);
  EXPECT_THAT(book.cpus(), ElementsAre(3, 2));
}

TEST(NumaBook, RefusesWhatIsFreeInTwoDomainsOnly) {
  for (const TopologyPolicy policy : {kSingle, kRestricted}) {
    NumaBook book = BookOf("numa: 2, cores: 8");
    book.Take(1, Asks(3'000), policy);
    book.Take(2, Asks(3'000), policy);
    EXPECT_THAT(book.cpus(), ElementsAre(1, 1));
    EXPECT_FALSE(book.Admits(Asks(2'000), policy));
    EXPECT_TRUE(book.Admits(Asks(1'000), policy));
    EXPECT_TRUE(book.Admits(Asks(2'000), TopologyPolicy::kNone));
  }
}

TEST(NumaBook, RefusesCpusAndGpusOfDifferentDomains) {
  NumaBook book = BookOf("numa: 2, cores: 8, gpus: 2");
  book.Take(1, Asks(4'000), kSingle);
  book.Take(2, Asks(0, 1), kSingle);
  EXPECT_THAT(book.cpus(), ElementsAre(0, 4));
  EXPECT_THAT(book.gpus(), ElementsAre(0, 1));
  book.Release(2);
  book.Take(3, Asks(1'500, 1), kSingle);  // its cpus are shared
  EXPECT_THAT(book.gpus(), ElementsAre(0, 1));
  book.Take(4, Asks(500, 1), kSingle);
  book.Release(3);
  EXPECT_THAT(book.gpus(), ElementsAre(1, 0));
  EXPECT_FALSE(book.Admits(Asks(1'000, 1), kSingle));
  EXPECT_FALSE(book.Admits(Asks(1'000, 1), kRestricted));
}

TEST(NumaBook, RestrictedLetsWhatNeedsTwoDomainsHaveThem) {
  NumaBook book = BookOf("numa: 2, cores: 8, gpus: 2");
  EXPECT_FALSE(book.Admits(Asks(6'000), kSingle));
  EXPECT_TRUE(book.Admits(Asks(6'000), kRestricted));
  EXPECT_TRUE(book.Admits(Asks(6'000, 1), kRestricted));
  book.Take(1, Asks(6'000, 1), kRestricted);
  EXPECT_THAT(book.cpus(), ElementsAre(0, 2));
  EXPECT_THAT(book.gpus(), ElementsAre(0, 1));
  EXPECT_FALSE(book.Admits(Asks(9'000), kRestricted));
}

TEST(NumaBook, ReportsWhatIsLeftAsATopologyDoes) {
  Node node;
  node.structure.Own() = "numa: 2, cores: 8, gpus: 2";
  node.allocatable.SetExtended("nvidia.com/gpu", 2);
  NumaBook book(node);
  book.Take(1, Asks(3'000, 1), kSingle);
  const auto zones = book.Zones();
  ASSERT_EQ(zones.size(), 2U);
  EXPECT_EQ(zones[1].number, 1);
  EXPECT_EQ(zones[0].allocatable.cpu_milli, 4'000);
  EXPECT_EQ(zones[0].available.cpu_milli, 1'000);
  EXPECT_EQ(zones[0].available.Extended("nvidia.com/gpu"), 0);
  EXPECT_EQ(zones[1].available.Extended("nvidia.com/gpu"), 1);
  EXPECT_TRUE(BookOf("sockets: 2, cores: 8").Zones().empty());
}

TEST(NumaBook, ANodeWithoutDomainsIsOne) {
  NumaBook book = BookOf("sockets: 2, cores: 8");
  EXPECT_THAT(book.cpus(), ElementsAre(8));
  EXPECT_TRUE(book.Admits(Asks(8'000), kSingle));
}

}  // namespace
}  // namespace fluxnetes::cluster
