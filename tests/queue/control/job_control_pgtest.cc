#include <map>

#include "queue/control/job_control.h"
#include "tests/queue/support/queue_fixture.h"

namespace fluxnetes::queue {
namespace {

using Code = JobError::Code;

class JobControlTest : public QueueTest {
 protected:
  // Makes one job in each state; returns their ids by state.
  std::map<std::string, std::int64_t> OneInEachState() {
    const auto client = NewClient();
    NewJob later = JobOf("later");
    later.scheduled_at = std::chrono::floor<std::chrono::microseconds>(
        std::chrono::system_clock::now() + std::chrono::hours(1));
    NewJob parked = JobOf("parked");
    parked.pending = true;
    std::map<std::string, std::int64_t> all;
    for (const auto& [state, outcome] :
         {std::pair{"completed", Outcome::kCompleted},
          {"cancelled", Outcome::kCancelled},
          {"discarded", Outcome::kDiscarded},
          {"retryable", Outcome::kFailed}}) {
      all[state] = InsertOne(JobOf("ended"));
      FinishOne(LeaseOne(*client, "ended"), outcome, "why");
    }
    all["running"] = InsertOne(JobOf("running"));
    holder_ = NewClient();
    LeaseOne(*holder_, "running");
    all["available"] = InsertOne(JobOf("q"));
    all["scheduled"] = InsertOne(later);
    all["pending"] = InsertOne(parked);
    for (const auto& [state, id] : all) EXPECT_EQ(StateOf(id), state);
    return all;
  }

  // Applies `act` to a job in each state; returns the state afterwards, or the
  // error.
  template <typename Act>
  std::map<std::string, std::string> InEachState(Act act) {
    std::map<std::string, std::string> after;
    for (const auto& [state, id] : OneInEachState()) {
      try {
        act(id);
        after[state] = StateOf(id);
      } catch (const JobError& error) {
        EXPECT_EQ(error.code(), Code::kState);
        EXPECT_EQ(StateOf(id), state);
        after[state] = "refused";
      }
    }
    return after;
  }

  template <typename Act>
  Code CodeOf(Act act) {
    try {
      act();
    } catch (const JobError& error) {
      return error.code();
    }
    ADD_FAILURE() << "nothing was refused";
    return Code::kKind;
  }

  JobControl control{database.pool()};
  std::unique_ptr<Client> holder_;
};

using After = std::map<std::string, std::string>;

TEST_F(JobControlTest, CancelsFromEachState) {
  EXPECT_EQ(InEachState([&](std::int64_t id) { control.Cancel(id); }),
            (After{{"available", "cancelled"},
                   {"scheduled", "cancelled"},
                   {"retryable", "cancelled"},
                   {"pending", "cancelled"},
                   {"running", "running"},
                   {"completed", "refused"},
                   {"cancelled", "refused"},
                   {"discarded", "refused"}}));
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs "
                         "WHERE cancel_requested_at IS NOT NULL"),
            "1");
}

TEST_F(JobControlTest, RunsNowFromEachState) {
  EXPECT_EQ(InEachState([&](std::int64_t id) { control.RunNow(id); }),
            (After{{"available", "available"},
                   {"scheduled", "available"},
                   {"retryable", "available"},
                   {"pending", "refused"},
                   {"running", "refused"},
                   {"completed", "refused"},
                   {"cancelled", "refused"},
                   {"discarded", "refused"}}));
  const auto client = NewClient();
  EXPECT_EQ(jobs.Lease("later", client->id(), 9).size(), 1u);
}

TEST_F(JobControlTest, DeletesFromEachState) {
  EXPECT_EQ(InEachState([&](std::int64_t id) { control.Delete(id); }),
            (After{{"available", ""},
                   {"scheduled", ""},
                   {"retryable", ""},
                   {"pending", ""},
                   {"running", "refused"},
                   {"completed", ""},
                   {"cancelled", ""},
                   {"discarded", ""}}));
}

TEST_F(JobControlTest, ReleasesWhatIsParkedAndNothingElse) {
  EXPECT_EQ(InEachState([&](std::int64_t id) { control.Release(id); }),
            (After{{"available", "refused"},
                   {"scheduled", "refused"},
                   {"retryable", "refused"},
                   {"pending", "available"},
                   {"running", "refused"},
                   {"completed", "refused"},
                   {"cancelled", "refused"},
                   {"discarded", "refused"}}));
}

TEST_F(JobControlTest, ParkedJobsWaitForTheirTimeWhenReleased) {
  NewJob job = JobOf("q");
  job.pending = true;
  job.scheduled_at = std::chrono::floor<std::chrono::microseconds>(
      std::chrono::system_clock::now() + std::chrono::hours(1));
  const auto id = InsertOne(job);
  EXPECT_EQ(StateOf(id), "pending");
  EXPECT_EQ(jobs.MakeDueAvailable(), 0);
  control.Release(id);
  EXPECT_EQ(StateOf(id), "scheduled");
}

TEST_F(JobControlTest, RunsAgainWhatHasEnded) {
  EXPECT_EQ(InEachState([&](std::int64_t id) { control.RunAgain(id); }),
            (After{{"available", "refused"},
                   {"scheduled", "refused"},
                   {"retryable", "refused"},
                   {"pending", "refused"},
                   {"running", "refused"},
                   {"completed", "available"},
                   {"cancelled", "available"},
                   {"discarded", "available"}}));
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs_finished"), "0");
}

