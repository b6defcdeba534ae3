// No statement depends on luck with statistics: each named statement of the
// workers, the queue and the services does about as much work with wrong ones
// as with right ones, and as much as it is given rows.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include "sql/connection/transaction.h"
#include "sql/error.h"
#include "tests/services/support/statement_work.h"
#include "tests/support/places.h"
#include "tests/support/postgres.h"

namespace fluxnetes::testing {
namespace {

using ::testing::IsSubsetOf;

constexpr int kK = 10;
constexpr int kMoreK = 80;
constexpr int kGroups = 1'000;
constexpr int kOfClass = 10;  // overdue, cancelled, failed ... groups
// Work below this does not matter.
constexpr Work kFloor = {.rows = 600, .pages = 400};

// Without arguments, or for tests alone.
const std::set<std::string> kNotMeasured = {"ping", "make_bench_schema",
                                            "drop_bench_schema"};

using Works = std::map<std::string, Work>;

class StatementWorkTest : public ::testing::Test {
 protected:
  StatementWorkTest() {
    std::ifstream in(SourcePath("tests/services/support/statement_tables.sql"));
    database_.Execute({std::istreambuf_iterator<char>(in), {}});
    for (const std::string& table : Tables())
      database_.Execute("ALTER TABLE " + table +
                        " SET (autovacuum_enabled = off)");
    database_.Execute("SELECT settle()");
  }

  // All that a statement of ours can read.
  std::vector<std::string> Tables() {
    std::vector<std::string> tables;
    sql::Transaction transaction(database_.pool());
    for (const sql::Row row : transaction.RunScript(
             "SELECT relname::text FROM pg_class WHERE relkind = 'r' "
             "AND relnamespace = current_schema()::regnamespace"))
      tables.push_back(row.Get<std::string>(0));
    return tables;
  }

  void Grow(std::int64_t first, int groups, int of_class = kOfClass) {
    Change(fmt::format("SELECT grow({}, {}, {})", first, groups, of_class));
  }
  void Shrink(std::int64_t first) {
    Change(fmt::format("SELECT shrink({})", first));
  }
  void Analyze(const char* how = "ANALYZE") {
    for (const std::string& table : Tables())
      sql::RunOutside(database_.pool(), fmt::format("{} {}", how, table), {});
  }

  // Measures each statement of the connection's kind. Twice, because the first
  // scan of an index marks its dead entries.
  Works MeasureAll(StatementWork& connection, int k = kK, int times = 2) {
    Works works;
    auto& arguments = arguments_[k];
    for (const auto& [name, statement] : statements_) {
      if (!(connection.loops() ? statement.loops : statement.commands))
        continue;
      try {
        if (!arguments.contains(name))
          arguments[name] = connection.ArgumentsOf(statement, k);
        for (int i = 0; i < times; ++i)
          works[name] = connection.Measure(statement, arguments.at(name));
      } catch (const sql::Error& error) {
        ADD_FAILURE() << name << ": " << error.what();
      }
    }
    return works;
  }

  // Expects of each statement that both measures are at most `times` the normal
  // ones. What reads all may fetch a page or so for each row, by an index,
  // instead of joining by hash.
  void ExpectAtMost(double times, const Works& works, const Works& normal,
                    const std::string& when) {
    EXPECT_GT(normal.size(), 50U);
    for (const auto& [name, work] : works) {
      const auto found = normal.find(name);
      if (found == normal.end()) continue;
      const Work& usual = found->second;
      const double by_index =
          statements_.at(name).reads_all ? 4 * usual.rows : 0;
      EXPECT_LE(work.rows, times * usual.rows + kFloor.rows)
          << name << ", rows: " << when;
      EXPECT_LE(work.pages, times * usual.pages + by_index + kFloor.pages)
          << name << ", pages: " << when;
    }
  }

