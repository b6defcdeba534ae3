// Events, hooks and middleware.

#include <atomic>

#include "tests/queue/runner/runner_fixture.h"

namespace fluxnetes::queue {
namespace {

class HooksTest : public RunnerTest {};
class EventsTest : public RunnerTest {};

TEST_F(HooksTest, MiddlewareSurroundsTheWorkOutermostFirst) {
  Workers workers;
  std::string order;
  workers.Add("k", [&](RunningJob&) { order += "work "; });
  RunnerOptions options = Options();
  options.hooks.begin = [&](RunningJob&) { order += "begin "; };
  options.hooks.around = {[&](RunningJob& job, const Work& next) {
                            order += "a( ";
                            next(job);
                            order += ") ";
                          },
                          [&](RunningJob& job, const Work& next) {
                            order += "b( ";
                            next(job);
                            order += ") ";
                          }};
  options.hooks.end = [&](const Job&, JobResult&) { order += "end"; };
  const auto runner = Started(workers, options);
  EXPECT_TRUE(WaitForState(InsertOne(JobOf("q")), "completed"));
  runner->Stop();
  EXPECT_EQ(order, "begin a( b( work ) ) end");
}

TEST_F(HooksTest, AHookMayChangeTheResult) {
  Workers workers;
  workers.Add("k", [](RunningJob&) { throw std::runtime_error("hopeless"); });
  RunnerOptions options = Options();
  options.hooks.end = [](const Job&, JobResult& result) {
    if (result.error == "hopeless") result.outcome = Outcome::kDiscarded;
  };
  const auto runner = Started(workers, options);
  EXPECT_TRUE(WaitForState(InsertOne(JobOf("q")), "discarded"));
}

TEST_F(HooksTest, OneThatThrowsFailsTheJob) {
  Workers workers;
  workers.Add("k", [](RunningJob&) {});
  RunnerOptions options = Options();
  options.hooks.begin = [](RunningJob&) {
    throw std::runtime_error("not today");
  };
  const auto runner = Started(workers, options);
  const auto id = InsertOne(JobOf("q"));
  EXPECT_TRUE(WaitForState(id, "retryable"));
  EXPECT_EQ(ErrorOf(id), "not today");
}

TEST_F(HooksTest, MetadataIsMergedWithTheResult) {
  Workers workers;
  workers.Add("k", [](RunningJob& job) { job.SetMetadata(R"({"b": 2})"); });
  const auto runner = Started(workers);
  NewJob job = JobOf("q");
  job.metadata = R"({"a": 1})";
  EXPECT_TRUE(WaitForState(InsertOne(job), "completed"));
  EXPECT_EQ(database.Ask("SELECT metadata FROM jobs_finished"),
            R"({"a": 1, "b": 2})");
}

TEST_F(HooksTest, AResultThatIsRefusedFailsItsJobAndHoldsUpNoOther) {
  Workers workers;
  workers.Add("bad", [](RunningJob& job) { job.SetMetadata("no object"); });
  Gate gate;
  workers.Add("k", [&](RunningJob&) { gate.Pass(); });
  const auto runner = Started(workers);
  InsertMany("q", 5);
  const auto bad = InsertOne(JobOf("q", "bad"));
  ASSERT_TRUE(gate.WaitFor(5));
  gate.Open();
  EXPECT_TRUE(WaitForAnswer("SELECT count(*) FROM jobs_finished", "5"));
  EXPECT_TRUE(WaitForState(bad, "retryable"));
  EXPECT_EQ(ErrorOf(bad).find("its result was refused: "), 0u);
}

TEST_F(HooksTest, AKindsOwnBackOffSaysWhenAFailedJobRunsAgain) {
  Workers workers;
  std::atomic<int> runs = 0;
  workers.Add("k",
              [&](RunningJob&) {
                if (++runs < 3) throw std::runtime_error("again");
              },
              {.back_off = [](const Job&, const std::string&) {
                return std::chrono::milliseconds(0);
              }});
  const auto runner = Started(workers);
  EXPECT_TRUE(WaitForState(InsertOne(JobOf("q")), "completed"));
  EXPECT_EQ(runs, 3);
}

TEST_F(EventsTest, ComeAfterTheCommitWithDurations) {
  Workers workers;
  workers.Add("k", [](RunningJob&) {});
  workers.Add("last", [](RunningJob&) { throw std::runtime_error("enough"); });
  const auto runner = Started(workers);
  const auto events = runner->Subscribe();
  const auto id = InsertOne(JobOf("q"));
  auto event = events->Next(kPatience);
  ASSERT_TRUE(event);
  EXPECT_EQ(StateOf(id), "completed");
  EXPECT_EQ(event->job.id, id);
  EXPECT_EQ(event->kind, EventKind::kCompleted);
  EXPECT_GT(event->recorded.count(), 0);
  NewJob last = JobOf("q", "last");
  last.max_attempts = 1;
  InsertOne(last);
  event = events->Next(kPatience);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, EventKind::kDiscarded);
  EXPECT_EQ(event->error, "enough");
}

TEST(Subscription, DropsAndCountsWhatNobodyTakes) {
  EventStream stream;
  EXPECT_FALSE(stream.HasSubscribers());
  auto events = stream.Subscribe(2);
  for (int i = 0; i < 5; ++i) {
    Event event;
    event.job.id = i;
    stream.Publish(event);
  }
  EXPECT_EQ(events->dropped(), 3);
  EXPECT_EQ(events->Next(kPatience)->job.id, 0);
  EXPECT_EQ(events->Next(kPatience)->job.id, 1);
  EXPECT_FALSE(events->Next(std::chrono::milliseconds(0)));
  events.reset();
  EXPECT_FALSE(stream.HasSubscribers());
}

TEST(WorkersTest, OneKindHasOneWorker) {
  Workers workers;
  workers.Add("k", [](RunningJob&) {});
  EXPECT_THROW(workers.Add("k", [](RunningJob&) {}), std::invalid_argument);
  EXPECT_THROW(workers.AddCallback("", [](const RunningJob&) {}),
               std::invalid_argument);
  EXPECT_EQ(workers.Find("other"), nullptr);
}

}  // namespace
}  // namespace fluxnetes::queue
