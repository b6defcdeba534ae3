// Groups whose pods use PersistentVolumeClaims, from the match to the binding.
#include "tests/workers/support/match_fixture.h"
#include "workers/news/wait_news.h"

namespace fluxnetes::workers {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Claims : public MatchTest {
 protected:
  Claims() {
    StartBinder();
    for (const char* const name : {"n0", "n1", "n2"}) {
      cluster::Node node;
      node.name = name;
      node.labels = {{"zone", name == std::string("n0") ? "a" : "b"}};
      node.allocatable = {.cpu_milli = 64'000,
                          .memory_bytes = 1L << 40,
                          .ephemeral_bytes = 0,
                          .pods = 110,
                          .extended = {}};
      door.PutNode(node);
    }
    PutClass("lazy", true);
    PutClass("eager", false);
  }

  void StartBinder() {
    binder = std::make_unique<Binder>(
        database.pool(), *jobs, match->client, door, *cache,
        Binder::Options{.retry = std::chrono::milliseconds(0)});
  }

  void Restart() {
    match->worker.Stop();
    StartMatch();
    StartBinder();
  }

  void PutClass(const std::string& name, bool waits,
                const std::string& zone = "",
                const std::string& provisioner = "example.com/disk") {
    cluster::StorageClass made;
    made.name = name;
    made.provisioner = provisioner;
    made.waits_for_consumer = waits;
    if (!zone.empty()) made.allowed_topologies = {{{"zone", "In", {zone}}}};
    door.PutOther("class " + name, made);
  }

  void PutClaim(const std::string& name, const std::string& storage_class,
                const std::string& mode = "ReadWriteOnce") {
    cluster::VolumeClaim claim;
    claim.namespace_name = "default";
    claim.name = name;
    claim.uid = "uid-of-claim-" + name;
    claim.storage_class = storage_class;
    claim.access_modes = {mode};
    claim.phase = "Pending";
    door.PutClaim(claim);
  }

  // Acts as the provisioner and the volume controller.
  void Provision(const std::string& name, const std::string& node) {
    cluster::Volume volume;
    volume.name = "volume-of-" + name;
    volume.claim_namespace = "default";
    volume.claim_name = name;
    volume.node_affinity = {{{"metadata.name", "In", {node}, true}}};
    door.PutOther("volume " + name, volume);
    auto claim = door.ClaimOf("default/" + name);
    claim.volume_name = volume.name;
    claim.bind_completed = true;
    claim.phase = "Bound";
    door.PutClaim(claim);
  }

  void TakeNodeBack(const std::string& name) {
    auto claim = door.ClaimOf("default/" + name);
    EXPECT_EQ(claim.selected_node, "n0");
    claim.selected_node.clear();
    door.PutClaim(claim);
  }

  void CreatePod(const std::string& name, std::vector<std::string> claims,
                 const std::string& gang = "", int size = 1) {
    cluster::Pod pod = PodOf(
        {.name = name, .group = gang.empty() ? name : gang, .size = size});
    pod.volume_claims = std::move(claims);
    door.Put(pod);
  }

  void Run(cluster::Time now = kNoon) {
    ObserveAndPromote(now);
    Match(now);
    BindDue(now);
    ObserveAndPromote(now);
  }
  // Runs bind jobs that were put off, too.
  void BindDue(cluster::Time now = kNoon) {
    database.Execute(
        "UPDATE jobs SET scheduled_at = now() WHERE kind = 'bind'");
    jobs->MakeDueAvailable();
    BindPlaced(now);
  }

