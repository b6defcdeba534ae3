// All surfaces say the same state, reason and start of a group: a property that
// is checked on random states of the database. A failure names its seed:
//
//   env FLUXNETES_TEST_SEED=7 services_tests --gtest_filter='GroupStanding.*'
//
// The long form (FLUXNETES_TEST_LONG=1) has many more states.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "services/console/time_text.h"
#include "sql/faults.h"
#include "tests/services/support/group_surfaces.h"
#include "tests/services/support/grpc_scheduling.h"
#include "tests/services/support/random_groups.h"

namespace fluxnetes::services {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class GroupStanding : public GrpcScheduling<CommandDatabase> {
 protected:
  GroupStanding() {
    run_.SetNow(std::chrono::floor<std::chrono::seconds>(run_.now()));
  }

  void CheckSeed(std::uint64_t seed, std::size_t each);
  void Compare(const std::string& surface, const Sayings& sayings);
  void CheckTold(const Sayings& told);
  void CheckRows();
  void CheckSqueue();
  void CheckSummary(const ExpectedGroup& group, const json& explanation);
  void CheckNodes(const ExpectedGroup& group, const json& explanation);
  void CheckExplanations(const Explanations& explanations);

  // Groups of an earlier state may still be in a watch.
  Sayings Watched() {
    std::int64_t last = 0;
    for (const ExpectedGroup& group : groups_)
      if (group.active) last = group.id;
    Sayings watched = WatchedByGrpc(*stub_, last);
    std::erase_if(watched,
                  [this](const auto& said) { return !Find(said.first); });
    return watched;
  }

  const ExpectedGroup* Find(const std::string& name) const {
    for (const ExpectedGroup& group : groups_)
      if (group.name == name) return &group;
    return nullptr;
  }

  // The names of those for which `wanted` holds.
  template <typename Wanted>
  Sayings Those(Wanted wanted) const {
    Sayings all;
    for (const ExpectedGroup& group : groups_)
      if (wanted(group)) all[group.name];
    return all;
  }

