#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sql/condition_variable.h"
#include "sql/connection/listener.h"
#include "sql/mutex.h"
#include "tests/support/postgres.h"

namespace fluxnetes::sql {
namespace {

using testing::TestDatabase;

// Records what a listener received, in order; Next() waits for more.
class Ear {
 public:
  Listener::Callback callback() {
    return [this](const std::string& payload) {
      const MutexLock lock(mutex_);
      heard_.push_back(payload);
      changed_.NotifyAll();
    };
  }

  std::string Next() {
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::seconds(20);
    const MutexLock lock(mutex_);
    while (heard_.size() <= next_ && changed_.WaitUntil(mutex_, until)) {
    }
    return heard_.size() <= next_ ? "(nothing)" : heard_[next_++];
  }

 private:
  Mutex mutex_;
  ConditionVariable changed_;
  std::vector<std::string> heard_ GUARDED_BY(mutex_);
  std::size_t next_ GUARDED_BY(mutex_) = 0;
};

void Notify(TestDatabase& database, const std::string& channel,
            const std::string& payload) {
  database.Execute("SELECT pg_notify('" + database.schema() + "." + channel +
                   "', '" + payload + "')");
}

TEST(Listener, EachChannelHearsItsOwn) {
  TestDatabase database(false);
  Listener listener(database.options());
  Ear jobs;
  Ear leaders;
  listener.On("jobs", jobs.callback());
  listener.On("leaders", leaders.callback());
  listener.Start();
  EXPECT_EQ(jobs.Next(), "");
  EXPECT_EQ(leaders.Next(), "");
  Notify(database, "jobs", "one");
  Notify(database, "leaders", "two");
  EXPECT_EQ(jobs.Next(), "one");
  EXPECT_EQ(leaders.Next(), "two");
}

TEST(Listener, AnotherSchemaIsNotHeard) {
  TestDatabase database(false);
  TestDatabase other(false);
  Listener listener(database.options());
  Ear ear;
  listener.On("jobs", ear.callback());
  listener.Start();
  ear.Next();
  Notify(other, "jobs", "theirs");
  Notify(database, "jobs", "ours");
  EXPECT_EQ(ear.Next(), "ours");
}

TEST(Listener, ALostConnectionIsReplacedAndThatIsHeard) {
  TestDatabase database(false);
  PoolOptions options = database.options();
  options.application_name = database.schema();
  options.connection += options.connection.find('?') == std::string::npos
                            ? " application_name="
                            : "&application_name=";
  options.connection += database.schema();
  Listener listener(options);
  Ear ear;
  listener.On("jobs", ear.callback());
  listener.Start();
  EXPECT_EQ(ear.Next(), "");
  database.Ask(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
      "WHERE application_name = '" +
      database.schema() + "'");
  EXPECT_EQ(ear.Next(), "");
  Notify(database, "jobs", "again");
  EXPECT_EQ(ear.Next(), "again");
}

TEST(Listener, StopsAtOnceWhileTheDatabaseIsAway) {
  PoolOptions options;
  options.connection = "host=/nonexistent";
  Listener listener(options);
  listener.On("jobs", [](const std::string&) {});
  listener.Start();
  listener.Stop();
  listener.Stop();
}

TEST(Listener, MayBeDestroyedUnstarted) {
  const Listener listener(PoolOptions{});
}

}  // namespace
}  // namespace fluxnetes::sql
