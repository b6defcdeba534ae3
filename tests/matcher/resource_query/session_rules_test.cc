// What resource-query prints and counts where one would not guess it: as
// Fluxion's own does, but for the texts of errors and for numbers in use.
#include <gtest/gtest.h>

#include "matcher/resource_query/loader.h"
#include "tests/matcher/random/tree_picture.h"
#include "tests/matcher/resource_query/session_stage.h"

namespace fluxnetes::matcher {
namespace {

std::string Asking(const std::string& type, int count) {
  return "{version: 1, tasks: [], resources: [{type: slot, count: 1, label: a, "
         "with: [{type: " +
         type + ", count: " + std::to_string(count) +
         "}]}], attributes: {system: {duration: 100}}}";
}

// JGF of cores of nodes; those of other nodes have other ids.
std::string CoreOf(int node) {
  const std::string n = std::to_string(node);
  const std::string id = node == 0 ? "1" : "5";
  const std::string core = node == 0 ? "2" : "6";
  const std::string path = "/cluster0/node" + n;
  return R"({"graph": {"nodes": [{"id": ")" + core +
         R"(", "metadata": {"type": "core", "id": 0, "rank": -1, )"
         R"("exclusive": true, "paths": {"containment": ")" +
         path + R"(/core0"}}}, {"id": ")" + id +
         R"(", "metadata": {"type": "node", "id": )" + n + R"(, "rank": )" + n +
         R"(, "paths": {"containment": ")" + path +
         R"("}}}, {"id": "0", "metadata": {"type": "cluster", "id": 0, )"
         R"("rank": -1, "paths": {"containment": "/cluster0"}}}], )"
         R"("edges": [{"source": ")" +
         id + R"(", "target": ")" + core +
         R"("}, {"source": "0", "target": ")" + id + R"("}]}})";
}

std::string CoresOfRank(int rank) {
  const std::string r = std::to_string(rank);
  return R"({"version": 1, "execution": {"R_lite": [{"rank": ")" + r +
         R"(", "children": {"core": "0-1"}}], "nodelist": ["node)" + r +
         R"("], "starttime": 0, "expiration": 1000}})";
}

constexpr const char* kNow = "RESOURCES=ALLOCATED; SCHEDULED AT=Now\n";

class SessionRules : public SessionStage {
 protected:
  SessionRules() {
    picture_ = R"(
        cluster0/node0 core=2 memory=1*4
        cluster0/node1 core=2 memory=1*4)";
    Save("memory.yaml", Asking("memory", 1));
    Save("cores9.yaml", Asking("core", 9));
    Save("n0.json", CoreOf(0));
    Save("n1.json", CoreOf(1));
    Save("rank0.json", CoresOfRank(0));
    Save("rank1.json", CoresOfRank(1));
    Save("rank7.json", CoresOfRank(7));
    Start("low", MatchFormat::kSimple);
  }
};

TEST_F(SessionRules, RVersion1WithoutCoresIsEmptyButTheJobIsThere) {
  for (const MatchFormat format : {MatchFormat::kRv1, MatchFormat::kRv1Nosched,
                                   MatchFormat::kRv1Shorthand}) {
    Start("low", format);
    EXPECT_EQ(Play("match without_allocating %memory.yaml\n"
                   "match allocate %memory.yaml\n"
                   "info 1\n"
                   "match allocate %memory.yaml\n"
                   "match allocate %memory.yaml\n"
                   "cancel 1\n"
                   "match allocate %memory.yaml\n"),
              "JOBID=1; RESOURCES=MATCHED; SCHEDULED AT=Now\n"
              "JOBID=1; " +
                  std::string(kNow) +
                  "1, ALLOCATED, 0, memory.yaml\n"
                  "JOBID=2; " +
                  kNow +
                  "No matching resources found; JOBID=3\n"
                  "\n"
                  "JOBID=4; " +
                  kNow);
  }
}

TEST_F(SessionRules, FindOfWhatRVersion1CannotSayIsEmpty) {
  Start("low", MatchFormat::kRv1Nosched);
  EXPECT_EQ(Play("find names=node0\nfind property=nosuch"),
            "EXPRESSION=\"names=node0\"\nEXPRESSION=\"property=nosuch\"\n");
}

