// Two schedulers and two queues with nodes of their own: each leads one. Labels
// of nodes then make one component of both, and two again, while groups come
// and go in both.
#include <fmt/format.h>

#include "tests/kubernetes/support/kube_test.h"
#include "tests/kubernetes/support/pod_journal.h"

namespace fluxnetes::testing {
namespace {

constexpr int kColouredNodes = 4;  // of 4 cpu: red, red, blue, blue

class ComponentsOnKubernetes : public OnKubernetes {
 protected:
  ComponentsOnKubernetes() { starts_ = false; }

  void SetUp() override {
    OnKubernetes::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    journal_ = JournalOf(kColouredNodes);
    for (int i = 0; i < kColouredNodes; ++i)
      Label(i, i < 2 ? "red" : "blue", true);
    // A third would be one more to spread.
    database_->Execute(
        "DELETE FROM queues; INSERT INTO queues (name, node_selector) VALUES "
        "('red', '{\"red\": \"yes\"}'), ('blue', '{\"blue\": \"yes\"}')");
    StartScheduler();
    other_ = Serve();
  }
  void TearDown() override {
    OnKubernetes::TearDown();
    other_.reset();
    journal_.reset();
  }

  void Label(int node, const std::string& name, bool has) {
    Patch("nodes/" + Node(node),
          {{"metadata",
            {{"labels", {{name, has ? Json("yes") : Json(nullptr)}}}}}});
  }

  // Of the two queues.
  int Owners() {
    return std::stoi(
        Ask("SELECT count(DISTINCT l.client_id) FROM leaders AS l JOIN clients "
            "AS c ON c.id = l.client_id WHERE l.name IN ('match:red', "
            "'match:blue')"));
  }
  // Whose component has the node.
  std::string QueueOf(int node) {
    return Ask("SELECT queue FROM component_nodes WHERE node_name = '" +
               Node(node) + "'");
  }
  bool ArePartedAt(int first_blue) {
    if (Owners() != 2) return false;
    for (int i = 0; i < kColouredNodes; ++i)
      if (QueueOf(i) != (i < first_blue ? "red" : "blue")) return false;
    return true;
  }

  // Short ones, more than their queue's nodes hold at once.
  void SubmitSome(const std::string& when) {
    for (int i = 0; i < 2; ++i) {
      for (const char* queue : {"red", "blue"}) {
        gangs_.push_back(fmt::format("{}-{}-{}", when, queue, i));
        Submit(Gang(gangs_.back(), 4, {.seconds = "0.5", .queue = queue}));
      }
    }
  }
  void ExpectAllSucceeded() {
    for (const std::string& gang : gangs_)
      EXPECT_TRUE(Comes(gang, "succeeded")) << gang << " " << StateOf(gang);
  }
  // So many cpu, and no more.
  void ExpectRoomInBlueFor(int cpu) {
    const std::string fits = fmt::format("fits-{}", ++asked_);
    const std::string waits = fmt::format("waits-{}", asked_);
    Submit(Gang(fits, cpu, {.queue = "blue"}));
    EXPECT_TRUE(Comes(fits, "bound")) << cpu << " " << StateOf(fits);
    Submit(Gang(waits, 1, {.queue = "blue"}));
    EXPECT_TRUE(Waits(waits)) << StateOf(waits);
    EndGroup(fits);
    EXPECT_TRUE(Comes(waits, "bound")) << StateOf(waits);
    EndGroup(waits);
    EXPECT_TRUE(Comes(waits, "succeeded"));
  }

  int asked_ = 0;
  std::vector<std::string> gangs_;
  std::unique_ptr<PodJournal> journal_;
  std::unique_ptr<Process> other_;
};

TEST_F(ComponentsOnKubernetes, MergeAndPartWhileGroupsComeAndGo) {
  ASSERT_TRUE(Comes([&] { return ArePartedAt(2); })) << Owners();
  SubmitSome("parted");
  ASSERT_TRUE(Comes([&] { return journal_->Look().whole > 0; }));

  Label(1, "blue", true);
  SubmitSome("merging");
  EXPECT_TRUE(Comes([&] { return Owners() == 1; })) << Owners();
  SubmitSome("merged");
  ExpectAllSucceeded();
  // On a node of both, each counts what the other has there.
  Submit(
      Gang("red-stays", 2,
           {.more = "nodeSelector: {kubernetes.io/hostname: " + Node(1) + "}",
            .queue = "red"}));
  ASSERT_TRUE(Comes("red-stays", "bound"));
  ExpectRoomInBlueFor(10);

  // It goes to blue; what red has there counts until it ends.
  Label(1, "red", false);
  SubmitSome("parting");
  EXPECT_TRUE(Comes([&] { return ArePartedAt(1); })) << Owners();
  ExpectAllSucceeded();
  EXPECT_EQ(StateOf("red-stays"), "bound");
  ExpectRoomInBlueFor(10);
  EndGroup("red-stays");
  EXPECT_TRUE(Comes("red-stays", "succeeded"));
  ExpectRoomInBlueFor(12);
  EXPECT_EQ(journal_->Look().violations, std::vector<std::string>{});
}

}  // namespace
}  // namespace fluxnetes::testing
