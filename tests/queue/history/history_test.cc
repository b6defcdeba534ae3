#include "tests/queue/history/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace fluxnetes::queue {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Checks calls in the format of the file, and the rows at the end.
std::vector<std::string> Judged(const std::string& calls,
                                std::vector<LastState> jobs) {
  const std::string path = std::filesystem::temp_directory_path() /
                           ("history." + std::to_string(getpid()));
  std::ofstream(path) << calls;
  History history{.calls = {}, .jobs = std::move(jobs)};
  ReadCalls(path, history.calls);
  std::remove(path.c_str());
  return Violations(history);
}

LastState Completed(int attempt) {
  return {.id = 7,
          .name = "a",
          .state = "completed",
          .attempt = attempt,
          .failed = {},
          .rescued = {}};
}

const std::string kInsert = "> 0 10 insert a\n< 0 11 given 7\n";
const std::string kFirstLease = "> 1 20 lease\n< 1 21 given 7:1\n";
const std::string kFinish = "> 2 30 finish 7:1:completed\n< 2 31 given 1\n";

TEST(History, OfAJobThatGoesWellIsFine) {
  EXPECT_THAT(Judged(kInsert + kFirstLease + kFinish, {Completed(1)}),
              IsEmpty());
}

TEST(History, LineThatWasCutShortIsPassedOver) {
  EXPECT_THAT(
      Judged(kInsert + kFirstLease + "> 2 30 finish 7:1:comp", {Completed(1)}),
      IsEmpty());
}

TEST(History, AcknowledgedJobMustBeThereOnce) {
  EXPECT_THAT(Judged(kInsert, {}),
              ElementsAre("a was acknowledged and is lost"));
  LastState twin = Completed(0);
  twin.id = 8;
  EXPECT_THAT(Judged(kInsert, {Completed(0), twin}),
              ElementsAre("a is there 2 times"));
  EXPECT_THAT(Judged(kInsert, {twin}),
              ElementsAre("a has another id than was said"));
  EXPECT_THAT(Judged(kInsert, {Completed(0), Completed(0)}),
              Contains("job 7 is in 2 rows"));
}

TEST(History, InsertThatFailedLeavesNothing) {
  EXPECT_THAT(Judged("> 0 10 insert a\n< 0 11 failed\n", {Completed(0)}),
              ElementsAre("a is there, though its insert failed"));
  EXPECT_THAT(Judged("> 0 10 insert a\n< 0 11 doubt\n", {Completed(0)}),
              IsEmpty());
  EXPECT_THAT(Judged("> 0 10 insert a\n", {}), IsEmpty());
  EXPECT_THAT(Judged("> 0 10 insert a b\n", {Completed(0)}),
              ElementsAre("of the batch of a only 1 are there"));
  EXPECT_THAT(Judged("", {Completed(0)}), ElementsAre("a was never inserted"));
}

TEST(History, AttemptIsLeasedOnce) {
  EXPECT_THAT(Judged(kInsert + kFirstLease + "> 2 40 lease\n< 2 41 given 7:1\n",
                     {Completed(1)}),
              ElementsAre("attempt 1 of job 7 was leased twice"));
}

TEST(History, AttemptsRise) {
  const std::string down =
      "> 1 20 lease\n< 1 21 given 7:2\n"
      "> 2 30 lease\n< 2 31 given 7:1\n";
  EXPECT_THAT(Judged(kInsert + down, {Completed(2)}),
              ElementsAre("job 7 was leased in attempt 1 after attempt 2"));
  EXPECT_THAT(Judged(kInsert + kFirstLease, {Completed(0)}),
              ElementsAre("job 7 had attempt 1 and ends with 0"));
}

TEST(History, AttemptHasOneAcceptedResult) {
  EXPECT_THAT(Judged(kInsert + kFirstLease + kFinish +
                         "> 3 40 finish 7:1:completed\n< 3 41 given 1\n",
                     {Completed(1)}),
              ElementsAre("attempt 1 of job 7 has two accepted results"));
}

TEST(History, ResultOfALostLeaseIsRefused) {
  EXPECT_THAT(Judged(kInsert + kFirstLease +
                         "> 2 24 lease\n< 2 25 given 7:2\n"
                         "> 3 30 finish 7:1:snoozed\n< 3 31 given 1\n",
                     {Completed(2)}),
              ElementsAre(HasSubstr("accepted after attempt 2 had begun")));
  LastState rescued = Completed(2);
  rescued.rescued = {1};
  EXPECT_THAT(Judged(kInsert + kFirstLease +
                         "> 2 30 finish 7:1:snoozed\n< 2 31 given 1\n",
                     {rescued}),
              ElementsAre("attempt 1 of job 7 was rescued, and had a result"));
}

TEST(History, ResultIsRefusedForAReason) {
  const std::string refused =
      kInsert + kFirstLease + "> 2 30 finish 7:1:completed\n< 2 31 given 0\n";
  EXPECT_THAT(Judged(refused, {Completed(2)}),
              ElementsAre(HasSubstr("was refused without a reason")));
  LastState rescued = Completed(2);
  rescued.rescued = {1};
  EXPECT_THAT(Judged(refused, {rescued}), IsEmpty());
  EXPECT_THAT(Judged(kInsert + kFirstLease +
                         "> 2 24 finish 7:1:completed\n< 2 25 doubt\n"
                         "> 3 30 finish 7:1:completed\n< 3 31 given 0\n",
                     {Completed(1)}),
              IsEmpty());
}

TEST(History, AcceptedResultStays) {
  LastState other = Completed(1);
  other.state = "cancelled";
  EXPECT_THAT(
      Judged(kInsert + kFirstLease + kFinish, {other}),
      ElementsAre(HasSubstr("accepted as completed in attempt 1, and is "
                            "cancelled in 1")));
  EXPECT_THAT(Judged(kInsert + kFirstLease + kFinish +
                         "> 3 40 lease\n< 3 41 given 7:2\n",
                     {Completed(2)}),
              Contains("job 7 was leased after it had ended"));
  EXPECT_THAT(Judged(kInsert + kFirstLease +
                         "> 2 30 finish 7:1:failed\n< 2 31 given 1\n",
                     {Completed(2)}),
              ElementsAre("the error of attempt 1 of job 7 is lost"));
}

TEST(History, EveryJobEnds) {
  LastState last = Completed(1);
  last.state = "running";
  EXPECT_THAT(Judged(kInsert + kFirstLease, {last}),
              ElementsAre("job 7 never ended: it is running"));
  EXPECT_THAT(Judged("> 0 20 lease\n< 0 21 given 9:1\n", {}),
              ElementsAre("job 9 was seen, and is nowhere"));
  last = Completed(2);
  last.rescued = {1, 1};
  EXPECT_THAT(Judged(kInsert, {last}),
              ElementsAre("an attempt of job 7 failed twice"));
}

}  // namespace
}  // namespace fluxnetes::queue
