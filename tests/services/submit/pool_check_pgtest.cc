#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "services/submit/pool_check.h"
#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class PoolCheck : public CommandDatabase {
 protected:
  PoolCheck() {
    char name[] = "/tmp/fluxnetes-pools-XXXXXX";
    directory_ = mkdtemp(name);
  }
  ~PoolCheck() override { std::filesystem::remove_all(directory_); }

  // Checks a Job and a pod with these labels; returns the warnings.
  std::string Warnings(const std::string& labels,
                       const std::string& scheduler = "fluxnetes") {
    const std::string file = directory_ + "/work.yaml";
    const std::string spec =
        "{schedulerName: " + scheduler +
        ", restartPolicy: Never, containers: [{name: c, image: x, resources: "
        "{requests: {cpu: 1}}}]}";
    std::ofstream(file)
        << "apiVersion: batch/v1\nkind: Job\nmetadata: {name: fit}\nspec:\n  "
           "template: {metadata: {labels: {"
        << labels << "}}, spec: " << spec
        << "}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: plain}\nspec: "
        << spec << "\n";
    EXPECT_EQ(run_("submit --dry-run -f " + file), ExitCode::kOk);
    return run_.err();
  }

  std::string directory_;
};

TEST_F(PoolCheck, PoolThatDoesNotExistOrIsTooSmallIsWarnedOf) {
  EXPECT_THAT(Warnings("fluxnetes.pool/matlab: \"3\""),
              HasSubstr("Warning: job.batch/fit asks for the pool matlab, "
                        "which does not exist; it waits until there is one "
                        "(`fluxnetes pool set matlab --total N`)"));
  database_.Execute("INSERT INTO pools (name, total) VALUES ('matlab', 2)");
  EXPECT_THAT(
      Warnings("fluxnetes.pool/matlab: \"3\", fluxnetes.pool/disk: \"1\""),
      AllOf(HasSubstr("asks for the pool disk, which does not exist"),
            HasSubstr("; asks for 3 of the pool matlab, which has 2 in all")));
  EXPECT_EQ(Warnings("fluxnetes.pool/matlab: \"2\""), "");
  EXPECT_EQ(
      Warnings("fluxnetes.pool/none: \"2\"", "other-scheduler").find("pool"),
      std::string::npos);
}

TEST_F(PoolCheck, DatabaseIsNeededOnlyForPools) {
  run_.Set("FLUXNETES_DATABASE", "host=/nowhere dbname=fluxnetes");
  EXPECT_EQ(Warnings(""), "");
  EXPECT_THAT(Warnings("fluxnetes.pool/matlab: \"3\""),
              HasSubstr("Note: it was not checked whether there are the pools "
                        "matlab: "));
}

}  // namespace
}  // namespace fluxnetes::services
