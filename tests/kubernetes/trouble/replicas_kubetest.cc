// Two schedulers on one API server: each matches some queues; when one is
// killed the other goes on with all of them.
#include <fmt/format.h>

#include <csignal>

#include "tests/kubernetes/support/kube_test.h"
#include "tests/kubernetes/support/pod_journal.h"

namespace fluxnetes::testing {
namespace {

constexpr int kQueues = 4;
constexpr int kGangs = 3;  // at once, in each queue
// How long a replica is missed before another takes over, as users have it, and
// what the machine may add.
constexpr double kTimeToLive = 3;
constexpr double kSlowMachine = 27;
// From the death to the first group that another places in its stead, where the
// machine has time for it.
constexpr double kPlacesAgain = 5;

class ReplicasOnKubernetes : public OnKubernetes {
 protected:
  ReplicasOnKubernetes() { starts_ = false; }

  // A queue for each node.
  void SetUp() override {
    OnKubernetes::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    journal_ = JournalOf(kQueues);
    database_->Execute(
        "UPDATE queues SET node_selector = '{\"kubernetes.io/hostname\": "
        "\"none\"}'");
    for (int i = 0; i < kQueues; ++i) {
      database_->Execute(
          fmt::format("INSERT INTO queues (name, node_selector) VALUES ('q{}', "
                      "'{{\"kubernetes.io/hostname\": \"{}\"}}')",
                      i, Node(i)));
    }
    StartScheduler();
    other_ = Serve();
  }
  void TearDown() override {
    OnKubernetes::TearDown();
    other_.reset();
    journal_.reset();
  }

  void SubmitGangs(const std::string& prefix) {
    for (int queue = 0; queue < kQueues; ++queue) {
      for (int i = 0; i < kGangs; ++i) {
        gangs_.push_back(fmt::format("{}-{}-{}", prefix, queue, i));
        Submit(Gang(gangs_.back(), 4,
                    {.seconds = "1", .queue = "q" + std::to_string(queue)}));
      }
    }
  }

  // How many of the queues' owners a process is.
  int Owned(const Process& one) {
    return std::stoi(Ask(fmt::format(
        "SELECT count(*) FROM leaders AS l JOIN clients AS c ON c.id = "
        "l.client_id WHERE l.name LIKE 'match:q%' AND c.name LIKE '%:{}'",
        one.id())));
  }

  std::vector<std::string> gangs_;
  std::unique_ptr<PodJournal> journal_;
  std::unique_ptr<Process> other_;
};

TEST_F(ReplicasOnKubernetes, OneThatIsKilledIsTakenOverAndNothingIsLost) {
  ASSERT_TRUE(Comes([&] {
    return Owned(*scheduler_) == kQueues / 2 && Owned(*other_) == kQueues / 2;
  })) << Owned(*scheduler_)
      << " and " << Owned(*other_);
  SubmitGangs("before");
  ASSERT_TRUE(Comes(
      [&] { return journal_->Look().whole >= kQueues && Owned(*other_) > 0; }));
  other_->Kill();
  const std::string died = Ask("SELECT clock_timestamp()::text");
  SubmitGangs("after");
  ASSERT_TRUE(Comes([&] { return Owned(*scheduler_) == kQueues; }));
  // By the rows, from the death of the one to when the other owned the last.
  const auto took = std::stod(Ask(fmt::format(
      "SELECT coalesce(max(extract(epoch FROM acquired_at - '{0}')), 0) FROM "
      "leaders WHERE acquired_at > '{0}'",
      died)));
  RecordProperty("takeover_seconds", fmt::format("{:.2f}", took));
  EXPECT_GT(took, 0);
  EXPECT_LT(took, kTimeToLive + kSlowMachine);
  for (const std::string& gang : gangs_)
    EXPECT_TRUE(Comes(gang, "succeeded")) << gang << " " << StateOf(gang);
  // Of the queues that the dead one led, that which had to wait longest.
  const auto placed = std::stod(Ask(fmt::format(
      "SELECT coalesce(max(first), 0) FROM (SELECT min(extract(epoch FROM "
      "h.allocated_at - "
      "'{0}')) AS first FROM group_history AS h JOIN leaders AS l ON l.name = "
      "'match:' || h.queue WHERE l.acquired_at > '{0}' AND h.allocated_at > "
      "'{0}' GROUP BY h.queue) AS f",
      died)));
  RecordProperty("placed_again_seconds", fmt::format("{:.2f}", placed));
  EXPECT_GT(placed, 0);
  EXPECT_LT(placed, kPlacesAgain + kSlowMachine);
  PodJournal::Sum sum;
  // The journal may hear of the last ones later than the scheduler did.
  Comes([&] {
    sum = journal_->Look();
    return sum.whole == static_cast<int>(gangs_.size()) &&
           sum.bound == sum.made;
  });
  EXPECT_EQ(sum.violations, std::vector<std::string>{});
  EXPECT_EQ(sum.whole, static_cast<int>(gangs_.size()));
  EXPECT_EQ(sum.bound, sum.made);
  EXPECT_EQ(Ask("SELECT count(*) FROM resync_differences"), "0");
}

}  // namespace
}  // namespace fluxnetes::testing
