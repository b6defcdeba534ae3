#include "cluster/simulated/simulated_cluster.h"

#include <gmock/gmock.h>

#include <set>
#include <thread>

#include "tests/cluster/simulated/simulated_fixture.h"

namespace fluxnetes::cluster {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Takes all events that are available now.
std::vector<WatchEvent> Drain(Watch& watch) {
  std::vector<WatchEvent> all;
  while (true) {
    auto events = watch.Next(100, std::chrono::milliseconds(0));
    if (events.empty()) return all;
    std::ranges::move(events, std::back_inserter(all));
  }
}

TEST_F(SimulatedClusterTest, NameOfAPodIsTakenOncePerNamespace) {
  EXPECT_NE(Create("a"), nullptr);
  EXPECT_EQ(Create("a"), nullptr);
  PodTemplate wish = Template(seconds(1));
  wish.pod.name = "a";
  wish.pod.namespace_name = "other";
  EXPECT_NE(cluster_.CreatePod(wish), nullptr);
}

TEST_F(SimulatedClusterTest, UidsAreUniqueAndVersionsRise) {
  std::set<std::string> uids;
  std::uint64_t last = 0;
  for (int i = 0; i < 1'000; ++i) {
    const auto pod = Create("a");
    EXPECT_TRUE(uids.insert(pod->uid).second);
    EXPECT_THAT(pod->uid, SizeIs(36));
    EXPECT_GT(std::stoull(pod->resource_version), last);
    last = std::stoull(pod->resource_version);
    cluster_.Delete({"Pod", "default", "a", ""});
  }
}

TEST_F(SimulatedClusterTest, SameSeedAndCallsMakeTheSameHistory) {
  const auto history = [](std::uint64_t seed) {
    auto options = Options();
    options.seed = seed;
    SimulatedCluster cluster(options);
    auto job = Job(3, 9);
    job.pod_template.run.fail_first = 2;
    cluster.CreateJob(job);
    std::string text;
    for (int i = 0; i < 20; ++i) {
      cluster.AdvanceTo(cluster.Now() + seconds(1));
      for (const PodPointer& pod : cluster.TakeSnapshot().pods) {
        text += pod->name + pod->uid + pod->resource_version + " ";
        const Binding binding{"default", pod->name, pod->uid, "", "nowhere"};
        cluster.Bind({&binding, 1}, seconds(1));
      }
    }
    return text;
  };
  EXPECT_EQ(history(7), history(7));
  EXPECT_NE(history(7), history(8));
}

TEST_F(SimulatedClusterTest, EventsWaitForTheirDelay) {
  const auto watch = cluster_.WatchAll();
  Drain(*watch);
  cluster_.SetWatchFaults({.delay = seconds(5)});
  Create("a");
  EXPECT_THAT(Drain(*watch), IsEmpty());
  EXPECT_EQ(cluster_.NextEventTime(), cluster_.Now() + seconds(5));
  Pass(seconds(5));
  EXPECT_THAT(Drain(*watch), SizeIs(1));
}

TEST_F(SimulatedClusterTest, EventsComeTwiceOrLateOnDemand) {
  const auto watch = cluster_.WatchAll();
  Drain(*watch);
  cluster_.SetWatchFaults({.repeat = 1});
  const auto a = Create("a");
  EXPECT_THAT(Drain(*watch), SizeIs(2));
  cluster_.SetWatchFaults({.late = 1});
  Create("b");
  Drain(*watch);
  cluster_.Delete({"Pod", "default", "b", ""});
  const auto events = Drain(*watch);
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].kind, WatchEvent::Kind::kDeleted);
  EXPECT_EQ(events[1].kind, WatchEvent::Kind::kChanged);
}

