#include "services/config/structures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "services/console/exit_code.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

class StructuresTest : public ::testing::Test {
 protected:
  StructuresTest()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                ("structures-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
    config_.cluster.structures = (folder_ / "structures.yaml").string();
  }
  ~StructuresTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  std::string Refusal() {
    try {
      LoadStructures(config_);
    } catch (const Failure& failure) {
      EXPECT_THAT(failure.next(), HasSubstr("cluster.structures"));
      return failure.what();
    }
    return "";
  }

  const std::filesystem::path folder_;
  Config config_;
};

TEST_F(StructuresTest, FilesAreRelativeToTheFileOfStructures) {
  Write("structures.yaml", "structures: [{label: pool=a, file: a.txt}]");
  Write("a.txt", "sockets: 2, cores: 8\n");
  const auto all = LoadStructures(config_);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].label, "pool");
  EXPECT_EQ(all[0].text, "sockets: 2, cores: 8\n");
}

TEST_F(StructuresTest, ErrorsNameTheFileAndThePlace) {
  EXPECT_THAT(Refusal(), HasSubstr("structures.yaml"));
  Write("structures.yaml", "structures:\n- label: pool=a\n  file: a.xml\n");
  EXPECT_THAT(Refusal(), HasSubstr("a.xml"));
  Write("a.xml", "<topology>\n<object>");
  EXPECT_THAT(
      Refusal(),
      HasSubstr("structures.yaml:1: structures[0].file a.xml: line 2:"));
}

TEST_F(StructuresTest, NoFileIsNoStructures) {
  config_.cluster.structures.clear();
  EXPECT_TRUE(LoadStructures(config_).empty());
}

}  // namespace
}  // namespace fluxnetes::services
