#include "cluster/kubernetes/kubernetes_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "services/http/http_server.h"
#include "services/simulated_api/cluster_api.h"
#include "sql/mutex.h"
#include "tests/cluster/contract/contract.h"

namespace fluxnetes::cluster {
namespace {

using services::ClusterApi;
using services::HttpAnswer;
using services::HttpQuestion;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr milliseconds kDeadline{10'000};

KubernetesOptions OptionsFor(const std::string& address,
                             bool stream_lists = false) {
  KubernetesOptions options;
  options.http.address = address;
  options.http.first_backoff = milliseconds(1);
  options.watch.first_backoff = milliseconds(1);
  options.watch.longest_backoff = milliseconds(50);
  options.watch.page = 2;  // so that a list has several pages
  options.watch.stream_lists = stream_lists;
  options.deadline = kDeadline;
  return options;
}

// A simulated cluster, its API, and a KubernetesCluster that uses the API.
class HttpWorld : public ContractWorld {
 public:
  explicit HttpWorld(const std::string& address = "127.0.0.1:0",
                     bool stream_lists = false)
      : api_(cluster_, {.address = address, .virtual_time = true}) {
    api_.Start();
    door_ = std::make_unique<KubernetesCluster>(
        OptionsFor(api_.address(), stream_lists));
  }
  Cluster& Door() override { return *door_; }
  SimulatedCluster& Behind() override { return cluster_; }
  void Advance(milliseconds time) override {
    cluster_.AdvanceTo(cluster_.Now() + time);
  }
  void DropConnections() override { cluster_.DropWatches(); }
  const std::string& address() const { return api_.address(); }

 private:
  SimulatedCluster cluster_;
  ClusterApi api_;
  std::unique_ptr<KubernetesCluster> door_;
};

std::unique_ptr<ContractWorld> OverPort() {
  return std::make_unique<HttpWorld>();
}
std::unique_ptr<ContractWorld> WithStreamedLists() {
  return std::make_unique<HttpWorld>("127.0.0.1:0", /*stream_lists=*/true);
}
std::unique_ptr<ContractWorld> OverFile() {
  return std::make_unique<HttpWorld>("unix:" + ::testing::TempDir() +
                                     "kubernetes_cluster_test.sock");
}

INSTANTIATE_TEST_SUITE_P(Http, ClusterContract,
                         ::testing::Values(ContractCase{"Port", OverPort},
                                           ContractCase{"StreamedLists",
                                                        WithStreamedLists},
                                           ContractCase{"File", OverFile}),
                         NameOfCase);

PodPointer AddPod(SimulatedCluster& cluster, const std::string& name) {
  PodTemplate wish;
  wish.pod.namespace_name = "default";
  wish.pod.name = name;
  wish.pod.scheduler_name = "fluxnetes";
  wish.pod.request.resources.pods = 1;
  return cluster.CreatePod(wish);
}

Binding BindingOf(const Pod& pod, const std::string& node = "node0") {
  return {pod.namespace_name, pod.name, pod.uid, pod.resource_version, node};
}

void SetFaults(const std::string& address, const Json& faults) {
  HttpClient client({.address = address});
  const HttpResponse response = client.Send(
      {.method = "POST", .path = "/simulation/faults", .body = faults.dump()});
  ASSERT_EQ(response.status, 200) << response.body;
}

TEST(KubernetesCluster, BindingWhoseAnswerWasLostIsOurs) {
  HttpWorld world;
  const auto pod = AddPod(world.Behind(), "a");
  world.Behind().FailBinds(BindFault::kAnswerLost, 1);
  const Binding binding = BindingOf(*pod);
  EXPECT_EQ(world.Door().Bind({&binding, 1}, kDeadline).at(0).outcome,
            BindOutcome::kBound);
  EXPECT_EQ(world.Behind().Bindings().size(), 1U);
}

TEST(KubernetesCluster, BindingIsTriedAgainWhenTheServerIsBusyOrFails) {
  HttpWorld world;
  const auto pod = AddPod(world.Behind(), "a");
  SetFaults(world.address(), Json::parse(R"({"requests": [
                {"status": 500, "count": 2, "path": "/binding"},
                {"status": 429, "count": 2, "path": "/binding"}]})"));
  const Binding binding = BindingOf(*pod);
  EXPECT_EQ(world.Door().Bind({&binding, 1}, kDeadline).at(0).outcome,
            BindOutcome::kBound);
}

TEST(KubernetesCluster, BindThrowsWhenTheDeadlineIsOver) {
  HttpWorld world;
  const auto pod = AddPod(world.Behind(), "a");
  SetFaults(world.address(),
            Json::parse(R"({"requests": [{"status": 503, "count": 1000}]})"));
  const Binding binding = BindingOf(*pod);
  try {
    world.Door().Bind({&binding, 1}, milliseconds(500));
    FAIL();
  } catch (const Unreachable& error) {
    EXPECT_THAT(error.what(), HasSubstr("503 a fault on demand"));
    EXPECT_THAT(error.what(), HasSubstr("default/a"));
  }
}

TEST(KubernetesCluster, ConflictIsWordedAsKubernetesWordsIt) {
  HttpWorld world;
  const auto pod = AddPod(world.Behind(), "a");
  Binding binding = BindingOf(*pod);
  binding.uid = "other";
  const BindResult result = world.Door().Bind({&binding, 1}, kDeadline).at(0);
  EXPECT_EQ(result.outcome, BindOutcome::kConflict);
  EXPECT_EQ(result.message,
            "Operation cannot be fulfilled on pods/binding \"a\": "
            "Precondition failed: UID in precondition: other, UID in object "
            "meta: " +
                pod->uid);
}

TEST(KubernetesCluster, SaysThatTheServerIsAway) {
  KubernetesOptions options = OptionsFor("unix:/nonexistent");
  options.deadline = milliseconds(20);
  KubernetesCluster door(options);
  const Binding binding{"a", "b", "", "", "n"};
  const PodEvent event{"a", "b", "", false, "Scheduled", "x"};
  const PodCondition condition{"a", "b", "", "Unschedulable", "x"};
  EXPECT_THROW(door.Bind({&binding, 1}, milliseconds(20)), Unreachable);
  EXPECT_THROW(door.GetPod("a", "b"), Unreachable);
  const ObjectName name{"Pod", "a", "b", "u"};
  EXPECT_THROW(door.Touch({&name, 1}), Unreachable);
  EXPECT_THROW(door.Delete({"Pod", "a", "b", ""}), Unreachable);
  EXPECT_THROW(door.TopOwner({"Job", "a", "b", ""}), Unreachable);
  EXPECT_THROW(door.MayReplace({"Job", "a", "b", ""}), Unreachable);
  const ObjectName job{"Job", "a", "b", ""};
  EXPECT_THROW(door.ReadControllers({&job, 1}), Unreachable);
  EXPECT_THROW(door.Record({&event, 1}), Unreachable);
  EXPECT_THROW(door.SetConditions({&condition, 1}), Unreachable);
  EXPECT_TRUE(door.WatchAll()->Next(10, milliseconds(5)).empty());
}

TEST(KubernetesCluster, TellsWhatIsRefusedFromAServerThatIsAway) {
  HttpWorld world;
  KubernetesCluster door(OptionsFor(world.address()));
  const auto remove = [&](int status, int times) {
    const Json fault = {
        {"status", status}, {"count", times}, {"path", "/jobs"}};
    SetFaults(world.address(), {{"requests", Json::array({fault})}});
    door.Delete({"Job", "a", "b", ""});
  };
  EXPECT_THROW(remove(403, 1), Refused);
  EXPECT_THROW(remove(422, 1), Refused);
  for (const int status : {401, 500}) {
    try {
      remove(status, 9);
      ADD_FAILURE() << status;
    } catch (const Refused& error) {
      ADD_FAILURE() << status << " " << error.what();
    } catch (const Unreachable&) {
    }
  }
}

TEST(KubernetesCluster, SaysOnceWhatItMayNotWrite) {
  HttpWorld world;
  const auto pod = AddPod(world.Behind(), "a");
  KubernetesOptions options = OptionsFor(world.address());
  std::vector<std::string> said;
  options.on_refused = [&](const std::string& what, const std::string& why) {
    said.push_back(what + ": " + why);
  };
  KubernetesCluster door(options);
  SetFaults(world.address(), Json::parse(R"({"requests": [
                {"status": 403, "count": 2, "path": "/status"},
                {"status": 403, "count": 2, "path": "/events"}]})"));
  const PodCondition condition{"default", "a", pod->uid, "Unschedulable", "x"};
  const PodEvent event{"default", "a", pod->uid, true, "FailedScheduling", "x"};
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(door.SetConditions({&condition, 1})[0].outcome,
              StatusOutcome::kRefused);
    door.Record({&event, 1});
  }
  EXPECT_THAT(said, ::testing::ElementsAre(
                        HasSubstr("conditions of pods: a fault on demand"),
                        HasSubstr("events of pods: a fault on demand")));
  EXPECT_EQ(door.SetConditions({&condition, 1})[0].outcome,
            StatusOutcome::kSet);
}

