// `serve` when its database breaks connections, restarts, is away or full, or
// is unusable; and how it stops in order.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/mount.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sql/connection/transaction.h"
#include "tests/services/support/deployment.h"
#include "tests/support/postgres.h"

namespace fluxnetes::services {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::WaitUntil;

class DatabaseTrouble : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = std::make_unique<testing::PrivateServer>();
  }
  static void TearDownTestSuite() { server_.reset(); }

  void WaitForBindings(std::size_t count) {
    ASSERT_TRUE(WaitUntil(kPatience, [&] {
      return world_.Bindings() >= count;
    })) << world_.Log();
  }
  // Stops the server like a crash of its machine: no notice, no checkpoint.
  void StopServerAtOnce() {
    std::ifstream in(server_->folder() + "/data/postmaster.pid");
    pid_t postmaster = 0;
    in >> postmaster;
    ASSERT_GT(postmaster, 0);
    kill(postmaster, SIGQUIT);
    ASSERT_TRUE(
        WaitUntil(seconds(60), [&] { return kill(postmaster, 0) != 0; }));
  }
  void ExpectCleanEnd() {
    EXPECT_TRUE(world_.WaitForEnd()) << world_.Leftovers() << "\n"
                                     << world_.Log();
    EXPECT_EQ(world_.ViolationsAtEnd(), "") << world_.Log();
  }
  // Expects that serve reports why it waits and what to do, and goes on once
  // that is done.
  void ExpectItWaits(const std::string& saying, const std::string& until_done) {
    const auto serve = world_.Serve(environment_);
    EXPECT_TRUE(world_.WaitForLog(saying)) << world_.Log();
    EXPECT_FALSE(serve->HasEnded());
    database_.Execute(until_done);
    EXPECT_TRUE(world_.WaitForLog("scheduling")) << world_.Log();
    world_.Submit("now", {});
    ExpectCleanEnd();
  }

  static std::unique_ptr<testing::PrivateServer> server_;
  testing::TestDatabase database_{true, server_->connection()};
  Deployment world_{database_.options()};
  std::map<std::string, std::string> environment_;
};
std::unique_ptr<testing::PrivateServer> DatabaseTrouble::server_;

TEST_F(DatabaseTrouble, ConnectionsThatAreEndedAreMadeAnew) {
  const auto serve = world_.Serve();
  for (const std::size_t bindings : {1, 10, 20, 30}) {
    world_.SubmitMixed(fmt::format("w{}", bindings));
    WaitForBindings(bindings);
    world_.Ask(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
        "WHERE application_name = 'fluxnetes' AND pid <> pg_backend_pid()");
  }
  ExpectCleanEnd();
  EXPECT_FALSE(serve->HasEnded());
}

TEST_F(DatabaseTrouble, ServerThatCrashesLosesNothing) {
  const auto serve = world_.Serve();
  world_.SubmitMixed("before");
  WaitForBindings(6);
  StopServerAtOnce();
  server_->Start();
  world_.SubmitMixed("after");
  ExpectCleanEnd();
  EXPECT_FALSE(serve->HasEnded());
}

TEST_F(DatabaseTrouble, ServerThatIsAwayAtTheStartIsWaitedFor) {
  server_->Stop();
  const auto serve = world_.Serve();
  world_.SubmitMixed("w");
  EXPECT_TRUE(world_.WaitForLog("waiting for the database")) << world_.Log();
  EXPECT_FALSE(serve->HasEnded());
  server_->Start();
  ExpectCleanEnd();
}

TEST_F(DatabaseTrouble, ServerThatIsAwayLongerThanALeaseIsWaitedFor) {
  const auto serve = world_.Serve();
  world_.SubmitMixed("before");
  WaitForBindings(6);
  server_->Stop();
  world_.SubmitMixed("after");
  EXPECT_TRUE(world_.WaitForLog("failed, trying again"));
  // Bindings may have been under way when the server stopped.
  EXPECT_FALSE(serve->WaitForEnd(kTimeToLive).has_value());
  const auto bound = world_.Bindings();
  EXPECT_FALSE(serve->WaitForEnd(2 * kTimeToLive).has_value());
  EXPECT_EQ(world_.Bindings(), bound) << "bound without a record";
  server_->Start();
  ExpectCleanEnd();
}

TEST_F(DatabaseTrouble, StopsInOrderAndLeavesNothingLeased) {
  const auto serve = world_.Serve();
  world_.SubmitMixed("w");
  WaitForBindings(6);
  serve->Signal(SIGTERM);
  EXPECT_EQ(serve->WaitForEnd(seconds(60)), 0) << world_.Log();
  EXPECT_EQ(world_.Ask("SELECT count(*) FROM jobs WHERE state = 'running'"),
            "0");
  EXPECT_EQ(world_.Ask("SELECT count(*) FROM clients"), "0");
  EXPECT_EQ(world_.Ask("SELECT count(client_id) FROM leaders"), "0");
  EXPECT_EQ(world_.Violations(), "");
  const auto next = world_.Serve();
  ExpectCleanEnd();
}

