#include "services/simulated_api/cluster_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "cluster/http/http_client.h"
#include "cluster/json/object_writer.h"
#include "cluster/kubernetes/protobuf_bodies.h"
#include "cluster/protobuf/envelope.h"

namespace fluxnetes::services {
namespace {

using cluster::HttpClient;
using cluster::HttpResponse;
using cluster::SimulatedCluster;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class ClusterApiTest : public ::testing::Test {
 protected:
  ClusterApiTest()
      : api_(cluster_, {.address = "127.0.0.1:0",
                        .virtual_time = true,
                        .bookmark_interval = std::chrono::milliseconds(20)}) {
    api_.Start();
    // The backoff exceeds the deadline, so that the client sends once.
    cluster::HttpOptions options;
    options.address = api_.address();
    options.first_backoff = options.longest_backoff = std::chrono::hours(1);
    client_ = std::make_unique<HttpClient>(options);
  }

  HttpResponse Send(const std::string& method, const std::string& path,
                    const std::string& body = "") {
    return client_->Send({.method = method, .path = path, .body = body});
  }
  Json SendJson(const std::string& method, const std::string& path,
                const std::string& body = "") {
    return Json::parse(Send(method, path, body).body);
  }
  Json CreatePod(const std::string& name) {
    return SendJson(
        "POST", "/api/v1/namespaces/a/pods",
        R"({"metadata":{"name":")" + name +
            R"("},"spec":{"containers":[{"name":"c","image":"x"}]}})");
  }
  // Returns the events of a watch until it ends.
  std::vector<Json> Watch(const std::string& path) {
    const HttpResponse response = Send("GET", path);
    EXPECT_EQ(response.status, 200) << response.body;
    std::vector<Json> lines;
    std::istringstream text(response.body);
    for (std::string line; std::getline(text, line);) {
      lines.push_back(Json::parse(line));
    }
    return lines;
  }
  std::string Version() { return cluster_.TakeSnapshot().resource_version; }

  SimulatedCluster cluster_;
  ClusterApi api_;
  std::unique_ptr<HttpClient> client_;
};

TEST_F(ClusterApiTest, SaysThatItIsAlive) {
  for (const char* path : {"/healthz", "/livez", "/readyz"}) {
    EXPECT_EQ(Send("GET", path).body, "ok");
  }
  EXPECT_EQ(SendJson("GET", "/version")["minor"], "36");
}

TEST_F(ClusterApiTest, PodIsCreatedReadBoundAndDeleted) {
  const Json pod = CreatePod("p");
  EXPECT_EQ(pod["metadata"]["name"], "p");
  EXPECT_EQ(Send("GET", "/api/v1/namespaces/a/pods/p").status, 200);
  const HttpResponse bound =
      Send("POST", "/api/v1/namespaces/a/pods/p/binding",
           R"({"metadata":{"name":"p"},"target":{"name":"n"}})");
  EXPECT_EQ(bound.status, 201);
  EXPECT_EQ(Json::parse(bound.body)["status"], "Success");
  EXPECT_EQ(cluster_.GetPod("a", "p")->node_name, "n");
  EXPECT_EQ(Send("DELETE", "/api/v1/namespaces/a/pods/p").status, 200);
}

TEST_F(ClusterApiTest, ObjectsThatAreNotThereAreNamed) {
  const HttpResponse response = Send("GET", "/api/v1/namespaces/a/pods/p");
  EXPECT_EQ(response.status, 404);
  const Json status = Json::parse(response.body);
  EXPECT_EQ(status["kind"], "Status");
  EXPECT_EQ(status["message"], "pods \"p\" not found");
  EXPECT_EQ(status["reason"], "NotFound");
  EXPECT_EQ(SendJson("GET", "/apis/batch/v1/namespaces/a/jobs/j")["message"],
            "jobs.batch \"j\" not found");
}

