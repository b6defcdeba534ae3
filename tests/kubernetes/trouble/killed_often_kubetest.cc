// Gangs come, run and end while the scheduler is killed at any moment and
// started again.
#include <fmt/format.h>

#include "tests/kubernetes/support/crowd.h"

namespace fluxnetes::testing {
namespace {

using std::chrono::milliseconds;

class KilledOftenOnKubernetes : public CrowdOnKubernetes {
 protected:
  void Start() {
    StartScheduler({{"FLUXNETES_CLIENT_TTL", "1500ms"},
                    {"FLUXNETES_CLIENT_HEARTBEAT", "200ms"},
                    {"FLUXNETES_RESYNC_INTERVAL", "5s"}});
  }

  // At any moment after its start, also before it leads anything; in the
  // middle of bindings; while pods run and end.
  void KillSometime() {
    const int bound = journal().Look().bound;
    if (kills_ % 3 > 0) Comes([&] { return journal().Look().bound > bound; });
    WaitFor(random_() % (kills_ % 3 == 1 ? 40 : 1'500));
    EXPECT_FALSE(scheduler_->HasEnded()) << "by itself";
    scheduler_->Kill();
    ++kills_;
    Start();
  }

  void WaitFor(unsigned long time) {
    WaitUntil(milliseconds(time), [&] { return scheduler_->HasEnded(); });
  }

  int kills_ = 0;
};

TEST_F(KilledOftenOnKubernetes, GangsComeAndGoWholeAndNothingIsLost) {
  SCOPED_TRACE(fmt::format("repeat with FLUXNETES_TEST_SEED={}", Seed()));
  const int kills = IsLong() ? 200 : 12;
  Start();
  RunAll(IsLong() ? 500 : 50, [&] {
    kills_ < kills ? KillSometime() : Rest();
    return kills_ >= kills;
  });
  if (HasFailure()) return;
  ExpectAllRanOnce();
  EXPECT_EQ(kills_, kills);
}

}  // namespace
}  // namespace fluxnetes::testing