TEST_F(SimulatedClusterTest, CacheIsRightUnderAllFaultsOfWatches) {
  ClusterCache cache;
  const auto watch = cluster_.WatchAll();
  cluster_.SetWatchFaults(
      {.delay = milliseconds(30), .repeat = 0.3, .late = 0.3, .drop = 0.05});
  for (int i = 0; i < 500; ++i) {
    const auto pod = Create("p" + std::to_string(i % 7), milliseconds(10), 1);
    if (pod != nullptr && i % 3 != 0) Bind(*pod);
    if (i % 2 == 0) {
      cluster_.Delete({"Pod", "default", "p" + std::to_string(i % 5), ""});
    }
    Pass(milliseconds(4));
    cache.Apply(watch->Next(3, milliseconds(0)));
  }
  cluster_.SetWatchFaults({});
  Pass(seconds(1));
  cache.Apply(Drain(*watch));
  std::set<std::string> truth;
  std::set<std::string> seen;
  for (const auto& pod : Pods()) truth.insert(pod->uid + pod->resource_version);
  for (const auto& pod : cache.Pods()) {
    seen.insert(pod->uid + pod->resource_version);
  }
  EXPECT_EQ(seen, truth);
}

TEST_F(SimulatedClusterTest, WatchThatIsTooSlowGetsAList) {
  auto options = Options();
  options.watch_buffer = 10;
  SimulatedCluster cluster(options);
  const auto watch = cluster.WatchAll();
  EXPECT_THAT(Drain(*watch), SizeIs(2));
  for (int i = 0; i < 11; ++i) {
    Node node;
    node.name = "n" + std::to_string(i);
    cluster.AddNode(node);
  }
  const auto events = Drain(*watch);
  ASSERT_THAT(events, SizeIs(13));
  EXPECT_EQ(events.front().kind, WatchEvent::Kind::kListBegin);
  EXPECT_EQ(events.back().kind, WatchEvent::Kind::kListEnd);
}

TEST_F(SimulatedClusterTest, ClusterThatIsAwayAnswersNothing) {
  const auto pod = Create("a");
  const auto watch = cluster_.WatchAll();
  cluster_.SetReachable(false);
  EXPECT_THROW(Bind(*pod), Unreachable);
  EXPECT_THROW(cluster_.GetPod("default", "a"), Unreachable);
  const ObjectName name{"Pod", "default", "a", pod->uid};
  EXPECT_THROW(cluster_.Touch({&name, 1}), Unreachable);
  EXPECT_THROW(cluster_.Delete({"Pod", "default", "a", ""}), Unreachable);
  EXPECT_THAT(Drain(*watch), IsEmpty());
  cluster_.SetReachable(true);
  EXPECT_EQ(Bind(*pod), BindOutcome::kBound);
  EXPECT_THAT(Drain(*watch), ::testing::Not(IsEmpty()));
}

TEST_F(SimulatedClusterTest, BindingsFailOnDemand) {
  const auto pod = Create("a");
  cluster_.FailBinds(BindFault::kUnreachable, 1);
  EXPECT_THROW(Bind(*pod), Unreachable);
  EXPECT_THAT(cluster_.Bindings(), IsEmpty());
  cluster_.FailBinds(BindFault::kConflict, 1, 1);
  EXPECT_EQ(Bind(*Create("b")), BindOutcome::kBound);
  EXPECT_EQ(Bind(*pod), BindOutcome::kConflict);
  cluster_.FailBinds(BindFault::kAnswerLost, 1);
  EXPECT_THROW(Bind(*pod), Unreachable);
  EXPECT_EQ(Now("a")->node_name, "node0");
  ASSERT_THAT(cluster_.Bindings(), SizeIs(2));
  EXPECT_EQ(cluster_.Bindings(1).at(0).uid, pod->uid);
  EXPECT_EQ(cluster_.Bindings(1).at(0).node, "node0");
  EXPECT_THAT(cluster_.Bindings(9), IsEmpty());
}