TEST_F(SessionRules, RLiteOfNothingIsAnErrorThatHidesWhy) {
  Start("low", MatchFormat::kRlite);
  const std::string error =
      "error: ERROR: match writer emit: nothing was found\n";
  const std::string none = "No matching resources found; JOBID=1; " + error;
  EXPECT_EQ(Play("match allocate %cores9.yaml\n"
                 "match allocate_with_satisfiability %cores9.yaml\n"
                 "match allocate_orelse_reserve %cores9.yaml\n"
                 "match without_allocating %cores9.yaml\n"
                 "match satisfiability %cores9.yaml\n"
                 "match satisfiability %core.yaml\n"
                 "match allocate %core.yaml\n"),
            none + none + none + none + "Satisfiable request; " + error +
                "Satisfiable request; " + error +
                R"([{"rank": "0", "children": {"core": "0"}}]; JOBID=1; )" +
                kNow);
}

TEST_F(SessionRules, RLiteEndsASeriesAtOnce) {
  const std::string series =
      "multi-match satisfiability %core.yaml %core.yaml %core.yaml";
  EXPECT_EQ(Play(series),
            "Satisfiable request; Satisfiable request; Satisfiable request\n");
  Start("low", MatchFormat::kRlite);
  EXPECT_EQ(Play(series),
            "Satisfiable request; error: ERROR: match writer emit: nothing was "
            "found\n");
}

TEST_F(SessionRules, FindOfWhatRLiteCannotSayIsAnError) {
  Start("low", MatchFormat::kRlite);
  EXPECT_EQ(Play("find jobid-alloc=99\nfind names=node0"),
            "error: find: ERROR: find writer emit: nothing was found\n"
            "error: find: ERROR: find writer emit: no cores or gpus of a "
            "node\n");
}

TEST_F(SessionRules, FindLeavesNothingOutInShorthand) {
  Start("low", MatchFormat::kJgf);
  const std::string full = Run("find status=up");
  Start("low", MatchFormat::kJgfShorthand);
  EXPECT_EQ(Run("find status=up"), full);
  Start("low", MatchFormat::kRv1);
  const std::string full_r = Run("find status=up");
  Start("low", MatchFormat::kRv1Shorthand);
  EXPECT_EQ(Run("find status=up"), full_r);
}

TEST_F(SessionRules, FailedUpdateMovesTheNumberOn) {
  Play("update allocate jgf %n0.json 4 0 100");
  EXPECT_EQ(Play("update allocate jgf %n0.json 9 0 100"),
            "No matching resources found; JOBID=9; error: ERROR: traverser run "
            "() returned error; error: ERROR: update_vtx_plan: can't add span "
            "into core0.\n");
  EXPECT_EQ(Play("update allocate jgf %n1.json 4 0 100\n"
                 "update allocate jgf %nofile 20 0 100\n"
                 "update allocate jgf %n1.json 20 0 0\n"
                 "info 9"),
            "error: ERROR: existing Jobid \n"
            "error: ERROR: can't open nofile\n"
            "error: ERROR: invalid time (0, 0)\n"
            "error: info: ERROR: nonexistent job 9\n");
  EXPECT_EQ(
      Play("match allocate %core.yaml"),
      "core0[1:x]; node1[1:s]; cluster0[1:s]; JOBID=10; " + std::string(kNow));
}

TEST_F(SessionRules, NumberOfACancelledJobCanBeUsedAgain) {
  const std::string jobs =
      "update allocate jgf %n0.json 4 0 100\n"
      "cancel 4\n"
      "update allocate jgf %n1.json 4 0 100\n"
      "list\n";
  EXPECT_EQ(Play(jobs), "core0[1:x]; node0[1:s]; cluster0[1:s]; JOBID=4; " +
                            std::string(kNow) +
                            "\n"
                            "core0[1:x]; node1[1:s]; cluster0[1:s]; JOBID=4; " +
                            kNow + "4, ALLOCATED, 0, n1.json\n");
}

