// `fluxnetes simulate --swf` of traces as they are found: what is read, what is
// left out and what is said of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/services/simulate/simulate_command.h"

namespace fluxnetes::services {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kOneJob = "1 0 -1 12 2 -1 -1 2 20 -1 1 1 1 -1 1 -1 -1 -1\n";

class SimulateTrace : public SimulateCommand {
 protected:
  json Simulated(const std::string& text, const std::string& flags = "") {
    return RunToJson("--swf " + FileWith("t.swf", text) + flags);
  }
  std::string Refused(const std::string& text) {
    EXPECT_EQ(run_("simulate --swf " + FileWith("t.swf", text)),
              ExitCode::kUsage);
    return run_.err();
  }
};

TEST_F(SimulateTrace, MayHaveFractionsMarksAndGroupedDigits) {
  const json document = Simulated(
      "\xEF\xBB\xBF; MaxNodes: 1,152\r\n"
      "1 0    -1  12.5 500 -1 -1 2 20   -1 1 1 1 -1 1 -1 -1 -1\r\n");
  EXPECT_EQ(document["nodes"], 1'152);
  EXPECT_EQ(document["makespan"], 13);
  EXPECT_EQ(document["readOtherwise"], json::parse(R"([{
              "how": "a time with a fraction is rounded to whole seconds",
              "jobs": 1, "firstLine": 2}])"));
}

TEST_F(SimulateTrace, NodesCountBesideAHeaderThatSaysNone) {
  const json document = Simulated(
      "; MaxNodes:\n; MaxProcs: 2 + 2\n" + std::string(kOneJob), " --nodes 4");
  EXPECT_EQ(document["nodes"], 4);
  EXPECT_EQ(document["groups"]["ended"], 1);
  EXPECT_THAT(
      document["warnings"].get<std::vector<std::string>>(),
      ElementsAre(
          Path("t.swf") + ":1: MaxNodes is empty; the header is ignored",
          Path("t.swf") + ":2: MaxProcs is \"2 + 2\"; right would be a "
                          "whole number up to 2147483647; the header is "
                          "ignored"));
}

TEST_F(SimulateTrace, HeaderThatIsNeededIsNamed) {
  EXPECT_THAT(Refused("; MaxNodes:\n" + std::string(kOneJob)),
              HasSubstr("it is not said how many nodes there are; " +
                        Path("t.swf") + ":1: MaxNodes is empty"));
  EXPECT_THAT(Refused("; MaxNodes: 1.152\n" + std::string(kOneJob)),
              HasSubstr(Path("t.swf") + ":1: MaxNodes is \"1.152\""));
  EXPECT_THAT(Refused("; MaxProcs: 100,001\n" + std::string(kOneJob)),
              HasSubstr("Right would be --cpus-per-node"));
}

TEST_F(SimulateTrace, WhatIsLeftOutIsSaidAtTheEndWithItsFirstLine) {
  const std::string text = "; MaxProcs: 4\n" + std::string(kOneJob) +
                           "2 0 -1 -1 2 -1 -1 2 20 -1 5 1 1 -1 1 -1 -1 -1\n"
                           "3 0 -1 -1 2 -1 -1 2 20 -1 0 1 1 -1 1 -1 -1 -1\n"
                           "4 0 -1 -1 2 -1 -1 2 20 -1 0 1 1 -1 1 -1 -1 -1\n"
                           "5 0 -1 9 5 -1 -1 2 20 -1 0 1 1 -1 1 -1 -1 -1\n";
  const json document = Simulated(text);
  EXPECT_EQ(document["leftOut"], 4);
  EXPECT_EQ(document["leftOutReasons"], json::parse(R"([
              {"reason": "larger than the 4 processors there are",
               "jobs": 1, "firstLine": 6},
              {"reason": "the run time is not known",
               "jobs": 2, "firstLine": 4},
              {"reason": "cancelled before it ran",
               "jobs": 1, "firstLine": 3}])"));
  EXPECT_THAT(run_.err(),
              HasSubstr("Warning: 2 jobs were left out: the run time is not "
                        "known (the first is in line 4)\n"));
}

TEST_F(SimulateTrace, AdviceForManifestsIsNotWhatWasGiven) {
  EXPECT_EQ(run_("simulate --nodes 4 -f " + FileWith("j.yaml", "kind: Job\n")),
            ExitCode::kUsage);
  EXPECT_THAT(run_.err(), HasSubstr("Right would be --nodes FILE, with a file "
                                    "that lists nodes."));
  EXPECT_EQ(run_("simulate --nodes 0 --swf " + FileWith("t.swf", kOneJob)),
            ExitCode::kUsage);
  EXPECT_THAT(run_.err(), HasSubstr("Right would be --nodes with such a "
                                    "number, or with a file."));
}

}  // namespace
}  // namespace fluxnetes::services
