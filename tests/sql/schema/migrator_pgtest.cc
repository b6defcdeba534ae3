#include <gtest/gtest.h>

#include <future>
#include <vector>

#include "migrations/migrations.h"
#include "sql/connection/transaction.h"
#include "sql/schema/migrator.h"
#include "tests/support/postgres.h"

namespace fluxnetes::sql {
namespace {

using testing::TestDatabase;

constexpr Migration kTwo[] = {
    {1, "one", "CREATE TABLE one (id integer); INSERT INTO one VALUES (1)"},
    {2, "two", "CREATE TABLE two (id integer)"}};
constexpr Migration kThree[] = {
    kTwo[0], kTwo[1], {3, "three", "CREATE TABLE three (id integer)"}};
constexpr Migration kBroken[] = {
    kTwo[0], kTwo[1], {3, "three", "CREATE TABLE three (id integer); SELEC 1"}};
constexpr Migration kEdited[] = {kTwo[0], {2, "two", "CREATE TABLE zwei ()"}};

TEST(Migrator, TwiceIsANoOp) {
  TestDatabase database(false);
  EXPECT_EQ(Migrator(database.pool(), kTwo).Up(), (std::vector{1, 2}));
  EXPECT_EQ(Migrator(database.pool(), kTwo).Up(), std::vector<int>());
  EXPECT_EQ(database.Ask("SELECT count(*) FROM one"), "1");
}

TEST(Migrator, OnlyWhatIsMissingIsApplied) {
  TestDatabase database(false);
  Migrator(database.pool(), kTwo).Up();
  EXPECT_EQ(Migrator(database.pool(), kThree).Validate(), SchemaState::kBehind);
  EXPECT_EQ(Migrator(database.pool(), kThree).Up(), std::vector{3});
  EXPECT_EQ(Migrator(database.pool(), kThree).Validate(),
            SchemaState::kCurrent);
}

TEST(Migrator, AnInterruptedRunResumesWhereItStopped) {
  TestDatabase database(false);
  EXPECT_THROW(Migrator(database.pool(), kBroken).Up(), Error);
  EXPECT_EQ(database.Ask("SELECT max(version) FROM schema_migrations"), "2");
  EXPECT_EQ(database.Ask("SELECT to_regclass('three')"), "NULL");
  EXPECT_EQ(Migrator(database.pool(), kThree).Up(), std::vector{3});
}

TEST(Migrator, ASchemaOfANewerProgramIsLeftAlone) {
  TestDatabase database(false);
  Migrator(database.pool(), kThree).Up();
  Migrator older(database.pool(), kTwo);
  EXPECT_EQ(older.Validate(), SchemaState::kNewer);
  EXPECT_THROW(older.Up(), std::runtime_error);
}

TEST(Migrator, AnEditedScriptIsNoticed) {
  TestDatabase database(false);
  Migrator(database.pool(), kTwo).Up();
  Migrator edited(database.pool(), kEdited);
  EXPECT_EQ(edited.Validate(), SchemaState::kChanged);
  EXPECT_FALSE(edited.Status()[0].changed);
  EXPECT_TRUE(edited.Status()[1].changed);
}

TEST(Migrator, AnEmptyDatabaseIsBehind) {
  TestDatabase database(false);
  Migrator migrator(database.pool(), kTwo);
  EXPECT_EQ(migrator.Validate(), SchemaState::kBehind);
  const auto statuses = migrator.Status();
  ASSERT_EQ(statuses.size(), 2u);
  EXPECT_EQ(statuses[1].name, "two");
  EXPECT_FALSE(statuses[1].applied_at.has_value());
}

TEST(Migrator, SeveralAtOnceApplyEachScriptOnce) {
  TestDatabase database(false);
  std::vector<std::future<std::size_t>> runs;
  for (int i = 0; i < 4; ++i)
    runs.push_back(std::async(std::launch::async, [&] {
      Pool pool(database.options());
      return Migrator(pool, kTwo).Up().size();
    }));
  std::size_t applied = 0;
  for (auto& run : runs) applied += run.get();
  EXPECT_EQ(applied, 2u);
  EXPECT_EQ(database.Ask("SELECT count(*) FROM one"), "1");
}

TEST(Migrator, TheFirstSchemaIsFoundByWhoeverConnects) {
  const testing::PrivateServer server({"fsync=off"});
  PoolOptions options;
  options.connection = server.connection();
  for (const char* schema : {"fluxnetes", "second"}) {
    options.schema = schema;
    Pool pool(options);
    Migrator(pool, kTwo).Up();
  }
  TestDatabase database(false, server.connection());
  EXPECT_EQ(database.Ask("SELECT setconfig[1] FROM pg_db_role_setting"),
            "search_path=fluxnetes, public");
}

TEST(Migrator, ARoleThatMayNotMakeASchemaIsToldSo) {
  TestDatabase database(false);
  const std::string role = database.schema() + "_role";
  database.Execute("CREATE ROLE " + role);
  PoolOptions options = database.options();
  const bool is_uri = options.connection.find("://") != std::string::npos;
  const bool has_query = options.connection.find('?') != std::string::npos;
  options.connection += is_uri ? (has_query ? "&options=-crole%3D" + role
                                            : "?options=-crole%3D" + role)
                               : " options='-c role=" + role + "'";
  Pool pool(options);
  try {
    Migrator(pool, kTwo).Up();
    ADD_FAILURE() << "a schema was made";
  } catch (const Error& error) {
    EXPECT_EQ(error.sqlstate(), "42501") << error.what();
  }
  database.Execute("DROP ROLE " + role);
}

TEST(Migrations, UpFromEveryVersionEqualsAFreshInstall) {
  const auto all = migrations::All();
  const std::string columns =
      "SELECT table_name, column_name, data_type, is_nullable, column_default "
      "FROM information_schema.columns WHERE table_schema = current_schema() "
      "ORDER BY 1, 2";
  TestDatabase fresh;
  const auto Stripped = [](std::string text, const std::string& schema) {
    for (std::size_t at; (at = text.find(schema)) != text.npos;)
      text.erase(at, schema.size());
    return text;
  };
  const std::string expected = Stripped(fresh.AskAll(columns), fresh.schema());
  for (std::size_t version = 1; version < all.size(); ++version) {
    TestDatabase stepped(false);
    Migrator(stepped.pool(), all.first(version)).Up();
    Migrator(stepped.pool(), all).Up();
    EXPECT_EQ(Stripped(stepped.AskAll(columns), stepped.schema()), expected);
    EXPECT_EQ(Migrator(stepped.pool(), all).Validate(), SchemaState::kCurrent);
  }
}

TEST(Migrations, TwoSchemasLiveInOneDatabase) {
  TestDatabase one;
  TestDatabase two(true, one.options().connection);
  EXPECT_NE(one.schema(), two.schema());
  one.Execute("INSERT INTO queues (name) VALUES ('gpu')");
  EXPECT_EQ(one.Ask("SELECT count(*) FROM queues"), "2");
  EXPECT_EQ(two.Ask("SELECT count(*) FROM queues"), "1");
}

TEST(Migrations, EveryTableAndColumnIsExplained) {
  TestDatabase database;
  EXPECT_EQ(database.AskAll(R"(
      SELECT c.relname, a.attname FROM pg_class AS c
      JOIN pg_attribute AS a ON a.attrelid = c.oid
      WHERE c.relnamespace = current_schema()::regnamespace
      AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
      AND a.attnum >= 0 AND NOT a.attisdropped
      AND col_description(c.oid, a.attnum) IS NULL
      UNION ALL
      SELECT relname, '(itself)' FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace
      AND relkind IN ('r', 'p', 'v') AND NOT relispartition
      AND obj_description(oid, 'pg_class') IS NULL)"),
            "");
}

}  // namespace
}  // namespace fluxnetes::sql