TEST_F(SessionRules, RestoredReservationIsAnAllocationAtItsVertices) {
  EXPECT_EQ(Play("update reserve jgf %n0.json 4 80 100\n"
                 "info 4\n"
                 "find sched-now=allocated\n"
                 "find sched-future=reserved\n"
                 "find jobid-reserved=4\n"
                 "partial-cancel 4 jgf %n0.json stats\n"),
            "core0[1:x]; node0[1:s]; cluster0[1:s]; JOBID=4; "
            "RESOURCES=RESERVED; SCHEDULED AT=80\n"
            "4, RESERVED, 80, n0.json\n"
            "core0[1:x]; node0[1:x]; cluster0[1:x]; "
            "EXPRESSION=\"sched-now=allocated\"\n"
            "EXPRESSION=\"sched-future=reserved\"\n"
            "EXPRESSION=\"jobid-reserved=4\"\n"
            "error: ERROR: reservations not currently supported by partial "
            "cancel\n");
  // Core 0 of node 0 would be free for these 60 seconds.
  Play("match allocate %core.yaml\nmatch allocate %core.yaml");
  EXPECT_EQ(Play("match allocate %core.yaml\nmatch allocate %core.yaml"),
            "core1[1:x]; node1[1:s]; cluster0[1:s]; JOBID=7; " +
                std::string(kNow) + "No matching resources found; JOBID=8\n");
}

TEST_F(SessionRules, PartialCancelOfARankWithoutExclusiveVerticesFails) {
  Play("match allocate %core.yaml");
  const std::string error =
      "error: ERROR: error encountered while removing job 1\n";
  EXPECT_EQ(Play("partial-cancel 1 rv1exec %rank1.json\n"
                 "partial-cancel 1 rv1exec %rank0.json\n"
                 "partial-cancel 1 rv1exec %rank7.json\n"
                 "info 1\n"
                 "find jobid-tag=1\n"),
            "remove: 1 not found in rank_to_counts.; " + error +
                "remove: 0 not found in rank_to_counts.; " + error +
                "remove7 not found in by_rank map.; " + error +
                "1, ALLOCATED, 0, core.yaml\n"
                "core0[1:x]; node0[1:x]; cluster0[1:x]; "
                "EXPRESSION=\"jobid-tag=1\"\n");
}

TEST_F(SessionRules, PartialCancelThatFailsTellsItsCost) {
  Play("match allocate %core.yaml");
  EXPECT_EQ(Play("partial-cancel 1 rv1exec %rank1.json stats"),
            "PARTIAL CANCEL PREORDER COUNT=\"3\"; PARTIAL CANCEL POSTORDER "
            "COUNT=\"0\"; remove: 1 not found in rank_to_counts.; error: "
            "ERROR: error encountered while removing job 1\n");
}

TEST_F(SessionRules, NumberInUseIsPassedOver) {
  Play(
      "update allocate jgf %n0.json 2 0 100\n"
      "update allocate jgf %n1.json 1 0 100");
  EXPECT_EQ(Play("match allocate %core.yaml\nmatch allocate %core.yaml\nlist"),
            "No matching resources found; JOBID=2; error: match_allocate: "
            "ERROR: Jobspec error for 2: the job holds something already\n"
            "core1[1:x]; node0[1:s]; cluster0[1:s]; JOBID=3; " +
                std::string(kNow) +
                "1, ALLOCATED, 0, n1.json; 2, ALLOCATED, 0, n0.json; 3, "
                "ALLOCATED, 0, core.yaml\n");
}

TEST_F(SessionRules, TimesOfAnRDoNotBoundTheGraph) {
  options_.load_file = Save("graph.json", CoresOfRank(0));
  options_.load_format = "rv1exec";
  Matcher matcher = LoadMatcher(options_);
  const Jobspec forever = Ask("core[1]");
  EXPECT_EQ(matcher.Run(1, forever, MatchOp::kAllocate, 0).duration,
            3'153'600'000);
}

}  // namespace
}  // namespace fluxnetes::matcher