TEST_F(ClusterApiTest, SecondOfANameExistsAlready) {
  CreatePod("p");
  const Json again = CreatePod("p");
  EXPECT_EQ(again["code"], 409);
  EXPECT_EQ(again["reason"], "AlreadyExists");
  EXPECT_EQ(again["message"], "pods \"p\" already exists");
}

TEST_F(ClusterApiTest, SecondOwnerOfANameExistsAlready) {
  const std::string path = "/apis/apps/v1/namespaces/a/replicasets";
  const std::string body = R"({"metadata":{"name":"r"}})";
  EXPECT_EQ(Send("POST", path, body).status, 201);
  EXPECT_EQ(SendJson("POST", path, body)["message"],
            "replicasets.apps \"r\" already exists");
}

TEST_F(ClusterApiTest, GenerateNameMakesNames) {
  std::set<std::string> names;
  for (int i = 0; i < 3; ++i) {
    names.insert(SendJson("POST", "/api/v1/namespaces/a/pods",
                          R"({"metadata":{"generateName":"p-"},
                              "spec":{"containers":[{"name":"c","image":"x"}]}})")
                     ["metadata"]["name"]);
  }
  EXPECT_EQ(names.size(), 3U);
}

TEST_F(ClusterApiTest, BodiesThatCannotBeReadAreRefused) {
  const std::string path = "/api/v1/namespaces/a/pods";
  const auto why = [&](const std::string& body) {
    const HttpResponse response = Send("POST", path, body);
    EXPECT_EQ(response.status, 400) << body.substr(0, 40);
    return Json::parse(response.body)["message"].get<std::string>();
  };
  EXPECT_THAT(why("{"), HasSubstr("not JSON"));
  EXPECT_THAT(why("[]"), HasSubstr("not an object"));
  EXPECT_THAT(why("\xff\xfe"), HasSubstr("not JSON"));
  EXPECT_THAT(why(std::string(100'000, '[')), HasSubstr("nested deeper"));
  EXPECT_THAT(why(R"({"kind":"Job"})"), HasSubstr("expected Pod"));
  EXPECT_THAT(why(R"({"metadata":{"name":"p","namespace":"b"}})"),
              HasSubstr("namespace of the provided object"));
  EXPECT_EQ(Send("POST", path, R"({"metadata":{"name":"-"}})").status, 422);
  const HttpResponse quantity =
      Send("POST", path, R"({"metadata":{"name":"p"},"spec":{"containers":[
          {"name":"c","image":"x","resources":{"requests":{"cpu":"12x"}}}]}})");
  EXPECT_EQ(quantity.status, 422);
  EXPECT_THAT(quantity.body, HasSubstr("12x"));
  EXPECT_EQ(
      Send("POST", path + "/p/binding", R"({"target":{"name":""}})").status,
      422);
}

TEST_F(ClusterApiTest, ProtobufIsRefusedAsKubernetesRefusesWhatItCannotRead) {
  CreatePod("p");
  const HttpResponse response = client_->Send(
      {.method = "POST",
       .path = "/api/v1/namespaces/a/pods/p/binding",
       .body = cluster::BindingInProtobuf({"a", "p", "", "", "n"}),
       .content_type = cluster::kProtobufType});
  EXPECT_EQ(response.status, 415);
  EXPECT_EQ(Json::parse(response.body)["reason"], "UnsupportedMediaType");
  EXPECT_EQ(cluster_.GetPod("a", "p")->node_name, "");
}

TEST_F(ClusterApiTest, PathsAndMethodsThatAreNotServed) {
  for (const char* path :
       {"/", "/api", "/api/v1", "/api/v1/secrets", "/apis/x/v1/y", "/pods",
        "/api/v1/namespaces/a/nodes", "/api/v1//pods",
        "/api/v1/namespaces/a/pods/p/log", "/simulation/dreams"}) {
    EXPECT_EQ(Send("GET", path).status, 404) << path;
  }
  EXPECT_EQ(Send("PUT", "/api/v1/nodes").status, 405);
  EXPECT_EQ(Send("POST", "/api/v1/pods", "{}").status, 405);
  EXPECT_EQ(Send("DELETE", "/api/v1/namespaces/a/pods").status, 405);
}

TEST_F(ClusterApiTest, DeleteChecksTheUid) {
  CreatePod("p");
  const HttpResponse response = Send("DELETE", "/api/v1/namespaces/a/pods/p",
                                     cluster::WriteDeleteOptions("other"));
  EXPECT_EQ(response.status, 409);
  EXPECT_THAT(response.body, HasSubstr("UID in precondition: other"));
  EXPECT_TRUE(cluster_.GetPod("a", "p"));
}

TEST_F(ClusterApiTest, PatchChangesLabelsAndLiftsGates) {
  Send("POST", "/api/v1/namespaces/a/pods",
       R"({"metadata":{"name":"p","labels":{"x":"1","y":"2"}},
           "spec":{"containers":[{"name":"c","image":"x"}],
                   "schedulingGates":[{"name":"g"}]}})");
  const Json pod = SendJson("PATCH", "/api/v1/namespaces/a/pods/p",
                            R"({"metadata":{"labels":{"x":null,"z":"3"}},
                   "spec":{"schedulingGates":[]}})");
  EXPECT_EQ(pod["metadata"]["labels"], Json({{"y", "2"}, {"z", "3"}}));
  EXPECT_FALSE(cluster_.GetPod("a", "p")->gated);
}