  // Brings the tables into a state by `make_statistics`, which then are wrong
  // because of `change`, and compares the work with that after an ANALYZE.
  void ExpectNoLuck(const std::function<void()>& make_statistics,
                    const std::function<void()>& change) {
    make_statistics();
    // Their plans are made now, and stay.
    StatementWork early(database_.options(), /*loops=*/true);
    MeasureAll(early, kK, 1);
    change();
    StatementWork late(database_.options(), /*loops=*/true);
    StatementWork command(database_.options(), /*loops=*/false);
    const Works of_early = MeasureAll(early);
    const Works of_late = MeasureAll(late);
    const Works of_command = MeasureAll(command);
    Analyze();
    StatementWork right(database_.options(), /*loops=*/true);
    StatementWork right_command(database_.options(), /*loops=*/false);
    const Works normal = MeasureAll(right);
    ExpectAtMost(2, of_early, normal, "with the plan of before the change");
    ExpectAtMost(2, of_late, normal, "with a plan of after the change");
    ExpectAtMost(2, of_command, MeasureAll(right_command), "in a command");
  }

  void Change(const std::string& statement) {
    database_.Execute(statement);
    arguments_.clear();
  }

  TestDatabase database_;
  std::map<std::string, MeasuredStatement> statements_ =
      ReadMeasuredStatements();
  // By k and name, while the tables stay as they are.
  std::map<int, std::map<std::string, std::string>> arguments_;
};

constexpr std::int64_t kFirst = 10'000'000;
constexpr std::int64_t kSecond = 20'000'000;

TEST_F(StatementWorkTest, EachStatementHasArguments) {
  std::set<std::string> measured;
  for (const auto& [name, statement] : statements_) measured.insert(name);
  for (const std::string& name : NamesInSources())
    EXPECT_TRUE(measured.contains(name) != kNotMeasured.contains(name))
        << name << " needs a line in statement_arguments.tsv";
  EXPECT_THAT(measured, IsSubsetOf(NamesInSources()));
}

TEST_F(StatementWorkTest, IsTheSameInTablesThatGrewAfterTheyWereFoundEmpty) {
  ExpectNoLuck([&] { Analyze("VACUUM ANALYZE"); },
               [&] { Grow(kFirst, kGroups); });
}

TEST_F(StatementWorkTest,
       IsTheSameInTablesThatWereFoundWithFewRowsInManyPages) {
  ExpectNoLuck(
      [&] {
        Grow(1, kGroups);
        Grow(kFirst, 1, 1);
        Shrink(kFirst);
        Analyze("VACUUM ANALYZE");
      },
      [&] { Grow(kSecond, kGroups); });
}

TEST_F(StatementWorkTest, IsTheSameInTablesThatWereFoundLargeAndAreSmall) {
  ExpectNoLuck(
      [&] {
        Grow(1, 5 * kGroups);
        Analyze("VACUUM ANALYZE");
      },
      [&] {
        Shrink(kFirst);
        Grow(kFirst, 250);
      });
}

// With kMoreK groups of each special class, of which there are twenty.
TEST_F(StatementWorkTest, GrowsWithWhatIsGivenNotWithTheTables) {
  constexpr int kTimes = 4;
  constexpr int kSpecial = 20 * kMoreK;
  const auto measure = [&](bool loops, int k) {
    StatementWork connection(database_.options(), loops);
    return MeasureAll(connection, k, 1);
  };
  Grow(kFirst, 2 * kSpecial, kMoreK);
  Analyze("VACUUM ANALYZE");
  const std::map<bool, Works> small = {{true, measure(true, kK)},
                                       {false, measure(false, kK)}};
  Grow(kSecond, (kTimes - 1) * kSpecial, 0);
  Analyze("VACUUM ANALYZE");
  for (const bool loops : {true, false}) {
    const Works large = measure(loops, kK);
    const Works given_more = measure(loops, kMoreK);
    Works given;
    Works all;
    for (const auto& [name, work] : large)
      (statements_.at(name).reads_all ? all : given)[name] = work;
    ExpectAtMost(2, given, small.at(loops), "in tables that are larger");
    ExpectAtMost(2 * kTimes, all, small.at(loops), "in tables that are larger");
    ExpectAtMost(2.0 * kMoreK / kK, given_more, large, "given more");
    for (const auto& [name, work] : given) {
      if (!statements_.at(name).HasK()) continue;
      EXPECT_GT(given_more.at(name).rows, work.rows)
          << name << " finds nothing with its arguments";
    }
  }
}

}  // namespace
}  // namespace fluxnetes::testing
