#include "workers/pods/group_makers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

namespace fluxnetes::workers {
namespace {

using cluster::ControllerState;
using ::testing::HasSubstr;
using Life = ControllerState::Life;
using Kind = GroupProspect::Kind;

ControllerState Job(int parallelism, std::optional<int> completions,
                    int succeeded = 0) {
  ControllerState job;
  job.life = Life::kLives;
  job.job = true;
  job.at_once = parallelism;
  job.completions = completions;
  job.succeeded = succeeded;
  job.active = 1;
  job.backoff_limit = 6;
  return job;
}

ControllerState With(ControllerState job, int ControllerState::*field,
                     int value) {
  job.*field = value;
  return job;
}

ControllerState Suspended(ControllerState job) {
  job.suspended = true;
  return job;
}

ControllerState Ended(ControllerState job, Life life,
                      const std::string& reason = "") {
  job.life = life;
  job.reason = reason;
  return job;
}

ControllerState OfJobSet(ControllerState job) {
  job.controlled = true;
  return job;
}

ControllerState Replicas(int replicas) {
  ControllerState set;
  set.life = Life::kLives;
  set.at_once = replicas;
  return set;
}

// A group of 4.
struct Case {
  const char* name;
  std::vector<ControllerState> makers;
  bool made_before;
  int bare_pods;
  Kind kind;
  int pods;
  const char* why;  // is part of it
};

std::ostream& operator<<(std::ostream& out, const Case& each) {
  return out << each.name;
}

const ControllerState kGone = Ended({}, Life::kGone);
const ControllerState kUnread = {};

const Case kCases[] = {
    {"parallelism and completions suffice",
     {Job(4, 4)},
     false,
     0,
     Kind::kCanBeWhole,
     0,
     ""},
    {"work queue without completions",
     {Job(4, {})},
     false,
     0,
     Kind::kCanBeWhole,
     0,
     ""},
    {"more completions than the rounds so far",
     {Job(4, 9, 4)},
     true,
     0,
     Kind::kCanBeWhole,
     0,
     ""},
    {"completions leave a rest of one",
     {Job(4, 5, 4)},
     true,
     0,
     Kind::kSmaller,
     1,
     "only 1 of 4 can come: Job a has 1 of 5 completions left"},
    {"the same, of a Job that could make it whole at first",
     {Job(4, 5, 4)},
     false,
     0,
     Kind::kSmaller,
     1,
     "1 of 5 completions left"},
    {"an index succeeded before the Job was suspended and resumed",
     {Job(4, 4, 1)},
     false,
     0,
     Kind::kSmaller,
     3,
     "3 of 4 completions left"},
    {"indexes that are not tried again",
     {With(Job(4, 4, 1), &ControllerState::failed_indexes, 1)},
     false,
     0,
     Kind::kSmaller,
     2,
     "2 of 4 completions left"},
    {"suspended: its pods come when it is resumed",
     {Suspended(Job(4, 4))},
     false,
     0,
     Kind::kCanBeWhole,
     0,
     ""},
    {"suspended with a rest",
     {Suspended(Job(4, 4, 2))},
     true,
     0,
     Kind::kSmaller,
     2,
     "is suspended"},
    {"parallelism lowered after it was whole",
     {Job(2, 8, 4)},
     true,
     0,
     Kind::kSmaller,
     2,
     "makes 2 pods at a time (its parallelism)"},
    {"parallelism below the size from the start",
     {Job(2, 8)},
     false,
     0,
     Kind::kNobodyKnows,
     0,
     "never whole unless others make the missing pods: Job a makes 2 pods at"},
    {"parallelism lowered to nothing",
     {Job(0, 8, 4)},
     true,
     0,
     Kind::kSmaller,
     0,
     "makes 0 pods at a time"},
    {"completions below the size from the start",
     {Job(4, 3)},
     false,
     0,
     Kind::kNobodyKnows,
     0,
     "3 of 3 completions left"},
    {"work queue of which a pod has succeeded",
     {With(Job(4, {}, 1), &ControllerState::active, 2)},
     false,
     0,
     Kind::kSmaller,
     2,
     "makes no more pods, since one has succeeded"},
    {"backoff limit used up, the condition is still to come",
     {With(Job(4, 4), &ControllerState::failed, 7)},
     true,
     0,
     Kind::kSmaller,
     0,
     "more often than its backoffLimit"},
    {"as many failures as the backoff limit allows",
     {With(Job(4, 4), &ControllerState::failed, 6)},
     true,
     0,
     Kind::kCanBeWhole,
     0,
     ""},
    {"a failed Job beside another one",
     {Ended(Job(3, 3), Life::kFailed, "BackoffLimitExceeded"), Job(1, 1)},
     true,
     0,
     Kind::kSmaller,
     1,
     "Job a has failed (BackoffLimitExceeded), "
     "Job b makes 1 pod at a time"},
    {"a failed Job that its JobSet may make again",
     {OfJobSet(Ended(Job(3, 3), Life::kFailed)), Job(1, 1)},
     true,
     0,
     Kind::kNobodyKnows,
     0,
     "Job a has failed"},
    {"workers complete, the launcher is made again",
     {Ended(Job(3, 3, 3), Life::kComplete), Job(1, 1)},
     true,
     0,
     Kind::kSmaller,
     1,
     "Job a is complete"},
    {"the launcher came first, its workers are still to come",
     {Job(1, 1)},
     false,
     0,
     Kind::kNobodyKnows,
     0,
     "makes 1 pod at a time"},
    {"launcher and workers, none has run",
     {Job(1, 1), Job(3, 3)},
     false,
     0,
     Kind::kCanBeWhole,
     0,
     ""},
    {"launcher and workers, one worker has succeeded",
     {Job(1, 1), Job(3, 3, 1)},
     false,
     0,
     Kind::kSmaller,
     3,
     "Job b has 2 of 3 completions left"},
    {"owner gone", {kGone}, true, 0, Kind::kNobodyKnows, 0, "Job a is gone"},
    {"owner gone, another can make it whole",
     {kGone, Job(4, 4)},
     true,
     0,
     Kind::kCanBeWhole,
     0,
     ""},
    {"unknown kind",
     {kUnread},
     true,
     0,
     Kind::kNobodyKnows,
     0,
     "cannot be asked"},
    {"pods without a controller",
     {},
     false,
     3,
     Kind::kNobodyKnows,
     0,
     "3 of its pods have no controller"},
    {"a bare launcher beside a Job",
     {Job(3, 3, 1)},
     false,
     1,
     Kind::kNobodyKnows,
     0,
     "Job a has 2 of 3 completions left, 1 of its pods has no controller"},
    {"more than 32 bits hold",
     {Job(2'147'483'647, std::nullopt), Job(2'147'483'647, std::nullopt)},
     false,
     0,
     Kind::kCanBeWhole,
     0,
     ""},
    {"replicas suffice", {Replicas(4)}, false, 0, Kind::kCanBeWhole, 0, ""},
    {"scaled down after it was whole",
     {Replicas(3)},
     true,
     0,
     Kind::kSmaller,
     3,
     "has 3 replicas"},
    {"too few replicas from the start",
     {Replicas(1)},
     false,
     0,
     Kind::kNobodyKnows,
     0,
     "has 1 replica"},
};

class ProspectOfGroup : public ::testing::TestWithParam<Case> {};

TEST_P(ProspectOfGroup, IsWhatItsMakersCanMake) {
  const Case& each = GetParam();
  IncompleteGroup group{.size = 4,
                        .makers = {},
                        .bare_pods = each.bare_pods,
                        .made_before = each.made_before};
  const char* name = "a";
  for (const ControllerState& state : each.makers) {
    group.makers.push_back({"Job", name, state});
    name = "b";
  }
  const GroupProspect prospect = ProspectOf(group);
  EXPECT_EQ(prospect.kind, each.kind) << prospect.why;
  EXPECT_EQ(prospect.pods, each.pods) << prospect.why;
  EXPECT_THAT(prospect.why, HasSubstr(each.why));
  EXPECT_EQ(prospect.why.empty(), each.kind == Kind::kCanBeWhole);
}

INSTANTIATE_TEST_SUITE_P(Cases, ProspectOfGroup, ::testing::ValuesIn(kCases));

// They will use up completions, but not the parallelism for ever.
TEST(GroupMakers, CompletionsOfPodsElsewhereAreNotForTheGroup) {
  const auto of = [](int completions) {
    IncompleteGroup group{.size = 4, .makers = {}};
    group.makers.push_back({"Job", "a", Job(4, completions), 1});
    return ProspectOf(group);
  };
  EXPECT_EQ(of(4).kind, Kind::kSmaller);
  EXPECT_EQ(of(4).pods, 3);
  EXPECT_EQ(of(4).why,
            "only 3 of 4 can come: Job a has 4 of 4 completions left, and 1 "
            "pod elsewhere");
  EXPECT_EQ(of(5), GroupProspect{});
}

}  // namespace
}  // namespace fluxnetes::workers