  std::vector<ExpectedGroup> groups_;
  std::map<std::string, std::string> pools_;
  std::map<std::string, std::string> positions_;  // as first said
};

std::string StartOf(const ExpectedGroup& group) {
  return group.start ? Rfc3339(*group.start) : "";
}

// What the column START may begin or end with.
bool IsStartCell(const std::string& cell, const ExpectedGroup& group,
                 sql::Timestamp now) {
  if (group.waits && group.start)
    return *group.start <= now ? cell == "due" : cell.starts_with("in ");
  return !group.waits && group.bound_at ? cell.ends_with(" ago") : cell.empty();
}

void GroupStanding::Compare(const std::string& surface,
                            const Sayings& sayings) {
  for (const auto& [name, said] : sayings) {
    const ExpectedGroup* group = Find(name);
    ASSERT_NE(group, nullptr) << surface << " knows a group " << name;
    SCOPED_TRACE(surface + ", " + name + " (" + group->state + ")");
    if (said.state) {
      EXPECT_EQ(*said.state, group->state);
    }
    if (said.reason) {
      EXPECT_EQ(*said.reason, group->reason);
    }
    if (said.start) {
      EXPECT_EQ(*said.start, StartOf(*group));
    }
    if (said.cell) {
      EXPECT_TRUE(IsStartCell(*said.cell, *group, run_.now())) << *said.cell;
    }
    if (!said.position) continue;
    const auto [known, is_new] = positions_.emplace(name, *said.position);
    EXPECT_EQ(*said.position, known->second);
    if (!group->ranked) {
      EXPECT_EQ(*said.position, "");
    }
  }
}

// A group whose pods wait is told to them as `get` tells it, with what is
// reserved for it.
void GroupStanding::CheckTold(const Sayings& told) {
  for (const ExpectedGroup& group : groups_) {
    SCOPED_TRACE("conditions, " + group.name + " (" + group.state + ")");
    const auto said = told.find(group.name);
    const bool waits =
        group.state == "provisional" ||
        (group.waits && group.state != "recalled" && group.waiting > 0 &&
         (group.considered || !group.reservation.empty()));
    const bool external =
        waits && group.active && said == told.end() &&
        json::parse(database_.Ask(fmt::format("SELECT count(*) FROM pods WHERE "
                                              "group_id = {}",
                                              group.id))) == 0;
    if (external) continue;  // it has no pods
    ASSERT_EQ(said != told.end(), waits);
    if (!waits) continue;
    std::string text = group.reason;
    if (!group.active) text = "group " + group.name + ": " + text;
    if (group.reservation == "drain") text += "; nodes are kept free for it";
    if (group.reservation == "reservation") {
      const std::string time = ShortTime(*group.start);
      const bool soon = *group.start < run_.now() + std::chrono::hours(12);
      text += "; reserved from " +
              (soon ? time.substr(11, 5) : time.substr(0, 16)) + " UTC";
    }
    EXPECT_EQ(said->second.reason, text);
  }
}

// The views have the groups that they are about, and no others.
void GroupStanding::CheckRows() {
  const Sayings pending = RowsOf(database_, "pending");
  const Sayings running = RowsOf(database_, "running");
  Compare("view pending", pending);
  Compare("view running", running);
  for (const ExpectedGroup& group : groups_) {
    SCOPED_TRACE(group.name + " (" + group.state + ")");
    if (group.waits) {
      EXPECT_TRUE(pending.contains(group.name));
    }
    EXPECT_EQ(running.contains(group.name), group.holds);
  }
}

std::string CodeOf(const std::string& state) {
  static const std::map<std::string, std::string> kCodes = {
      {"ending", "CG"},
      {"bound", "R"},
      {"bound in part", "RS"},
      {"allocated", "CF"}};
  const auto code = kCodes.find(state);
  return code == kCodes.end() ? "PD" : code->second;
}

void GroupStanding::CheckSqueue() {
  ASSERT_EQ(run_("squeue --noheader"), ExitCode::kOk) << run_.err();
  std::map<std::string, std::vector<std::string>> rows;
  std::istringstream lines(run_.out());
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
    rows[words.at(3) + "/" + words.at(2)] = words;
  }
  const std::map<std::string, std::string> reasons = {
      {"held", "(JobHeldUser)"},
      {"deferred", "(BeginTime)"},
      {"unsatisfiable", "(BadConstraints)"},
      {"provisional", "(PodsMissing)"}};
  for (const ExpectedGroup& group : groups_) {
    if (!group.active && group.state != "provisional") continue;
    SCOPED_TRACE("squeue, " + group.name + " (" + group.state + ")");
    const auto row = rows.find(group.name);
    ASSERT_NE(row, rows.end());
    const std::vector<std::string>& words = row->second;
    EXPECT_EQ(words.at(4), CodeOf(group.state));
    const auto reason = reasons.find(group.state);
    if (reason != reasons.end()) {
      EXPECT_EQ(words.at(7), reason->second);
    }
    const bool with_nodes = group.holds && words.at(4) != "PD";
    EXPECT_EQ(words.at(7) == "n[0-1]", with_nodes) << words.at(7);
    if (!with_nodes) {
      EXPECT_EQ(words.at(5), "0:00");
    }
  }
}

void GroupStanding::CheckSummary(const ExpectedGroup& group,
                                 const json& explanation) {
  const std::string summary = explanation.at("summary");
  const bool settled = group.state == "allocated" || group.state == "bound" ||
                       group.state == "ending";
  if (settled) {
    EXPECT_THAT(summary, StartsWith("does not wait: "));
  } else {
    EXPECT_THAT(summary, Not(HasSubstr("does not wait")));
  }
  if (group.waits && group.bound > 0) {
    EXPECT_THAT(summary, HasSubstr(fmt::format(
                             "runs with {} of its {} pods, and {} wait",
                             group.bound, group.size, group.waiting)));
  }
  EXPECT_EQ(summary.find("position") != std::string::npos,
            !positions_[group.name].empty());
}

// Each node without the label that the pods ask for is told to be without it.
void GroupStanding::CheckNodes(const ExpectedGroup& group,
                               const json& explanation) {
  const bool looks =
      group.waits && (group.ranked || group.state == "unsatisfiable" ||
                      group.state == "bound in part");
  if (!looks) {
    EXPECT_TRUE(explanation.at("nodes").empty());
  }
  int pods = 0;
  for (const json& kind : explanation.at("nodes")) {
    pods += kind.at("pods").get<int>();
    for (const json& verdict : kind.at("verdicts")) {
      for (const std::string node : verdict.at("nodes")) {
        const bool suits = group.pool.empty() || pools_.at(node) == group.pool;
        const std::string why = verdict.at("kind");
        if (suits) {
          EXPECT_NE(why, "labels") << node;
        } else {
          EXPECT_TRUE(why == "labels" || why == "closed") << node << " " << why;
        }
      }
    }
  }
  if (looks) {
    EXPECT_EQ(pods, group.waiting);
  }
}