TEST(KubernetesCluster, ControllerThatMayNotBeReadIsUnknown) {
  HttpWorld world;
  KubernetesOptions options = OptionsFor(world.address());
  std::vector<std::string> said;
  options.on_refused = [&](const std::string& what, const std::string& why) {
    said.push_back(what + ": " + why);
  };
  KubernetesCluster door(options);
  SetFaults(world.address(), Json::parse(R"({"requests": [
                {"status": 403, "count": 1, "path": "/jobs"}]})"));
  const std::vector<ObjectName> names = {{"Job", "a", "b", ""},
                                         {"Sorcery", "a", "b", ""}};
  auto states = door.ReadControllers(names);
  ASSERT_EQ(states.size(), 2U);
  EXPECT_EQ(states[0].life, ControllerState::Life::kUnknown);
  EXPECT_EQ(states[1].life, ControllerState::Life::kUnknown);
  EXPECT_THAT(said, ::testing::ElementsAre(
                        HasSubstr("controllers of pods: a fault on demand")));
  states = door.ReadControllers(names);
  EXPECT_EQ(states[0].life, ControllerState::Life::kGone);
}

TEST(KubernetesCluster, KindThatItDoesNotKnowIsNotThere) {
  HttpWorld world;
  EXPECT_FALSE(world.Door().Delete({"Sorcery", "a", "b", ""}));
  EXPECT_EQ(world.Door().TopOwner({"Sorcery", "a", "b", ""}), std::nullopt);
  EXPECT_FALSE(world.Door().MayReplace({"Sorcery", "a", "b", ""}));
}

