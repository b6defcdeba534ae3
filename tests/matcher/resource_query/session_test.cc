#include "matcher/resource_query/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "matcher/readers/jgf.h"
#include "matcher/resource_query/loader.h"
#include "tests/matcher/random/tree_picture.h"
#include "tests/matcher/resource_query/session_stage.h"

namespace fluxnetes::matcher {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SessionTest : public SessionStage {};

std::string Bar() { return std::string(kBar); }

TEST_F(SessionTest, PictureHasTheJobsThatAreThere) {
  Run("match allocate %node.yaml");
  Run("match allocate %node.yaml");
  Run("match allocate_orelse_reserve %node.yaml");
  Run("cancel 2");
  EXPECT_EQ(Run("picture %out.html"), "");
  const std::string page = *ReadFile(folder_ + "/out.html");
  EXPECT_THAT(page, HasSubstr(R"("id": 1, "name": "node.yaml", "start": 0, )"
                              R"("end": 60, "reserved": false, )"
                              R"("on": [[0,0,0]]})"));
  EXPECT_THAT(page, Not(HasSubstr("\"id\": 2,")));
  EXPECT_THAT(page, HasSubstr(R"("id": 3, "name": "node.yaml", "start": 60, )"
                              R"("end": 120, "reserved": true)"));
  EXPECT_EQ(errors_.str(), "");
}

TEST_F(SessionTest, PictureThatCannotBeWrittenIsAnError) {
  Run("picture %none/out.html");
  EXPECT_EQ(errors_.str(),
            "ERROR: can't write " + folder_ + "/none/out.html\n");
  Run("picture");
  EXPECT_EQ(errors_.str(), "ERROR: malformed command\n");
}

TEST_F(SessionTest, GraphIsSavedInTheFormatThatWasAskedFor) {
  EXPECT_TRUE(session_->SaveGraph());  // none was requested
  options_.graph_output = folder_ + "/graph";
  Start("low", MatchFormat::kSimple);
  EXPECT_TRUE(session_->SaveGraph());
  EXPECT_THAT(*ReadFile(folder_ + "/graph.dot"), HasSubstr("digraph"));
  options_.graph_format = "graphml";
  Start("low", MatchFormat::kSimple);
  EXPECT_TRUE(session_->SaveGraph());
  EXPECT_THAT(*ReadFile(folder_ + "/graph.graphml"), HasSubstr("<graphml"));
}

TEST_F(SessionTest, GraphIsNotSavedOverTheFileThatItCameFrom) {
  options_.load_file = Save("graph.graphml", "a recipe");
  options_.graph_format = "graphml";
  options_.graph_output = folder_ + "/graph";
  Start("low", MatchFormat::kSimple);
  EXPECT_FALSE(session_->SaveGraph());
  EXPECT_THAT(errors_.str(), HasSubstr("the graph was loaded from it"));
  EXPECT_EQ(*ReadFile(options_.load_file), "a recipe");
}

TEST_F(SessionTest, MatchesAreNumberedAndShown) {
  EXPECT_EQ(Run("match allocate %core.yaml"),
            "      ---------core0[1:x]\n"
            "      ------node0[1:s]\n"
            "      ---cluster0[1:s]\n" +
                Bar() +
                "INFO: JOBID=1\n"
                "INFO: RESOURCES=ALLOCATED\n"
                "INFO: SCHEDULED AT=Now\n" +
                Bar());
  Run("match allocate_orelse_reserve %node.yaml");
  EXPECT_EQ(Run("match allocate_orelse_reserve %node.yaml"),
            "      ---------core0[1:x]\n"
            "      ---------core1[1:x]\n"
            "      ------node0[1:x]\n"
            "      ---cluster0[1:s]\n" +
                Bar() +
                "INFO: JOBID=3\n"
                "INFO: RESOURCES=RESERVED\n"
                "INFO: SCHEDULED AT=60\n" +
                Bar());
  EXPECT_EQ(
      Run("match allocate %node.yaml"),
      Bar() + "INFO: No matching resources found\nINFO: JOBID=4\n" + Bar());
  Run("info 3");
  EXPECT_TRUE(standard_.str().starts_with("INFO: 3, RESERVED, 60, "));
}

TEST_F(SessionTest, MatchWithoutAllocatingTakesNothing) {
  const std::string first = Run("match without_allocating %node.yaml");
  EXPECT_NE(first.find("RESOURCES=MATCHED"), std::string::npos);
  EXPECT_EQ(Run("match without_allocating %node.yaml"), first);
  EXPECT_EQ(Run("match satisfiability %node.yaml"),
            Bar() + "INFO: Satisfiable request\n" + Bar());
}

TEST_F(SessionTest, WhatWasAllocatedCanBeRestored) {
  for (const MatchFormat format :
       {MatchFormat::kJgf, MatchFormat::kJgfShorthand}) {
    Start("high", format);
    const std::string shown = Run("match allocate %node.yaml");
    Save("r.json", shown.substr(0, shown.find('\n')));
    const char* reader = format == MatchFormat::kJgf ? "jgf" : "jgf_shorthand";
    Start("high", format);
    const std::string update =
        std::string("update allocate ") + reader + " %r.json 7 0 60";
    std::string expected = shown;
    expected.replace(expected.find("JOBID=1"), 7, "JOBID=7");
    EXPECT_EQ(Run(update), expected);
    Run(update);
    EXPECT_EQ(errors_.str(), "ERROR: existing Jobid \n");
    EXPECT_NE(Run("match allocate %core.yaml").find("node0"),
              std::string::npos);
    Run("cancel 7");
    EXPECT_NE(Run("match allocate %core.yaml").find("node1"),
              std::string::npos);
  }
}

TEST_F(SessionTest, GrownAndShrunkGraphsAreMatchedOn) {
  Run("match allocate %node.yaml");
  Run("match allocate %node.yaml");
  const std::string grown = WriteJgf(Tree(R"(
      cluster0/node0
      cluster0/node1
      cluster0/node2 core=4)"));
  Save("grown.json", grown);
  Run("attach %grown.json");
  EXPECT_EQ(errors_.str(), "");
  EXPECT_NE(Run("match allocate %node.yaml").find("node2"), std::string::npos);
  Save("other.json", WriteJgf(Tree("other0/node7 core=1")));
  Run("attach %other.json");
  EXPECT_NE(errors_.str().find("second root"), std::string::npos);
  EXPECT_EQ(Run("get-status /cluster0/node2/core3"),
            "/cluster0/node2/core3 is up\n");
  Run("remove /cluster0/node1 true");
  EXPECT_EQ(Run("find names=node1").find("node1["), std::string::npos);
  Run("cancel 2");
  EXPECT_NE(Run("match allocate %node.yaml").find("No matching"),
            std::string::npos);
  Run("remove 0 false");
  EXPECT_EQ(errors_.str(), "");
  EXPECT_EQ(Run("find status=up"),
            "      ---------core0[1:x]\n"
            "      ---------core1[1:x]\n"
            "      ---------core2[1:x]\n"
            "      ---------core3[1:x]\n"
            "      ------node2[1:x]\n"
            "      ---cluster0[1:x]\n" +
                Bar() + "INFO: EXPRESSION=\"status=up\"\n" + Bar());
  Run("remove /cluster0 true");
  EXPECT_EQ(errors_.str(), "ERROR: can't remove subgraph \n");
}

TEST_F(SessionTest, CostsAreTold) {
  options_.times = true;
  Start("low", MatchFormat::kSimple);
  // The cluster, both nodes and what they have; all of it could be taken.
  Run("match allocate %node.yaml");
  EXPECT_NE(standard_.str().find("INFO: PREORDER VISIT COUNT="),
            std::string::npos);
  EXPECT_EQ(standard_.str().find("VISIT COUNT=0\n"), std::string::npos);
  EXPECT_EQ(Run("cancel 1 stats"), Bar() +
                                       "INFO: CANCEL PREORDER COUNT=\"4\"\n"
                                       "INFO: CANCEL POSTORDER COUNT=\"4\"\n" +
                                       Bar());
  Run("stat");
  EXPECT_EQ(standard_.str().find("Max. Match Time: 0\n"), std::string::npos);
}

TEST_F(SessionTest, StatusAndPropertiesAreToldBack) {
  EXPECT_EQ(Run("set-status /cluster0/node0 down"), "");
  EXPECT_EQ(Run("get-status /cluster0/node0"), "/cluster0/node0 is down\n");
  EXPECT_EQ(Run("get-property /cluster0/node0"),
            "No properties were found for /cluster0/node0 (vtx's "
            "uniq_id=1).\n");
  Run("set-property /cluster0/node0 b=2");
  Run("set-property /cluster0/node0 a=1");
  EXPECT_EQ(Run("get-property /cluster0/node0"), "a=1\nb=2\n");
  EXPECT_EQ(Run("set-property /nowhere a=1"),
            "Couldn't find path /nowhere in resource graph.\n");
}

TEST_F(SessionTest, ErrorsEndNothing) {
  for (const auto& [line, error] :
       std::vector<std::pair<std::string, std::string>>{
           {"match allocate", "ERROR: malformed command\n"},
           {"match bogus x.yaml", "ERROR: unknown subcmd bogus\n"},
           {"match allocate nofile", "ERROR: can't open nofile\n"},
           {"cancel 9", "cancel: ERROR: nonexistent job 9\n"},
           {"info 9", "info: ERROR: nonexistent job 9\n"},
           {"cat", "ERROR: malformed command\n"},
           {"remove 0 maybe", "ERROR: invalid path boolean input\n"},
           {"find bogus=1", "find: invalid criteria: bogus=1.\n"},
           {"partial-cancel 1 foo r", "ERROR: unsupported reader foo\n"},
           {"update allocate jgf r 1 0 0", "ERROR: invalid time (0, 0)\n"},
           {"# a remark", ""},
           {"", ""}}) {
    Run(line);
    EXPECT_EQ(errors_.str(), error) << line;
  }
  EXPECT_FALSE(session_->Run("quit"));
}

}  // namespace
}  // namespace fluxnetes::matcher