void GroupStanding::CheckExplanations(const Explanations& explanations) {
  Compare("explain -o json", InExplanations(explanations));
  for (const auto& [name, explanation] : explanations) {
    const ExpectedGroup& group = *Find(name);
    SCOPED_TRACE("explain, " + name + " (" + group.state + ")");
    CheckSummary(group, explanation);
    CheckNodes(group, explanation);
  }
}

// Runs the commands that are about one group for `each` of them.
void GroupStanding::CheckSeed(std::uint64_t seed, std::size_t each) {
  const RandomGroups random(seed, run_.now());
  database_.Execute(random.sql());
  groups_ = random.groups();
  pools_ = random.pools();
  positions_.clear();
  const Sayings all = Those([](const ExpectedGroup&) { return true; });
  const Sayings known = DocumentsOfGet(run_);
  EXPECT_EQ(known.size(), all.size());
  Compare("get -o json", known);
  Compare("get", TableOfGet(run_));
  Compare("watch", DocumentsOfWatch(run_));
  Sayings some = all;
  for (auto at = some.begin(); some.size() > each;) {
    at = some.erase(at);
    if (at == some.end() || ++at == some.end()) at = some.begin();
  }
  Compare("describe", TextsOfDescribe(run_, some));
  Compare("describe -o json", DocumentsOfDescribe(run_, some));
  CheckExplanations(DocumentsOfExplain(run_, some));
  Compare("top groups", DocumentsOfTop(run_));
  Compare("timeline", DocumentsOfTimeline(run_));
  Compare("ListGroups", ListedByGrpc(*stub_));
  Compare("GetGroup", GotByGrpc(*stub_, all));
  Compare("ExplainGroup", ExplainedByGrpc(*stub_, all));
  Compare("WatchGroups", Watched());
  CheckRows();
  CheckSqueue();
  CheckTold(ToldToPods(database_, run_.now()));
}

TEST_F(GroupStanding, IsTheSameOnAllSurfaces) {
  const bool is_long = std::getenv("FLUXNETES_TEST_LONG") != nullptr;
  const char* const only = std::getenv("FLUXNETES_TEST_SEED");
  const std::uint64_t first = only ? std::strtoull(only, nullptr, 10) : 1;
  const std::uint64_t last = only ? first : is_long ? 400 : 8;
  constexpr std::size_t kAll = 1'000;
  Serve();
  std::size_t compared = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE(
        fmt::format("To repeat: env FLUXNETES_TEST_SEED={} "
                    "services_tests --gtest_filter='GroupStanding.*'",
                    seed));
    CheckSeed(seed, is_long || only ? kAll : 6);
    if (HasFailure()) return;
    compared += groups_.size();
  }
  std::cout << compared << " groups compared\n";
}

// A wrong surface is noticed: see sql/faults.h.
TEST_F(GroupStanding, PlantedContradictionIsFound) {
  Serve();
  const auto finds = [this] {
    ::testing::TestPartResultArray found;
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::
            INTERCEPT_ONLY_CURRENT_THREAD,
        &found);
    for (std::uint64_t seed = 1; seed <= 4 && found.size() == 0; ++seed)
      CheckSeed(seed, 0);
    return found.size() > 0;
  };
  sql::PlantBug("start-of-first-binding");
  EXPECT_TRUE(finds());
  sql::PlantBug("");
  database_.Execute(
      "CREATE OR REPLACE VIEW running AS SELECT s.namespace, s.group_name,"
      " s.group_size, s.queue, s.state, a.nodes, a.starts_at,"
      " a.ends_at AS deadline, s.group_id, s.state AS shown_state, s.reason"
      " FROM group_standing AS s"
      " INNER JOIN allocations AS a ON a.group_id = s.group_id");
  EXPECT_TRUE(finds());
}

}  // namespace
}  // namespace fluxnetes::services
