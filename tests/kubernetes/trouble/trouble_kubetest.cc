// Hundreds of gangs come, run and end while next to nothing between the
// scheduler and its API server works as it should.
#include <fmt/format.h>

#include "tests/kubernetes/support/api_trouble.h"
#include "tests/kubernetes/support/crowd.h"

namespace fluxnetes::testing {
namespace {

class TroubledOnKubernetes : public CrowdOnKubernetes {
 protected:
  void SetUp() override {
    CrowdOnKubernetes::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    trouble_ = std::make_unique<ApiTrouble>(plane(), Seed());
    StartScheduler({{"FLUXNETES_KUBECONFIG", trouble_->kubeconfig()},
                    {"FLUXNETES_RESYNC_INTERVAL", "5s"}});
  }

  void TearDown() override {
    CrowdOnKubernetes::TearDown();
    trouble_.reset();
  }

  // What there was of it, for those who read the results.
  void TellFigures() {
    int met = 0;
    std::string figures;
    for (const auto& [what, count] : trouble_->Counts()) {
      figures += fmt::format("{}: {}, ", what, count);
      if (!what.starts_with("binding")) met += count;
    }
    RecordProperty("trouble", figures);
    EXPECT_GT(met, pods() / 4) << figures;
    for (const char* what : {"watch: told twice", "watch: swapped"})
      EXPECT_GT(trouble_->Count(what), 0) << figures;
  }

  std::unique_ptr<ApiTrouble> trouble_;
};

TEST_F(TroubledOnKubernetes, GangsComeAndGoWholeAndNothingIsLost) {
  SCOPED_TRACE(fmt::format("repeat with FLUXNETES_TEST_SEED={}", Seed()));
  RunAll(IsLong() ? 500 : 60, [] {
    Rest();
    return true;
  });
  if (HasFailure()) return;
  ExpectAllRanOnce();
  TellFigures();
}

}  // namespace
}  // namespace fluxnetes::testing