// Records the events of a watch: begun lists of pods, and objects.
class Told {
 public:
  explicit Told(Cluster& door) : watch_(door.WatchAll()) {}

  bool Until(const std::function<bool()>& condition) {
    for (int i = 0; i < 500 && !condition(); ++i) {
      for (const WatchEvent& event : watch_->Next(100, milliseconds(20))) {
        if (event.kind == WatchEvent::Kind::kListBegin &&
            event.listed == WatchedKind::kPods) {
          ++lists;
        }
        cache.Apply({&event, 1});
      }
    }
    return condition();
  }
  bool UntilSeen(const std::string& uid) {
    return Until([&] { return cache.PodByUid(uid) != nullptr; });
  }

  int lists = 0;
  ClusterCache cache;

 private:
  std::unique_ptr<Watch> watch_;
};

// By pages and by a stream, as of a real server.
TEST(KubernetesWatch, TellsOfJobspecsThatJobsGetAndLose) {
  for (const bool stream_lists : {false, true}) {
    SCOPED_TRACE(stream_lists);
    HttpWorld world("127.0.0.1:0", stream_lists);
    KubernetesJob job;
    job.namespace_name = "default";
    std::string uids[3];
    for (int i = 0; i < 3; ++i) {
      job.name = "job" + std::to_string(i);
      uids[i] = world.Behind().CreateJob(job)->uid;
    }
    const auto annotate = [&](int which, std::optional<std::string> text) {
      ASSERT_TRUE(
          world.Behind().AnnotateJob("default", "job" + std::to_string(which),
                                     {{"fluxnetes.jobspec", std::move(text)}}));
    };
    annotate(2, "before");
    const auto watch = world.Door().WatchAll();
    ClusterCache cache;
    const auto text_of = [&](int which) -> std::string {
      const auto told = cache.AnnotationsOfJob(uids[which]);
      return told == nullptr ? "" : told->annotations.at("fluxnetes.jobspec");
    };
    const auto comes = [&](int which, const std::string& text) {
      for (int i = 0; i < 100 && text_of(which) != text; ++i)
        cache.Apply(watch->Next(1'000, milliseconds(100)));
      EXPECT_EQ(text_of(which), text);
    };
    comes(2, "before");
    annotate(1, "later");
    comes(1, "later");
    annotate(2, std::nullopt);
    comes(2, "");
    EXPECT_EQ(text_of(0), "");
    world.Behind().Delete({"Job", "default", "job1", uids[1]});
    comes(1, "");
  }
}

TEST(KubernetesWatch, ClosedStreamGoesOnWithoutAnotherList) {
  HttpWorld world;
  Told told(world.Door());
  ASSERT_TRUE(told.UntilSeen(AddPod(world.Behind(), "a")->uid));
  for (int i = 0; i < 5; ++i) {
    SetFaults(world.address(), {{"closeWatches", true}});
    const auto pod = AddPod(world.Behind(), "b" + std::to_string(i));
    EXPECT_TRUE(told.UntilSeen(pod->uid));
  }
  EXPECT_EQ(told.lists, 1);
}

TEST(KubernetesWatch, ForgottenVersionIsListedAnew) {
  HttpWorld world;
  Told told(world.Door());
  ASSERT_TRUE(told.UntilSeen(AddPod(world.Behind(), "a")->uid));
  ASSERT_TRUE(told.UntilSeen(AddPod(world.Behind(), "streamed")->uid));
  SetFaults(world.address(), {{"dropWatches", true}});
  EXPECT_TRUE(told.UntilSeen(AddPod(world.Behind(), "b")->uid));
  EXPECT_EQ(told.lists, 2);
}

TEST(KubernetesWatch, ServerThatFailsIsAskedAgain) {
  HttpWorld world;
  SetFaults(world.address(), Json::parse(R"({"requests": [
                {"status": 403, "count": 3, "path": "/api/v1/nodes"},
                {"status": 429, "count": 3, "path": "/api/v1/pods"}]})"));
  Told told(world.Door());
  EXPECT_TRUE(told.UntilSeen(AddPod(world.Behind(), "a")->uid));
}

TEST(KubernetesWatch, SaysWhyTheClusterCannotBeListedAndWhenItCan) {
  const std::string address =
      "unix:" + ::testing::TempDir() + "kubernetes_trouble_test.sock";
  KubernetesOptions options = OptionsFor(address);
  std::vector<std::string> said;
  options.watch.on_trouble = [&](const std::string& why) {
    said.push_back(why);
  };
  KubernetesCluster door(options);
  Told told(door);
  told.Until([&] { return !said.empty(); });
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0], HasSubstr("listing the cluster: " + address + ": "));
  HttpWorld world(address);
  EXPECT_TRUE(told.UntilSeen(AddPod(world.Behind(), "a")->uid));
  EXPECT_EQ(said.back(), "");
  SetFaults(address, Json::parse(R"({"closeWatches": true, "requests": [
                {"status": 403, "count": 6, "path": "/api/v1/pods"}]})"));
  EXPECT_TRUE(told.UntilSeen(AddPod(world.Behind(), "b")->uid));
  EXPECT_THAT(said, ::testing::Contains(HasSubstr(
                        "watching the cluster: 403 a fault on demand")));
}

