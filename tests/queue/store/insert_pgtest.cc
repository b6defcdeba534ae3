#include <atomic>
#include <numeric>

#include "queue/store/job_notifier.h"
#include "sql/connection/listener.h"
#include "sql/error.h"
#include "tests/queue/support/queue_fixture.h"

namespace fluxnetes::queue {
namespace {

class Insert : public QueueTest {
 protected:
  // Returns the number of notifications that `act` causes; they are counted
  // once a later one, sent by the test, arrives.
  template <typename Act>
  int Rings(Act act) {
    std::atomic<int> rings = 0;
    std::atomic<int> marks = 0;
    sql::Listener listener(database.options());
    listener.On("jobs", [&](const std::string& payload) {
      if (payload == "mark" || payload.empty())
        ++marks, marks.notify_all();
      else
        ++rings;
    });
    listener.Start();
    marks.wait(0);
    act();
    database.Execute("SELECT pg_notify(current_schema() || '.jobs', 'mark')");
    marks.wait(1);
    listener.Stop();
    return rings;
  }
};

TEST_F(Insert, DefaultsAreFilledIn) {
  InsertOne(JobOf("q", "bind"));
  EXPECT_EQ(database.AskAll("SELECT kind, queue, priority, state, attempt, "
                            "max_attempts, args, errors, tags, metadata, "
                            "client_id FROM jobs"),
            "bind|q|1|available|0|25|{}|[]|{}|{}|NULL");
}

TEST_F(Insert, EveryAttributeIsStoredUnchanged) {
  NewJob job = JobOf("match:größe", "k\"i\\n'd %s");
  job.args = R"({"a": [1, {"b": null}], "u": "\"quoted\" \\ ü 😀"})";
  job.priority = 4;
  job.max_attempts = 3;
  job.tags = {"one", "", "with, comma", "NULL", "{brace}", "q\"uote\\", "😀"};
  job.metadata = R"({"nested": {"deep": [true]}})";
  const auto id = InsertOne(job);

  EXPECT_EQ(database.Ask("SELECT kind FROM jobs"), job.kind);
  EXPECT_EQ(database.Ask("SELECT queue FROM jobs"), job.queue);
  EXPECT_EQ(database.Ask("SELECT args FROM jobs"), job.args);
  EXPECT_EQ(database.Ask("SELECT metadata FROM jobs"), job.metadata);
  EXPECT_EQ(database.Ask("SELECT priority * 10 + max_attempts FROM jobs"),
            "43");
  sql::Transaction transaction(database.pool());
  EXPECT_EQ(transaction.RunScript("SELECT tags FROM jobs")[0]
                .Get<std::vector<std::string>>(0),
            job.tags);
  EXPECT_EQ(std::to_string(id), database.Ask("SELECT id FROM jobs"));
}

TEST_F(Insert, AFutureTimeMakesItScheduled) {
  NewJob later = JobOf("q");
  later.scheduled_at = std::chrono::floor<std::chrono::microseconds>(
      std::chrono::system_clock::now() + std::chrono::hours(1));
  NewJob past = JobOf("q");
  past.scheduled_at = *later.scheduled_at - std::chrono::hours(2);
  const auto ids = IdsOf(jobs.Insert(std::vector{later, past, JobOf("q")}));
  EXPECT_EQ(StateOf(ids[0]), "scheduled");
  EXPECT_EQ(StateOf(ids[1]), "available");
  EXPECT_EQ(StateOf(ids[2]), "available");
  sql::Transaction transaction(database.pool());
  EXPECT_EQ(
      transaction
          .RunScript("SELECT scheduled_at FROM jobs ORDER BY id LIMIT 1")[0]
          .Get<sql::Timestamp>(0),
      later.scheduled_at);
}

