#include "services/match/match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/services/support/command_run.h"
#include "tests/support/places.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

class MatchCommand : public ::testing::Test {
 protected:
  MatchCommand() {
    char name[] = "/tmp/fluxnetes-match-XXXXXX";
    directory_ = mkdtemp(name);
    run_.OnWait([] { return false; });
  }
  ~MatchCommand() override { std::filesystem::remove_all(directory_); }

  // Asks for a jobspec of these resources on the nodes of the examples.
  ExitCode Match(const std::string& resources, const std::string& more = "") {
    const std::string file = directory_ + "/jobspec.yaml";
    std::ofstream(file) << "version: 1\nresources: [" << resources
                        << "]\ntasks: []\nattributes: {}\n";
    return run_("match " + file + " --nodes " +
                testing::SourcePath("docs/examples/jobspecs/nodes.yaml") + " " +
                more);
  }

  std::string directory_;
  CommandRun run_;
};

const std::string kSockets =
    "{type: node, count: 1, with: [{type: socket, count: 2, with: [{type: "
    "slot, label: default, count: 1, with: [{type: core, count: 8}]}]}]}";

TEST_F(MatchCommand, SaysWhereItWouldBePlacedNow) {
  EXPECT_EQ(Match(kSockets), ExitCode::kOk) << run_.err();
  EXPECT_THAT(run_.out(), HasSubstr("now: 2 pods on 1 node"));
  EXPECT_THAT(run_.out(), HasSubstr("socket0/core[0-7]"));
}

TEST_F(MatchCommand, JsonHasThePlaceOfEachPod) {
  EXPECT_EQ(Match(kSockets, "-o json"), ExitCode::kOk) << run_.err();
  const auto json = nlohmann::json::parse(run_.out());
  EXPECT_EQ(json.at("kind"), "Match");
  EXPECT_EQ(json.at("state"), "now");
  EXPECT_EQ(json.at("pods"), 2);
  ASSERT_EQ(json.at("placements").size(), 2U);
  EXPECT_EQ(json.at("placements")[0].at("resourceSet").at("version"), 1);
}

TEST_F(MatchCommand, WhatNeverFitsFails) {
  EXPECT_EQ(Match("{type: slot, label: default, count: 1, with: [{type: core, "
                  "count: 17}]}"),
            ExitCode::kFailed);
  EXPECT_THAT(run_.out(), HasSubstr("never: "));
}

TEST_F(MatchCommand, RangeNeedsTheNumberOfPods) {
  const std::string range =
      "{type: slot, label: default, count: {min: 2}, with: [{type: core, "
      "count: 1}]}";
  EXPECT_EQ(Match(range), ExitCode::kFailed);
  EXPECT_THAT(run_.err(),
              HasSubstr("resources[0].count: is a range, and no number of pods "
                        "fixes it; one number is right"));
  EXPECT_EQ(Match(range, "--pods 3"), ExitCode::kOk) << run_.err();
}

TEST_F(MatchCommand, RefusalNamesTheFileAndThePlace) {
  EXPECT_EQ(Match("{type: node, count: 1}"), ExitCode::kFailed);
  EXPECT_THAT(run_.err(), HasSubstr("jobspec.yaml: resources[0]: has nothing "
                                    "below it"));
}

}  // namespace
}  // namespace fluxnetes::services