TEST_F(ClusterApiTest, ConditionIsSetAndShown) {
  CreatePod("p");
  const Json pod = SendJson(
      "PATCH", "/api/v1/namespaces/a/pods/p/status",
      cluster::WriteConditionPatch({"a", "p", "", "Unschedulable", "wait"}));
  EXPECT_EQ(pod["status"]["conditions"][0]["message"], "wait");
}

TEST_F(ClusterApiTest, NodesAreCreatedCordonedTaintedAndRemoved) {
  const std::string node = R"({"metadata":{"name":"n"},"status":
      {"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"}}})";
  EXPECT_EQ(Send("POST", "/api/v1/nodes", node).status, 201);
  EXPECT_EQ(Send("POST", "/api/v1/nodes", node).status, 409);
  EXPECT_EQ(
      Send("PATCH", "/api/v1/nodes/n", R"({"spec":{"unschedulable":true}})")
          .status,
      200);
  EXPECT_TRUE(cluster_.GetNode("n")->unschedulable);
  EXPECT_EQ(cluster_.GetNode("n")->allocatable.cpu_milli, 4'000);
  Send("PATCH", "/api/v1/nodes/n",
       R"({"spec":{"unschedulable":null,
                   "taints":[{"key":"k","effect":"NoSchedule"}]}})");
  EXPECT_FALSE(cluster_.GetNode("n")->unschedulable);
  EXPECT_EQ(cluster_.GetNode("n")->taints.size(), 1U);
  Send("PATCH", "/api/v1/nodes/n/status",
       R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})");
  EXPECT_FALSE(cluster_.GetNode("n")->ready);
  EXPECT_EQ(Send("DELETE", "/api/v1/nodes/n").status, 200);
  EXPECT_EQ(Send("DELETE", "/api/v1/nodes/n").status, 404);
}