TEST_F(Insert, WhatCannotBeIsRejected) {
  NewJob job = JobOf("q");
  for (const int priority : {0, 5, -1}) {
    job.priority = priority;
    EXPECT_THROW(InsertOne(job), std::invalid_argument);
  }
  job = JobOf("q", "");
  EXPECT_THROW(InsertOne(job), std::invalid_argument);
  job = JobOf("");
  EXPECT_THROW(InsertOne(job), std::invalid_argument);
  job = JobOf("q");
  job.max_attempts = 0;
  EXPECT_THROW(InsertOne(job), std::invalid_argument);
  for (const char* args : {"", "[]", "1", "null", "{\"a\":}", "{} {}", "x"}) {
    job = JobOf("q");
    job.args = args;
    EXPECT_THROW(InsertOne(job), std::invalid_argument) << args;
  }
  job = JobOf(std::string("q\0q", 3));
  EXPECT_THROW(InsertOne(job), std::invalid_argument);
  job = JobOf("q");
  job.args = "{\"deep\":" + std::string(100'000, '[') +
             std::string(100'000, ']') + "}";
  EXPECT_THROW(InsertOne(job), JobError);
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs"), "0");
}

TEST_F(Insert, EachFaultHasItsCode) {
  using Code = JobError::Code;
  const auto code_of = [&](auto change) {
    NewJob job = JobOf("q");
    change(job);
    try {
      InsertOne(job);
    } catch (const JobError& error) {
      return std::optional(error.code());
    }
    return std::optional<Code>();
  };
  const std::string long_name(kMaxNameBytes + 1, 'x');
  EXPECT_EQ(code_of([&](NewJob& job) { job.kind = ""; }), Code::kKind);
  EXPECT_EQ(code_of([&](NewJob& job) { job.kind = long_name; }), Code::kKind);
  EXPECT_EQ(code_of([&](NewJob& job) { job.queue = ""; }), Code::kQueue);
  EXPECT_EQ(code_of([&](NewJob& job) { job.queue = "\xff"; }), Code::kQueue);
  EXPECT_EQ(code_of([&](NewJob& job) { job.priority = 0; }), Code::kPriority);
  EXPECT_EQ(code_of([&](NewJob& job) { job.max_attempts = 0; }),
            Code::kMaxAttempts);
  EXPECT_EQ(code_of([&](NewJob& job) { job.args = "{"; }), Code::kArgs);
  EXPECT_EQ(code_of([&](NewJob& job) { job.metadata = "1"; }), Code::kMetadata);
  EXPECT_EQ(code_of([&](NewJob& job) { job.tags = {long_name}; }), Code::kTag);
  EXPECT_EQ(code_of([&](NewJob& job) { job.tags.resize(kMaxTags + 1); }),
            Code::kTooLarge);
  const auto object = [](std::size_t bytes) {
    return "{\"a\":\"" + std::string(bytes - 8, 'x') + "\"}";
  };
  EXPECT_EQ(code_of([&](NewJob& job) { job.args = object(kMaxArgsBytes + 1); }),
            Code::kTooLarge);
  EXPECT_EQ(code_of([&](NewJob& job) {
              job.metadata = object(kMaxMetadataBytes + 1);
            }),
            Code::kTooLarge);
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs"), "0");
  EXPECT_EQ(code_of([&](NewJob& job) {
              job.args = object(kMaxArgsBytes);
              job.metadata = object(kMaxMetadataBytes);
              job.tags.assign(kMaxTags, long_name.substr(1));
              job.kind = job.queue = long_name.substr(1);
            }),
            std::nullopt);
}

TEST_F(Insert, AThousandKeepTheirOrder) {
  std::vector<NewJob> many(1'000, JobOf("q"));
  for (int i = 0; i < 1'000; ++i)
    many[i].args = "{\"n\": " + std::to_string(i) + "}";
  const auto ids = IdsOf(jobs.Insert(many));
  ASSERT_EQ(ids.size(), 1'000u);
  sql::Transaction transaction(database.pool());
  const auto rows = transaction.RunScript(
      "SELECT id, (args->>'n')::int FROM jobs ORDER BY 1");
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_EQ(rows[i].Get<std::int64_t>(0), ids[i]);
    EXPECT_EQ(rows[i].Get<int>(1), i);
  }
}

TEST_F(Insert, InvisibleUntilCommitAndGoneOnRollback) {
  {
    sql::Transaction transaction(database.pool());
    jobs.Insert(transaction, std::vector{JobOf("q")});
    EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs"), "0");
  }
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs"), "0");
  sql::Transaction transaction(database.pool());
  jobs.Insert(transaction, std::vector{JobOf("q")});
  transaction.Commit();
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs"), "1");
}

TEST_F(Insert, CopyAndInsertGiveEqualRows) {
  NewJob rich = JobOf("q", "tab\tnew\nline\\N");
  rich.tags = {"a b", "\t"};
  rich.metadata = R"({"x": "\n"})";
  rich.scheduled_at = std::chrono::floor<std::chrono::microseconds>(
      std::chrono::system_clock::now() + std::chrono::hours(1));
  const std::vector<NewJob> both = {rich, JobOf("q")};
  jobs.Insert(both);
  sql::Transaction transaction(database.pool());
  jobs.InsertCopy(transaction, both);
  transaction.Commit();
  EXPECT_EQ(database.AskAll(
                "SELECT count(*) FROM jobs GROUP BY kind, queue, priority, "
                "state, attempt, max_attempts, args, errors, tags, metadata, "
                "CASE WHEN state = 'scheduled' THEN scheduled_at END"),
            "2\n2");
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs "
                         "WHERE state = 'available' AND "
                         "scheduled_at <> created_at"),
            "0");
}

TEST_F(Insert, OneNotificationPerQueueAndBatch) {
  EXPECT_EQ(Rings([&] {
              jobs.Insert(std::vector{JobOf("a"), JobOf("b"), JobOf("a")});
            }),
            2);
}

TEST_F(Insert, NoNotificationBeforeTheCommit) {
  EXPECT_EQ(Rings([&] {
              sql::Transaction transaction(database.pool());
              jobs.Insert(transaction, std::vector{JobOf("a")});
            }),
            0);
  EXPECT_EQ(Rings([&] {
              sql::Transaction transaction(database.pool());
              jobs.Insert(transaction, std::vector{JobOf("a")}, false);
              transaction.Commit();
            }),
            0);
}

TEST_F(Insert, ABurstIsAnnouncedAtBothEdges) {
  // Long enough for a slow machine to insert many meanwhile.
  JobNotifier notifier(database.pool(), std::chrono::seconds(1));
  WorkQueue announced(database.pool(), &notifier);
  const int rings = Rings([&] {
    notifier.Start();
    for (int i = 0; i < 30; ++i) announced.Insert(std::vector{JobOf("a")});
    notifier.Stop();
  });
  EXPECT_GE(rings, 2);
  EXPECT_LE(rings, 15);
}

}  // namespace
}  // namespace fluxnetes::queue