TEST(KubernetesWatch, ListsLessAndLessOftenWhatItCannotWatch) {
  std::atomic<int> lists = 0;
  services::HttpServer server(
      {.address = "127.0.0.1:0",
       .answer =
           [&](const HttpQuestion& question) {
             HttpAnswer answer;
             answer.body = R"({"metadata":{"resourceVersion":"1"},"items":[]})";
             if (!question.query.contains("watch")) {
               if (question.path == "/api/v1/nodes") ++lists;
             } else {
               answer.body = "garbage\n";
             }
             return answer;
           },
       .refuse = [](int, const std::string& why) { return why; }});
  server.Start();
  KubernetesCluster door(OptionsFor(server.address()));
  Told told(door);
  const auto begin = std::chrono::steady_clock::now();
  told.Until([&] { return lists >= 12; });
  const auto took = std::chrono::steady_clock::now() - begin;
  // Pauses of 1, 2, 4, ... 50 ms, each at least half as long.
  EXPECT_GE(took, milliseconds(25 * (12 - 8)));
}

TEST(KubernetesWatch, ServerThatComesBackAnewIsListed) {
  const std::string address =
      "unix:" + ::testing::TempDir() + "kubernetes_watch_test.sock";
  auto world = std::make_unique<HttpWorld>(address);
  KubernetesCluster door(OptionsFor(address));
  Told told(door);
  const auto old = AddPod(world->Behind(), "a");
  ASSERT_TRUE(told.UntilSeen(old->uid));
  // Its versions begin again, below those already seen.
  world.reset();
  world = std::make_unique<HttpWorld>(address);
  EXPECT_TRUE(told.UntilSeen(AddPod(world->Behind(), "b")->uid));
}