TEST_F(ClusterApiTest, JobIsCreatedScaledSuspendedListedAndDeleted) {
  const std::string jobs = "/apis/batch/v1/namespaces/a/jobs";
  EXPECT_EQ(Send("POST", jobs, R"({"metadata":{"name":"j"}})").status, 422);
  EXPECT_EQ(Send("POST", jobs,
                 R"({"metadata":{"name":"j"},"spec":{"parallelism":2,
                     "template":{"spec":{"restartPolicy":"Never",
                      "containers":[{"name":"c","image":"x"}]}}}})")
                .status,
            201);
  EXPECT_EQ(
      SendJson(
          "PATCH", jobs + "/j",
          R"({"spec":{"parallelism":3,"suspend":true}})")["spec"]["suspend"],
      true);
  EXPECT_EQ(cluster_.GetJob("a", "j")->job.parallelism, 3);
  for (const char* patch :
       {R"({"spec":{"parallelism":-1}})", R"({"spec":{"parallelism":"3"}})",
        R"({"spec":{"suspend":"false"}})"}) {
    const int status = Send("PATCH", jobs + "/j", patch).status;
    EXPECT_TRUE(status == 400 || status == 422) << patch << ": " << status;
  }
  EXPECT_EQ(cluster_.GetJob("a", "j")->job.parallelism, 3);
  EXPECT_EQ(SendJson("GET", "/apis/batch/v1/jobs")["items"].size(), 1U);
  EXPECT_EQ(SendJson("GET", "/apis/batch/v1/namespaces/b/jobs")["items"].size(),
            0U);
  EXPECT_EQ(Send("DELETE", jobs + "/j").status, 200);
  EXPECT_EQ(Send("GET", jobs + "/j").status, 404);
}

TEST_F(ClusterApiTest, JobsAreWatched) {
  const std::string jobs = "/apis/batch/v1/namespaces/a/jobs";
  const auto create = [&](const std::string& name) {
    return SendJson("POST", jobs,
                    R"({"metadata":{"name":")" + name +
                        R"("},"spec":{"template":{"spec":{"restartPolicy":
                            "Never","containers":[{"name":"c","image":"x"}]}}}})");
  };
  create("before");
  const Json list = SendJson("GET", "/apis/batch/v1/jobs?limit=500");
  EXPECT_EQ(list["kind"], "JobList");
  EXPECT_EQ(list["items"][0]["spec"]["parallelism"], 1);
  const std::string version = list["metadata"]["resourceVersion"];
  create("j");
  for (const char* patch :
       {R"({"metadata":{"annotations":{"a":"1","b":"2"}}})",
        R"({"metadata":{"annotations":{"a":null}},"spec":{"suspend":true}})"})
    EXPECT_EQ(Send("PATCH", jobs + "/j", patch).status, 200);
  for (const char* patch : {R"({"metadata":{"annotations":{"a":1}}})",
                            R"({"metadata":{"annotations":"a"}})"})
    EXPECT_EQ(Send("PATCH", jobs + "/j", patch).status, 400);
  Send("DELETE", jobs + "/j");
  // In order of their versions, each with the Job as it was then.
  std::vector<std::string> said;
  std::uint64_t newest = std::stoull(version);
  for (const Json& line :
       Watch("/apis/batch/v1/jobs?watch=true&timeoutSeconds=1"
             "&resourceVersion=" +
             version)) {
    const Json& job = line["object"];
    const Json& metadata = job["metadata"];
    const std::uint64_t at =
        std::stoull(metadata["resourceVersion"].get<std::string>());
    EXPECT_GT(at, newest);
    newest = at;
    EXPECT_EQ(metadata["name"], "j");
    std::string text = line["type"].get<std::string>() + " " +
                       metadata.value("annotations", Json::object()).dump() +
                       " " + job["status"]["active"].dump();
    if (said.empty() || said.back() != text) said.push_back(std::move(text));
  }
  EXPECT_THAT(said, ::testing::ElementsAre("ADDED {} 0", "MODIFIED {} 1",
                                           R"(MODIFIED {"a":"1","b":"2"} 1)",
                                           R"(MODIFIED {"a":"1","b":"2"} 0)",
                                           R"(MODIFIED {"b":"2"} 0)",
                                           R"(DELETED {"b":"2"} 0)"));
  const auto all = Watch("/apis/batch/v1/jobs?watch=true&timeoutSeconds=1");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0]["object"]["metadata"]["name"], "before");
  EXPECT_TRUE(
      Watch("/apis/batch/v1/namespaces/b/jobs?watch=true&timeoutSeconds=1")
          .empty());
}