  std::string NodeOf(const std::string& pod) {
    return door.PodOf("default/" + pod).node_name;
  }
  std::string ReasonOf(const std::string& group) {
    return Ask(
        "SELECT coalesce(reason, '') FROM pod_groups WHERE group_name = '" +
        group + "'");
  }
};

TEST_F(Claims, ThatDoNotExistAreWaitedForAndToldOnce) {
  CreatePod("a", {"data"});
  Run();
  Run();
  EXPECT_EQ(StateOf("a"), "pending queued");
  EXPECT_EQ(ReasonOf("a"),
            "waits for its volumes: claim \"data\" does not exist (pod a)");
  WaitNews news(database.pool(), door, binding_ledger, {});
  news.RunOnce(kNoon + seconds(10));
  ASSERT_EQ(door.conditions.size(), 1U);
  EXPECT_THAT(door.conditions[0].message, HasSubstr("does not exist"));
  EXPECT_EQ(door.events.size(), 1U);
  Restart();  // the next owner reports nothing again
  Run();
  news.RunOnce(kNoon + seconds(1'000));
  EXPECT_EQ(door.conditions.size(), 1U);
  EXPECT_EQ(door.events.size(), 1U);
  PutClaim("data", "eager");
  Run();
  EXPECT_THAT(ReasonOf("a"), HasSubstr("\"data\" has no volume yet"));
  Provision("data", "n2");
  Run();
  EXPECT_EQ(StateOf("a"), "bound");
  EXPECT_EQ(NodeOf("a"), "n2");
  EXPECT_THAT(door.announced, IsEmpty());
}

TEST_F(Claims, OneThatIsBoundElsewhereWhileItsGroupWaitsIsSeen) {
  PutClaim("data", "lazy");
  SetNode("n0", 0);
  SetNode("n1", 0);
  SetNode("n2", 0);
  CreatePod("a", {"data"});
  Run();
  EXPECT_EQ(StateOf("a"), "unsatisfiable");
  Provision("data", "n1");
  Run();
  SetNode("n0", 64'000);
  Run();
  EXPECT_EQ(NodeOf("a"), "");
  SetNode("n1", 64'000);
  Run();
  EXPECT_EQ(NodeOf("a"), "n1");
}

TEST_F(Claims, ThatWaitForTheirConsumerAreToldItsNodeAndAwaited) {
  PutClass("lazy", true, "b");
  PutClaim("data", "lazy");
  CreatePod("a", {"data"});
  Run();
  EXPECT_EQ(StateOf("a"), "allocated");
  EXPECT_EQ(door.ClaimOf("default/data").selected_node, "n1");
  Run();
  Run();
  EXPECT_THAT(door.announced, ElementsAre("data n1"));
  EXPECT_EQ(NodeOf("a"), "");
  Provision("data", "n1");
  Run();
  EXPECT_EQ(StateOf("a"), "bound");
  EXPECT_EQ(NodeOf("a"), "n1");
}

TEST_F(Claims, OfAWholeGangAreBoundBeforeItsFirstPod) {
  for (const char* const name : {"a", "b"}) {
    PutClaim(name, "lazy");
    CreatePod(std::string("pod-") + name, {name}, "gang", 2);
  }
  CreatePod("other", {});
  Run();
  EXPECT_THAT(door.announced, ElementsAre("a n0", "b n0"));
  EXPECT_EQ(StateOf("other"), "bound");
  Provision("b", "n0");
  Run();
  EXPECT_EQ(NodeOf("pod-a") + NodeOf("pod-b"), "");
  Restart();  // another process, without any memory
  Run();
  EXPECT_EQ(StateOf("gang"), "allocated");
  Provision("a", "n0");
  Run();
  EXPECT_EQ(StateOf("gang"), "bound");
  EXPECT_EQ(NodeOf("pod-a") + NodeOf("pod-b"), "n0n0");
}

TEST_F(Claims, ThatGetNoVolumeInTimeSendTheGroupBackWhole) {
  PutClaim("a", "lazy");
  PutClaim("b", "lazy");
  CreatePod("pod-a", {"a"}, "gang", 2);
  CreatePod("pod-b", {"b"}, "gang", 2);
  Run();
  Provision("a", "n0");
  ObserveAndPromote();
  const auto late = kNoon + std::chrono::minutes(11);
  BindDue(late);
  EXPECT_EQ(StateOf("gang"), "pending queued");
  EXPECT_THAT(ReasonOf("gang"),
              HasSubstr("\"b\" waits for its volume, and has not got it "
                        "in time"));
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "0");
  // Again, with claim b still announced.
  Run(late);
  EXPECT_EQ(StateOf("gang"), "allocated");
  Provision("b", "n0");
  Run(late);
  EXPECT_EQ(StateOf("gang"), "bound");
}

TEST_F(Claims, VolumeThatTurnsOutElsewhereSendsTheGroupAfterIt) {
  PutClaim("data", "lazy");
  CreatePod("a", {"data"});
  Run();
  EXPECT_THAT(door.announced, ElementsAre("data n0"));
  Provision("data", "n2");
  Run();
  Run();
  EXPECT_EQ(NodeOf("a"), "n2");
}

TEST_F(Claims, NodeThatTheProvisionerGivesBackIsNotWaitedForAnyLonger) {
  PutClaim("data", "lazy");
  CreatePod("a", {"data"});
  Run();
  TakeNodeBack("data");
  ObserveAndPromote();
  BindDue();
  EXPECT_EQ(StateOf("a"), "pending queued");
  EXPECT_THAT(ReasonOf("a"), HasSubstr("no volume could be made for claim "
                                       "\"data\" on node n0"));
  SetNode("n0", 64'000, /*cordoned=*/true);
  Run();
  EXPECT_THAT(door.announced, ElementsAre("data n0", "data n1"));
  Provision("data", "n1");
  Run();
  EXPECT_EQ(NodeOf("a"), "n1");
}

TEST_F(Claims, OfAGroupThatWentBackForItsNodeAreToldTheNextOne) {
  PutClaim("data", "lazy");
  CreatePod("a", {"data"});
  Run();
  TakeNodeBack("data");
  SetNode("n0", 64'000, /*cordoned=*/true);
  ObserveAndPromote();
  BindDue();
  EXPECT_THAT(ReasonOf("a"), HasSubstr("n0 is cordoned"));
  Run();
  EXPECT_THAT(door.announced, ElementsAre("data n0", "data n1"));
  EXPECT_EQ(StateOf("a"), "allocated");
}

TEST_F(Claims, AnnouncementThatIsRefusedIsAReason) {
  PutClaim("data", "lazy");
  CreatePod("a", {"data"});
  door.refuses = "claims may not be patched";
  ObserveAndPromote();
  Match();
  BindPlaced();
  EXPECT_EQ(StateOf("a"), "pending queued");
  EXPECT_THAT(ReasonOf("a"), HasSubstr("claims may not be patched"));
}

TEST_F(Claims, ForOnePodAreUsedByOneAtATime) {
  PutClaim("data", "lazy", "ReadWriteOncePod");
  CreatePod("a", {"data"});
  CreatePod("b", {"data"});
  Run();
  EXPECT_EQ(StateOf("a"), "allocated");
  EXPECT_THAT(ReasonOf("b"), HasSubstr("is in use by pod a"));
  Provision("data", "n0");
  Run();
  EXPECT_EQ(NodeOf("a"), "n0");
  EXPECT_EQ(NodeOf("b"), "");
  door.End("default/a", cluster::PodPhase::kSucceeded);
  Run();
  EXPECT_EQ(StateOf("b"), "bound");
  EXPECT_EQ(NodeOf("b"), "n0");
}

TEST_F(Claims, ForOnePodKeepAGangApartForEver) {
  PutClaim("data", "lazy", "ReadWriteOncePod");
  CreatePod("a", {"data"}, "gang", 2);
  CreatePod("b", {"data"}, "gang", 2);
  Run();
  EXPECT_THAT(ReasonOf("gang"), HasSubstr("of the same group"));
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "0");
}

TEST_F(Claims, GroupThatIsDeletedWhileItWaitsLeavesNothing) {
  CreatePod("a", {"data"});
  Run();
  door.Remove("default/a");
  Run();
  PutClaim("data", "eager");
  Provision("data", "n0");
  Run();
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "0");
}

}  // namespace
}  // namespace fluxnetes::workers
