// Random runs of a Schedule. A failing run names its seed; FLUXNETES_TEST_SEED
// runs that seed alone, and FLUXNETES_TEST_LONG sixteen times as many.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/workers/schedule_reference/schedule_random_run.h"

namespace fluxnetes::workers {
namespace {

void RunMany(unsigned seeds, const RandomKind& kind) {
  int evictions = 0;
  int taken_back = 0;
  const char* const only = std::getenv("FLUXNETES_TEST_SEED");
  const auto first = static_cast<unsigned>(only ? std::atoi(only) : 0);
  if (only != nullptr)
    seeds = 1;
  else if (std::getenv("FLUXNETES_TEST_LONG") != nullptr)
    seeds *= 8;
  else
    seeds /= 2;
  for (unsigned seed = first; seed < first + seeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    ScheduleRandomRun run(seed, kind);
    run.Steps(100);
    evictions += run.evictions();
    taken_back += run.taken_back();
    if (::testing::Test::HasFailure()) return;
  }
  if (only != nullptr) return;
  const int least = kind.reclaims ? 0 : static_cast<int>(seeds) / 2;
  EXPECT_EQ(evictions > least, kind.preempts);
  EXPECT_EQ(taken_back > 0, kind.reclaims);
}

TEST(ScheduleRandom, NobodyIsDelayedByThoseBehind) {
  RunMany(60, {.calm = true, .deadlines = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWhateverHappens) {
  RunMany(60, {.calm = false, .deadlines = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWhereEndsAreUnknown) {
  RunMany(60, {.calm = false, .deadlines = false});
}

TEST(ScheduleRandom, NothingIsOverlookedWherePodsLookAtOthers) {
  RunMany(60, {.calm = false, .deadlines = true, .rules = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWherePodsWithoutEndLookAtOthers) {
  RunMany(60, {.calm = false, .deadlines = false, .rules = true});
}

TEST(ScheduleRandom, NobodyIsDelayedByThoseBehindWherePromisesAreKept) {
  RunMany(25, {.calm = true, .deadlines = true, .keeps = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWherePromisesAreKept) {
  RunMany(25, {.calm = false, .deadlines = true, .keeps = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWherePromisesAreKeptAndEndsUnknown) {
  RunMany(25, {.calm = false, .deadlines = false, .keeps = true});
}

TEST(ScheduleRandom, AccountsAgreeWherePromisesAreKeptAndGroupsOverstay) {
  RunMany(25,
          {.calm = false, .deadlines = false, .assumed = true, .keeps = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWherePromisesAreKeptAndPodsLook) {
  RunMany(25, {.calm = false, .deadlines = true, .rules = true, .keeps = true});
}

TEST(ScheduleRandom, AccountsAgreeWhereOneQueueKeepsItsPromises) {
  RunMany(40, {.calm = false, .deadlines = true, .mixed = true});
}

TEST(ScheduleRandom, NobodyIsDelayedByThoseBehindWhereOneQueueKeeps) {
  RunMany(40, {.calm = true, .deadlines = true, .mixed = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWithinTheDepthOfQueues) {
  RunMany(40, {.calm = false, .deadlines = true, .shallow = true});
}

TEST(ScheduleRandom, AccountsAgreeWhereQueuesHaveADepthAndOneKeeps) {
  RunMany(40,
          {.calm = false, .deadlines = true, .mixed = true, .shallow = true});
}

TEST(ScheduleRandom, AccountsAgreeWhereSharesAreFairAndOneQueueKeeps) {
  RunMany(25, {.calm = false, .deadlines = true, .mixed = true, .fair = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWhereThereAreQuotas) {
  RunMany(60, {.calm = false, .deadlines = true, .quotas = true});
}

TEST(ScheduleRandom, NobodyIsDelayedByThoseBehindWhereThereAreQuotas) {
  RunMany(60, {.calm = true, .deadlines = true, .quotas = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWhereThereAreQuotasAndPromises) {
  RunMany(25,
          {.calm = false, .deadlines = true, .keeps = true, .quotas = true});
}

TEST(ScheduleRandom, NobodyExceedsAQuotaWhereSomeBorrow) {
  RunMany(60, {.calm = false,
               .deadlines = false,
               .mixed = true,
               .quotas = true,
               .borrows = true});
}

TEST(ScheduleRandom, WhoPreemptsHasThePlaceOfTheVictims) {
  RunMany(60, {.calm = true, .deadlines = true, .preempts = true});
}

TEST(ScheduleRandom, WhoPreemptsHasThePlaceOfVictimsWithoutEnd) {
  RunMany(60, {.calm = true, .deadlines = false, .preempts = true});
}

TEST(ScheduleRandom, WhoPreemptsWherePromisesAreKeptHasThePlaceToo) {
  RunMany(25,
          {.calm = true, .deadlines = false, .keeps = true, .preempts = true});
}

TEST(ScheduleRandom, AccountsAgreeWhereGroupsAreEvictedWhateverHappens) {
  RunMany(60, {.calm = false, .deadlines = false, .preempts = true});
}

TEST(ScheduleRandom, AccountsAgreeWhereGroupsAreEvictedAndPodsLookAtOthers) {
  RunMany(60,
          {.calm = false, .deadlines = true, .rules = true, .preempts = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWhereGroupsAreEvictedAndPromisesKept) {
  RunMany(25, {.calm = false,
               .deadlines = true,
               .rules = true,
               .keeps = true,
               .preempts = true});
}

TEST(ScheduleRandom, AccountsAgreeWhereGroupsAreEvictedAndOverstay) {
  RunMany(
      60,
      {.calm = false, .deadlines = false, .assumed = true, .preempts = true});
}

TEST(ScheduleRandom, WhoTakesBackHasThePlaceOfTheVictims) {
  RunMany(60, {.calm = true,
               .deadlines = true,
               .quotas = true,
               .borrows = true,
               .preempts = true,
               .reclaims = true});
}

TEST(ScheduleRandom, OnlyWhatWasLentIsTakenBackWhateverHappens) {
  RunMany(60, {.calm = false,
               .deadlines = false,
               .quotas = true,
               .borrows = true,
               .preempts = true,
               .reclaims = true});
}

TEST(ScheduleRandom, OnlyWhatWasLentIsTakenBackWherePromisesAreKept) {
  RunMany(25, {.calm = false,
               .deadlines = true,
               .keeps = true,
               .quotas = true,
               .borrows = true,
               .preempts = true,
               .reclaims = true});
}

TEST(ScheduleRandom, OnlyWhatWasLentIsTakenBackWhereGroupsOverstay) {
  RunMany(40, {.calm = false,
               .deadlines = false,
               .assumed = true,
               .mixed = true,
               .quotas = true,
               .borrows = true,
               .preempts = true,
               .reclaims = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWhereGroupsAskForATopology) {
  RunMany(40, {.calm = false, .deadlines = true, .topology = true});
}

TEST(ScheduleRandom, NobodyIsDelayedByThoseBehindWhereSomeAskForATopology) {
  RunMany(40, {.calm = true, .deadlines = true, .topology = true});
}

TEST(ScheduleRandom, NothingIsOverlookedWithATopologyWherePromisesAreKept) {
  RunMany(25,
          {.calm = false, .deadlines = true, .keeps = true, .topology = true});
}

TEST(ScheduleRandom, WhoPreemptsHasThePlaceOfVictimsWithATopologyToo) {
  RunMany(
      40,
      {.calm = true, .deadlines = true, .preempts = true, .topology = true});
}

TEST(ScheduleRandom, AccountsAgreeWhereGroupsOverstay) {
  RunMany(60, {.calm = false, .deadlines = false, .assumed = true});
}

}  // namespace
}  // namespace fluxnetes::workers