TEST_F(DatabaseTrouble, StopsWithinItsGraceWhileTheServerIsAway) {
  const auto serve = world_.Serve({{"FLUXNETES_SHUTDOWN_GRACE", "5s"}});
  world_.SubmitMixed("w");
  WaitForBindings(6);
  server_->Stop();
  serve->Signal(SIGTERM);
  EXPECT_TRUE(serve->WaitForEnd(seconds(30)).has_value()) << world_.Log();
  server_->Start();
  const auto next = world_.Serve();
  ExpectCleanEnd();
}

TEST_F(DatabaseTrouble, StopsWhileItStillWaitsForTheServer) {
  server_->Stop();
  const auto serve = world_.Serve();
  EXPECT_TRUE(world_.WaitForLog("waiting for the database"));
  serve->Signal(SIGTERM);
  EXPECT_EQ(serve->WaitForEnd(seconds(60)), 0) << world_.Log();
  server_->Start();
}

TEST_F(DatabaseTrouble, SchemaThatIsNotThereYetIsWaitedFor) {
  database_.Execute("ALTER SCHEMA " + database_.schema() + " RENAME TO away");
  ExpectItWaits("fluxnetes migrate up",
                "ALTER SCHEMA away RENAME TO " + database_.schema());
}

TEST_F(DatabaseTrouble, NewerSchemaIsNotTouched) {
  database_.Execute(
      "INSERT INTO schema_migrations SELECT 9999, 'newer', checksum "
      "FROM schema_migrations LIMIT 1");
  ExpectItWaits("newer than this program",
                "DELETE FROM schema_migrations WHERE version = 9999");
}

TEST_F(DatabaseTrouble, RoleWithoutRightsIsToldWhatItNeeds) {
  database_.Execute("CREATE ROLE nobody LOGIN");
  environment_["FLUXNETES_DATABASE"] =
      fmt::format("host={} dbname=fluxnetes user=nobody", server_->folder());
  ExpectItWaits("the schema cannot be read", "ALTER ROLE nobody SUPERUSER");
}

TEST_F(DatabaseTrouble, RoleThatMayOnlyLookIsToldWhatItNeeds) {
  database_.Execute("CREATE ROLE looks LOGIN IN ROLE fluxnetes_viewer");
  database_.Execute("GRANT USAGE ON SCHEMA " + database_.schema() +
                    " TO looks; GRANT SELECT ON ALL TABLES IN SCHEMA " +
                    database_.schema() + " TO looks");
  environment_["FLUXNETES_DATABASE"] =
      fmt::format("host={} dbname=fluxnetes user=looks", server_->folder());
  ExpectItWaits("must own the schema or be granted",
                "ALTER ROLE looks SUPERUSER");
}

// The tables are on a file system of 24 MB.
class FullDisk : public ::testing::Test {
 protected:
  FullDisk() : folder_(server_.folder() + "/small") {
    std::filesystem::create_directory(folder_);
    mounted_ = geteuid() == 0 && mount("tmpfs", folder_.c_str(), "tmpfs", 0,
                                       "size=24m,mode=0777") == 0;
    if (!mounted_) return;
    const passwd* const owner = getpwnam("postgres");
    if (chown(folder_.c_str(), owner->pw_uid, owner->pw_gid) != 0) return;
    sql::PoolOptions options;
    options.connection = server_.connection();
    sql::Pool pool(options);
    sql::RunOutside(pool, "CREATE TABLESPACE small LOCATION '" + folder_ + "'",
                    seconds(1));
  }
  ~FullDisk() override {
    if (!mounted_) return;
    server_.Stop();
    umount2(folder_.c_str(), MNT_DETACH);
  }
  // Fills the file system.
  void Fill() {
    std::ofstream out(folder_ + "/filler", std::ios::binary);
    const std::string block(4096, 'x');
    while (out.write(block.data(), 4096).flush()) continue;
  }

  testing::PrivateServer server_;
  const std::string folder_;
  bool mounted_ = false;
};

TEST_F(FullDisk, IsSaidAndWorkGoesOnByItselfWhenThereIsRoom) {
  if (!mounted_) GTEST_SKIP() << "only root may make a small file system";
  testing::TestDatabase database(
      true, server_.connection() + "&options=-c%20default_tablespace%3Dsmall");
  Deployment world(database.options());
  const auto serve = world.Serve();
  world.SubmitMixed("before");
  ASSERT_TRUE(WaitUntil(kPatience, [&] { return world.Bindings() > 6; }));
  Fill();
  const auto is_said = [&] {
    return world.Log().find("No space") != std::string::npos;
  };
  for (int i = 0; i < 200 && !WaitUntil(milliseconds(200), is_said); ++i)
    world.SubmitMixed(fmt::format("full{}", i));
  EXPECT_TRUE(world.WaitForLog("No space left on device")) << world.Log();
  EXPECT_FALSE(serve->WaitForEnd(2 * kTimeToLive).has_value());
  EXPECT_EQ(world.Violations(), "");
  std::filesystem::remove(folder_ + "/filler");
  EXPECT_TRUE(world.WaitForEnd(seconds(400))) << world.Leftovers() << "\n"
                                              << world.Log();
  EXPECT_EQ(world.ViolationsAtEnd(), "") << world.Log();
}

}  // namespace
}  // namespace fluxnetes::services
