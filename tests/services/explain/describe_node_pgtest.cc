#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

using DescribeNode = CommandDatabase;

TEST_F(DescribeNode, ShowsGroupsNowAndReservedAndMaintenance) {
  AddExampleGroups();
  run_("drain n1 --from +1h --reason", {"new disks"});
  ASSERT_EQ(run_("describe node n1"), ExitCode::kOk) << run_.err();
  EXPECT_THAT(run_.out(), HasSubstr("Name:             n1\n"));
  EXPECT_THAT(run_.out(), ContainsRegex("CPU: +[0-9m.]+ of "));
  EXPECT_THAT(run_.out(), ContainsRegex("a/runs +running "));
  EXPECT_THAT(run_.out(), ContainsRegex("a/first +reserved +in 5m +in 6m"));
  EXPECT_THAT(run_.out(), ContainsRegex("1 +in 60m +- +new disks"));
  ASSERT_EQ(run_("describe node n1 -o json"), ExitCode::kOk);
  const auto node = nlohmann::json::parse(run_.out());
  EXPECT_EQ(node["groups"][0]["name"], "runs");
  EXPECT_EQ(node["groups"][0]["podsHere"], 1);
  EXPECT_EQ(node["groups"][1]["state"], "reserved");
  EXPECT_EQ(node["maintenance"][0]["reason"], "new disks");
  EXPECT_TRUE(node["structure"].is_null());
}

TEST_F(DescribeNode, NamesTheDevicesOfEachGroup) {
  AddExampleGroups();
  AddDevices();
  ASSERT_EQ(run_("describe node n1"), ExitCode::kOk) << run_.err();
  EXPECT_THAT(run_.out(), HasSubstr("Devices:          gpu.example.com 1/4, "
                                    "nic.example.com 1\n"));
  EXPECT_THAT(run_.out(),
              ContainsRegex("Devices of groups:\n *DEVICE +GROUP +STATE\n"
                            " *gpu.example.com/n1/gpu-1 +a/runs +running\n"
                            " *gpu.example.com/n1/gpu-3 +a/runs +running\n"
                            " *nic.example.com/rack/eth-1 +a/runs +running\n"
                            " *gpu.example.com/n1/gpu-0 +a/first +reserved"));
  run_("describe node n1 -o json");
  const auto node = nlohmann::json::parse(run_.out());
  EXPECT_EQ(node["devices"]["gpu.example.com"]["all"], 4);
  EXPECT_EQ(node["devices"]["gpu.example.com"]["held"], 1);
  EXPECT_EQ(node["groups"][1]["devices"][0], "gpu.example.com/n1/gpu-0");
}

TEST_F(DescribeNode, NamesTheDevicesOfUnmanagedPods) {
  AddExampleGroups();
  AddDevices();
  AddUnmanagedDevices();
  ASSERT_EQ(run_("describe node n1"), ExitCode::kOk) << run_.err();
  EXPECT_THAT(run_.out(), HasSubstr("Devices:          gpu.example.com 2/4, "
                                    "nic.example.com 1\n"));
  EXPECT_THAT(run_.out(),
              ContainsRegex("Devices of unmanaged pods:\n *DEVICE +POD\n"
                            " *gpu.example.com/n1/gpu-1 +b/theirs\n"
                            " *gpu.example.com/n1/gpu-2 +b/theirs\n"
                            " *nic.example.com/rack/eth-1 +b/beside\n"));
  run_("describe node n1 -o json");
  const auto node = nlohmann::json::parse(run_.out());
  EXPECT_EQ(node["devices"]["gpu.example.com"]["unmanaged"], 1);
  EXPECT_EQ(node["unmanagedDevices"][1]["device"], "gpu.example.com/n1/gpu-2");
  EXPECT_EQ(node["unmanagedDevices"][1]["pod"], "theirs");
}

TEST_F(DescribeNode, NodeWithoutGroupsHasNoTables) {
  AddExampleGroups();
  ASSERT_EQ(run_("describe node n2"), ExitCode::kOk) << run_.err();
  EXPECT_THAT(run_.out(), HasSubstr("Closed:           cordoned\n"));
  EXPECT_THAT(run_.out(), Not(HasSubstr("a/first")));
  EXPECT_EQ(run_("describe node n9"), ExitCode::kNotFound);
  EXPECT_THAT(run_.err(), HasSubstr("no node named \"n9\""));
}

}  // namespace
}  // namespace fluxnetes::services
