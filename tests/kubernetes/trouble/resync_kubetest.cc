// The full comparison of cluster, records and memory, beside whatever happens.
#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

class ComparedOften : public OnKubernetes {
 protected:
  ComparedOften() {
    starts_ = false;
    plants_differences_ = true;
  }
  void SetUp() override {
    OnKubernetes::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    StartScheduler({{"FLUXNETES_RESYNC_INTERVAL", "500ms"}});
  }
};

TEST_F(ComparedOften, FindsNothingUntilSomethingIsWrong) {
  Submit(Gang("waits", 9));
  Submit(Gang("fills", 4, {.absent = 1}));
  for (const char* gang : {"a", "b", "c"})
    Submit(Gang(gang, 3, {.cpu = 2, .seconds = "1"}));
  AddUnmanaged("daemon", Node(0), 1);
  for (const char* gang : {"a", "b", "c"})
    EXPECT_TRUE(Comes(gang, "succeeded")) << StateOf(gang);
  EXPECT_TRUE(Comes([&] {
    return Ask("SELECT string_agg(members::text, ' ') FROM "
               "groups_provisional WHERE told IS NOT NULL AND "
               "news_due IS NULL") == "3";
  }));
  EXPECT_EQ(Differences(), "");
  // So it does compare.
  database_->Execute("UPDATE groups_provisional SET members = 2");
  EXPECT_TRUE(Comes([&] { return Differences().starts_with("group 1: "); }))
      << Differences();
  EXPECT_EQ(Ask("SELECT members FROM groups_provisional"), "3");
}

}  // namespace
}  // namespace fluxnetes::testing