TEST_F(JobControlTest, WhatRunsAgainKeepsItsHistoryAndGetsAnotherAttempt) {
  NewJob job = JobOf("q");
  job.max_attempts = 1;
  job.args = R"({"a": 1})";
  job.tags = {"t"};
  const auto id = InsertOne(job);
  const auto client = NewClient();
  const Job first = LeaseOne(*client);
  FinishOne(first, Outcome::kFailed, "no");
  EXPECT_EQ(StateOf(id), "discarded");
  control.RunAgain(id);
  const Job second = LeaseOne(*client);
  EXPECT_EQ(second.id, id);
  EXPECT_EQ(second.attempt, 2);
  EXPECT_EQ(second.max_attempts, 2);
  EXPECT_EQ(second.failures, 1);
  EXPECT_EQ(second.args, job.args);
  EXPECT_EQ(second.tags, job.tags);
  EXPECT_EQ(second.created_at, first.created_at);
  EXPECT_FALSE(FinishOne(first, Outcome::kCompleted));
  EXPECT_TRUE(FinishOne(second, Outcome::kCompleted));
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs_finished"), "1");
}

TEST_F(JobControlTest, UpdatesWhatWaits) {
  JobUpdate update;
  update.priority = 3;
  EXPECT_EQ(InEachState([&](std::int64_t id) { control.Update(id, update); }),
            (After{{"available", "available"},
                   {"scheduled", "scheduled"},
                   {"retryable", "retryable"},
                   {"pending", "pending"},
                   {"running", "refused"},
                   {"completed", "refused"},
                   {"cancelled", "refused"},
                   {"discarded", "refused"}}));
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs WHERE priority = 3"), "4");
}

TEST_F(JobControlTest, AnUpdateChangesWhatItNamesAndLeavesTheRest) {
  NewJob job = JobOf("q");
  job.args = R"({"a": 1})";
  job.tags = {"t"};
  const auto id = InsertOne(job);
  JobUpdate update;
  update.max_attempts = 3;
  update.metadata = R"({"m": "ü"})";
  control.Update(id, update);
  EXPECT_EQ(database.AskAll("SELECT priority, max_attempts, args, tags, "
                            "metadata, state FROM jobs"),
            "1|3|{\"a\": 1}|{t}|{\"m\": \"ü\"}|available");
  update = {};
  update.priority = 2;
  update.args = R"({"b": 2})";
  update.tags = std::vector<std::string>{"u", "v, w"};
  control.Update(id, update);
  EXPECT_EQ(database.AskAll("SELECT priority, max_attempts, args, tags, "
                            "metadata, state FROM jobs"),
            "2|3|{\"b\": 2}|{u,\"v, w\"}|{\"m\": \"ü\"}|available");
}

TEST_F(JobControlTest, ANewTimeMakesAJobDueOrNot) {
  const auto id = InsertOne(JobOf("q"));
  const auto now = std::chrono::floor<std::chrono::microseconds>(
      std::chrono::system_clock::now());
  JobUpdate update;
  update.scheduled_at = now + std::chrono::hours(1);
  control.Update(id, update);
  EXPECT_EQ(StateOf(id), "scheduled");
  update.scheduled_at = now - std::chrono::hours(1);
  control.Update(id, update);
  EXPECT_EQ(StateOf(id), "available");
  const auto client = NewClient();
  EXPECT_EQ(LeaseOne(*client).scheduled_at, *update.scheduled_at);
}

TEST_F(JobControlTest, EachFaultHasItsCode) {
  EXPECT_EQ(CodeOf([&] { control.Cancel(4711); }), Code::kUnknownJob);
  EXPECT_EQ(CodeOf([&] { control.RunNow(4711); }), Code::kUnknownJob);
  EXPECT_EQ(CodeOf([&] { control.Release(4711); }), Code::kUnknownJob);
  EXPECT_EQ(CodeOf([&] { control.RunAgain(4711); }), Code::kUnknownJob);
  EXPECT_EQ(CodeOf([&] { control.Delete(4711); }), Code::kUnknownJob);
  const auto id = InsertOne(JobOf("q"));
  const auto refused = [&](auto member, auto value) {
    JobUpdate update;
    update.*member = value;
    return CodeOf([&] { control.Update(id, update); });
  };
  EXPECT_EQ(refused(&JobUpdate::priority, 5), Code::kPriority);
  EXPECT_EQ(refused(&JobUpdate::max_attempts, 0), Code::kMaxAttempts);
  EXPECT_EQ(refused(&JobUpdate::args, std::string("[]")), Code::kArgs);
  EXPECT_EQ(refused(&JobUpdate::metadata, std::string("{")), Code::kMetadata);
  EXPECT_EQ(refused(&JobUpdate::tags, std::vector<std::string>{"\xff"}),
            Code::kTag);
}

TEST_F(JobControlTest, TakesPartInTheCallersTransaction) {
  const auto id = InsertOne(JobOf("q"));
  {
    sql::Transaction transaction(database.pool());
    EXPECT_EQ(JobControl::Delete(transaction, std::vector{id}),
              std::vector{Changed::kDone});
  }
  EXPECT_EQ(StateOf(id), "available");
}

}  // namespace
}  // namespace fluxnetes::queue