// A server that answers lists with nothing and a watch with these lines.
class Script {
 public:
  explicit Script(std::vector<std::string> lines)
      : lines_(std::move(lines)),
        server_({.address = "127.0.0.1:0",
                 .answer = [this](const auto& it) { return Answer(it); },
                 .refuse = [](int, const std::string& why) { return why; }}) {
    server_.Start();
  }
  const std::string& address() const { return server_.address(); }
  std::vector<std::string> VersionsAskedFor() {
    const sql::MutexLock lock(mutex_);
    return versions_;
  }

 private:
  HttpAnswer Answer(const HttpQuestion& question) {
    HttpAnswer answer;
    if (!question.query.contains("watch")) {
      answer.body = R"({"metadata":{"resourceVersion":"1"},"items":[]})";
      return answer;
    }
    const bool pods = question.path == "/api/v1/pods";
    const sql::MutexLock lock(mutex_);
    if (pods) versions_.push_back(question.query.at("resourceVersion"));
    const bool first = pods && versions_.size() == 1;
    answer.stream = [lines = first ? lines_ : std::vector<std::string>(),
                     next = std::size_t{0},
                     first]() mutable -> std::optional<std::string> {
      if (next < lines.size()) return lines[next++] + "\n";
      if (first) return std::nullopt;
      std::this_thread::sleep_for(milliseconds(1));
      return "";
    };
    return answer;
  }

  const std::vector<std::string> lines_;
  sql::Mutex mutex_;
  std::vector<std::string> versions_ GUARDED_BY(mutex_);
  services::HttpServer server_;
};

std::string Event(const std::string& type, const std::string& version) {
  return R"({"type":")" + type +
         R"(","object":{"metadata":{"name":"a","uid":"u",)"
         R"("resourceVersion":")" +
         version + R"("}}})";
}

std::vector<std::string> VersionsAfter(std::vector<std::string> lines) {
  Script script(std::move(lines));
  KubernetesCluster door(OptionsFor(script.address()));
  Told told(door);
  told.Until([&] { return script.VersionsAskedFor().size() >= 2; });
  return script.VersionsAskedFor();
}

TEST(KubernetesWatch, GoesOnFromTheLastEventOrBookmark) {
  EXPECT_THAT(VersionsAfter({Event("ADDED", "5"), Event("MODIFIED", "7")}),
              ::testing::ElementsAre("1", "7"));
  EXPECT_THAT(VersionsAfter({Event("ADDED", "5"), Event("BOOKMARK", "9")}),
              ::testing::ElementsAre("1", "9"));
}

TEST(KubernetesWatch, ListsAnewAfterAnErrorOrALineThatItCannotRead) {
  for (const char* line :
       {R"({"type":"ERROR","object":{"code":410}})",
        R"({"type":"ERROR","object":{"code":500}})", "nonsense", "{}"}) {
    EXPECT_THAT(VersionsAfter({Event("ADDED", "5"), line}),
                ::testing::ElementsAre("1", "1"))
        << line;
  }
}

TEST(KubernetesWatch, SlowReaderIsTheServersConcern) {
  HttpWorld world;
  Told told(world.Door());
  ASSERT_TRUE(told.UntilSeen(AddPod(world.Behind(), "first")->uid));
  for (int i = 0; i < 20'000; ++i) {
    AddPod(world.Behind(), "pod" + std::to_string(i));
  }
  EXPECT_TRUE(told.Until([&] { return told.cache.Pods().size() == 20'001; }));
}

}  // namespace
}  // namespace fluxnetes::cluster
