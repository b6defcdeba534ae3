#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "sql/connection/listener.h"
#include "tests/support/postgres.h"

namespace fluxnetes::sql {
namespace {

using testing::TestDatabase;

// Records what a listener received, in order; Next() waits for more.
class Ear {
 public:
  Listener::Callback callback() {
    return [this](const std::string& payload) {
      const std::lock_guard lock(mutex_);
      heard_.push_back(payload);
      changed_.notify_all();
    };
  }

  std::string Next() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(20),
                           [&] { return heard_.size() > next_; }))
      return "(nothing)";
    return heard_[next_++];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> heard_;
  std::size_t next_ = 0;
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