TEST_F(ClusterApiTest, ListComesInPagesOfOneMoment) {
  for (int i = 0; i < 5; ++i) CreatePod("p" + std::to_string(i));
  Json page = SendJson("GET", "/api/v1/pods?limit=2");
  const Json version = page["metadata"]["resourceVersion"];
  EXPECT_EQ(page["metadata"]["remainingItemCount"], 3);
  std::set<std::string> names;
  CreatePod("late");
  while (true) {
    for (const Json& item : page["items"]) {
      names.insert(item["metadata"]["name"]);
    }
    EXPECT_EQ(page["metadata"]["resourceVersion"], version);
    if (!page["metadata"].contains("continue")) break;
    page = SendJson("GET", "/api/v1/pods?limit=2&continue=" +
                               page["metadata"]["continue"].get<std::string>());
  }
  EXPECT_THAT(names, ::testing::ElementsAre("p0", "p1", "p2", "p3", "p4"));
  EXPECT_EQ(Send("GET", "/api/v1/pods?continue=99.2").status, 410);
  EXPECT_EQ(Send("GET", "/api/v1/pods?limit=-1").status, 400);
  EXPECT_EQ(Send("GET", "/api/v1/pods?labelSelector=x").status, 400);
  EXPECT_EQ(SendJson("GET", "/api/v1/namespaces/b/pods")["items"].size(), 0U);
}

TEST_F(ClusterApiTest, WatchTellsWhatCameAfterTheVersion) {
  CreatePod("before");
  const std::string version = Version();
  CreatePod("p");
  Send("PATCH", "/api/v1/namespaces/a/pods/p",
       R"({"metadata":{"labels":{"x":"1"}}})");
  Send("DELETE", "/api/v1/namespaces/a/pods/p");
  CreatePod("q");
  const auto lines = Watch("/api/v1/pods?watch=true&timeoutSeconds=1" +
                           ("&resourceVersion=" + version));
  std::vector<std::string> said;
  for (const Json& line : lines) {
    said.push_back(line["type"].get<std::string>() + " " +
                   line["object"]["metadata"]["name"].get<std::string>());
  }
  EXPECT_THAT(said, ::testing::ElementsAre("ADDED p", "MODIFIED p", "DELETED p",
                                           "ADDED q"));
}

TEST_F(ClusterApiTest, WatchTellsNothingThatTheListHadEvenIfItHearsItLate) {
  cluster_.SetWatchFaults({.delay = std::chrono::milliseconds(1000)});
  CreatePod("before");
  const std::string version = Version();
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    cluster_.AdvanceTo(cluster_.Now() + std::chrono::seconds(1));
  });
  for (const Json& line :
       Watch("/api/v1/pods?watch=true&timeoutSeconds=1&resourceVersion=" +
             version)) {
    ADD_FAILURE() << line;
  }
}

TEST_F(ClusterApiTest, WatchWithoutAVersionBeginsWithAll) {
  CreatePod("p");
  const auto lines =
      Watch("/api/v1/namespaces/a/pods?watch=1&timeoutSeconds=1");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["type"], "ADDED");
}

TEST_F(ClusterApiTest, WatchSendsBookmarksIfAllowed) {
  const std::string path =
      "/api/v1/nodes?watch=true&timeoutSeconds=1"
      "&resourceVersion=" +
      Version();
  EXPECT_TRUE(Watch(path).empty());
  const auto lines = Watch(path + "&allowWatchBookmarks=true");
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines[0]["type"], "BOOKMARK");
  EXPECT_EQ(lines[0]["object"]["metadata"]["resourceVersion"], Version());
}