TEST_F(SimulatedClusterTest, OnlyTheLatestEventsOfPodsAreKept) {
  auto options = Options();
  options.events_kept = 3;
  SimulatedCluster cluster(options);
  PodTemplate wish = Template(seconds(1));
  wish.pod.name = "a";
  const auto pod = cluster.CreatePod(wish);
  for (int i = 0; i < 10; ++i) {
    const PodEvent event{"default", "a", pod->uid,
                         false,     "R", std::to_string(i)};
    cluster.Record({&event, 1});
  }
  ASSERT_THAT(cluster.EventsOf(pod->uid), SizeIs(3));
  EXPECT_EQ(cluster.EventsOf(pod->uid).back().message, "9");
}

TEST_F(SimulatedClusterTest, RunsByItselfInRealTime) {
  SimulatedClusterOptions options;
  options.real_time = true;
  SimulatedCluster cluster(options);
  cluster.AddNode(*cluster_.GetNode("node0"));
  const auto watch = cluster.WatchAll();
  auto job = Job(2, 4);
  job.pod_template.run.length = milliseconds(5);
  cluster.CreateJob(job);
  ClusterCache cache;
  const auto deadline = std::chrono::steady_clock::now() + seconds(20);
  while (cluster.GetJob("default", "job")->state != JobState::kComplete &&
         std::chrono::steady_clock::now() < deadline) {
    for (const auto& change : cache.Apply(watch->Next(10, seconds(1))).pods) {
      if (change.after == nullptr || !change.after->node_name.empty()) continue;
      const Pod& pod = *change.after;
      const Binding binding{"default", pod.name, pod.uid, pod.resource_version,
                            "node0"};
      cluster.Bind({&binding, 1}, seconds(1));
    }
  }
  EXPECT_EQ(cluster.GetJob("default", "job")->state, JobState::kComplete);
}

TEST_F(SimulatedClusterTest, ManyThreadsMayUseTheDoorAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      const auto watch = cluster_.WatchAll();
      ClusterCache cache;
      for (int i = 0; i < 50; ++i) {
        const auto pod =
            Create("p" + std::to_string(t) + "-" + std::to_string(i),
                   milliseconds(1), 1);
        Bind(*pod);
        cache.Apply(watch->Next(20, milliseconds(0)));
        cluster_.Delete({"Pod", "default", pod->name, pod->uid});
      }
    });
  }
  for (int i = 0; i < 100; ++i) Pass(milliseconds(1));
  for (auto& thread : threads) thread.join();
  Pass(seconds(1));
  EXPECT_THAT(Pods(), IsEmpty());
  EXPECT_THAT(cluster_.Bindings(), SizeIs(200));
}

TEST_F(SimulatedClusterTest, ClaimIsToldItsNodeAtItsVersionOnly) {
  VolumeClaim made;
  made.namespace_name = "default";
  made.name = "data";
  made.uid = "1";
  cluster_.Put(made);
  ClusterCache cache;
  const auto watch = cluster_.WatchAll();
  cache.Apply(Drain(*watch));
  const auto claim = cache.VolumeClaimByName("default", "data");
  ASSERT_NE(claim, nullptr);
  const auto announce = [&](const std::string& uid,
                            const std::string& version) {
    const NodeAnnouncement told{"default", "data", uid, version, "n1"};
    return cluster_.Announce({&told, 1}).at(0).outcome;
  };
  EXPECT_EQ(announce("2", claim->resource_version), AnnounceOutcome::kConflict);
  EXPECT_EQ(announce("1", "0"), AnnounceOutcome::kConflict);
  EXPECT_EQ(announce("1", claim->resource_version), AnnounceOutcome::kWritten);
  EXPECT_EQ(announce("1", claim->resource_version), AnnounceOutcome::kConflict);
  cache.Apply(Drain(*watch));
  EXPECT_EQ(cache.VolumeClaimByName("default", "data")->selected_node, "n1");
  EXPECT_TRUE(cluster_.RemoveClaim("default", "data"));
  EXPECT_EQ(cluster_.GetClaim("default", "data"), nullptr);
  cache.Apply(Drain(*watch));
  EXPECT_EQ(cache.VolumeClaimByName("default", "data"), nullptr);
}

}  // namespace
}  // namespace fluxnetes::cluster