TEST_F(ClusterApiTest, VersionOfAnotherClusterIsTooLarge) {
  const HttpResponse response =
      Send("GET", "/api/v1/pods?watch=true&resourceVersion=1000000");
  EXPECT_EQ(response.status, 504);
  EXPECT_THAT(response.body, HasSubstr("Too large resource version: 1000000"));
}

TEST_F(ClusterApiTest, FaultsAreServedOnDemand) {
  EXPECT_EQ(Send("POST", "/simulation/faults", R"({"requests":[
      {"status":429,"count":1,"method":"GET","path":"/nodes"}]})")
                .status,
            200);
  EXPECT_EQ(Send("GET", "/api/v1/pods").status, 200);
  EXPECT_EQ(Send("GET", "/api/v1/nodes").status, 429);
  EXPECT_EQ(Send("GET", "/api/v1/nodes").status, 200);
  Send("POST", "/simulation/faults", R"({"reachable":false})");
  for (const char* path :
       {"/api/v1/namespaces/a/pods/p", "/api/v1/pods", "/api/v1/nodes/n",
        "/api/v1/nodes?watch=true", "/apis/batch/v1/jobs"}) {
    EXPECT_EQ(Send("GET", path).status, 503) << path;
  }
  Send("POST", "/simulation/faults", R"({"reachable":true})");
  EXPECT_EQ(Send("GET", "/api/v1/namespaces/a/pods/p").status, 404);
  EXPECT_EQ(
      Send("POST", "/simulation/faults", R"({"bindings":{"fault":"divine"}})")
          .status,
      400);
}

TEST_F(ClusterApiTest, TruthHasPodsNodesJobsAndBindings) {
  CreatePod("p");
  Send("POST", "/api/v1/namespaces/a/pods/p/binding",
       R"({"target":{"name":"n"}})");
  const Json truth = SendJson("GET", "/simulation/truth");
  EXPECT_EQ(truth["pods"].size(), 1U);
  EXPECT_EQ(truth["bindings"][0]["node"], "n");
  EXPECT_EQ(truth["bindings"][0]["uid"], truth["pods"][0]["metadata"]["uid"]);
  EXPECT_EQ(SendJson("GET", "/simulation/truth?bindingsFrom=1")["bindings"],
            Json::array());
}

TEST_F(ClusterApiTest, VirtualTimeGoesOnWhenTold) {
  EXPECT_EQ(SendJson("GET", "/simulation/time")["now"],
            "2026-01-01T00:00:00.000000Z");
  EXPECT_EQ(SendJson("POST", "/simulation/time",
                     R"({"now":"2026-01-01T00:01:00Z"})")["now"],
            "2026-01-01T00:01:00.000000Z");
  EXPECT_EQ(
      Send("POST", "/simulation/time", R"({"now":"2025-01-01T00:00:00Z"})")
          .status,
      400);
}

TEST_F(ClusterApiTest, StopsTwice) {
  api_.Stop();
  api_.Stop();
  EXPECT_EQ(Send("GET", "/healthz").status, 0);
}

TEST(ClusterProcess, ServesUntilItIsTerminated) {
  const std::string address =
      "unix:" + ::testing::TempDir() + "cluster_process_test.sock";
  ClusterProcessOptions options;
  options.api.address = address;
  options.cluster.real_time = true;
  cluster::Node node;
  node.name = "n";
  options.nodes = {node};
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  options.ready = [&](const std::string&) {
    EXPECT_EQ(write(ready[1], "x", 1), 1);
  };
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    RunClusterApi(options);
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  HttpClient client({.address = address});
  const HttpResponse response = client.Send({.path = "/api/v1/nodes"});
  EXPECT_THAT(response.body, HasSubstr(R"("name":"n")"));
  kill(child, SIGTERM);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_FALSE(std::filesystem::exists(address.substr(5)));
  close(ready[0]);
  close(ready[1]);
}

}  // namespace
}  // namespace fluxnetes::services
