// In which encoding KubernetesCluster writes bodies and accepts answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cluster/kubernetes/kubernetes_cluster.h"
#include "cluster/kubernetes/protobuf_bodies.h"
#include "cluster/protobuf/envelope.h"
#include "services/http/http_server.h"
#include "sql/mutex.h"
#include "tests/cluster/protobuf/protobuf_writer.h"

namespace fluxnetes::cluster {
namespace {

using services::HttpAnswer;
using services::HttpQuestion;
using ::testing::ElementsAre;
using Json = nlohmann::json;
using namespace std::string_literals;

constexpr std::chrono::milliseconds kLongEnough{10'000};

KubernetesOptions InEncoding(const std::string& address, bool protobuf = true) {
  KubernetesOptions options;
  options.http.address = address;
  options.http.first_backoff = std::chrono::milliseconds(1);
  options.deadline = kLongEnough;
  options.protobuf = protobuf;
  return options;
}

// A server that takes every binding and event, if it is in an encoding that the
// server reads, and records the types of the bodies.
class Writable {
 public:
  explicit Writable(bool reads_protobuf)
      : reads_protobuf_(reads_protobuf),
        server_({.address = "127.0.0.1:0",
                 .answer = [this](const auto& it) { return Answer(it); },
                 .refuse = [](int, const std::string& why) { return why; }}) {
    server_.Start();
  }
  const std::string& address() const { return server_.address(); }
  std::vector<HttpQuestion> Asked() {
    const sql::MutexLock lock(mutex_);
    return asked_;
  }
  // "binding protobuf", "events json", ... in order.
  std::vector<std::string> Taken() {
    std::vector<std::string> taken;
    for (const HttpQuestion& question : Asked()) {
      const bool protobuf = question.content_type == kProtobufType;
      EXPECT_EQ(IsProtobuf(question.body), protobuf);
      taken.push_back(question.path.substr(question.path.rfind('/') + 1) +
                      (protobuf ? " protobuf" : " json"));
    }
    return taken;
  }

 private:
  HttpAnswer Answer(const HttpQuestion& question) {
    const sql::MutexLock lock(mutex_);
    asked_.push_back(question);
    HttpAnswer answer;
    answer.status = 201;
    answer.body = "{}";
    if (!reads_protobuf_ && question.content_type != "application/json")
      answer.status = 415;
    return answer;
  }

  const bool reads_protobuf_;
  sql::Mutex mutex_;
  std::vector<HttpQuestion> asked_ GUARDED_BY(mutex_);
  services::HttpServer server_;
};

class BodiesOfRequests : public ::testing::Test {
 protected:
  void BindAndTell(KubernetesCluster& door) {
    const std::vector<Binding> bindings = {{"a", "p", "u", "1", "n"}};
    EXPECT_EQ(door.Bind(bindings, kLongEnough).at(0).outcome,
              BindOutcome::kBound);
    const PodEvent event{"a", "p", "u", false, "Scheduled", "x"};
    door.Record({&event, 1});
  }
};

TEST_F(BodiesOfRequests, BindingsAndEventsAreInProtobuf) {
  Writable server(/*reads_protobuf=*/true);
  KubernetesCluster door(InEncoding(server.address()));
  BindAndTell(door);
  EXPECT_THAT(server.Taken(),
              ElementsAre("binding protobuf", "events protobuf"));
  EXPECT_THAT(server.Asked()[0].accept,
              ::testing::StartsWith(kProtobufType + ", "s));
  EXPECT_EQ(server.Asked()[0].body,
            BindingInProtobuf({"a", "p", "u", "1", "n"}));
}

TEST_F(BodiesOfRequests, ServerThatReadsNoProtobufGetsJsonFromThenOn) {
  Writable server(/*reads_protobuf=*/false);
  KubernetesCluster door(InEncoding(server.address()));
  BindAndTell(door);
  EXPECT_THAT(server.Taken(),
              ElementsAre("binding protobuf", "binding json", "events json"));
}

TEST_F(BodiesOfRequests, EachBindingOfABatchThatIsRefusedIsWrittenAgain) {
  Writable server(/*reads_protobuf=*/false);
  KubernetesCluster door(InEncoding(server.address()));
  std::vector<Binding> bindings;
  for (int i = 0; i < 100; ++i)
    bindings.push_back({"a", "p" + std::to_string(i), "u", "1", "n"});
  for (const BindResult& result : door.Bind(bindings, kLongEnough))
    EXPECT_EQ(result.outcome, BindOutcome::kBound);
  const auto taken = server.Taken();
  EXPECT_EQ(std::ranges::count(taken, "binding json"), 100);
}

TEST_F(BodiesOfRequests, AreInJsonIfThatIsConfigured) {
  Writable server(/*reads_protobuf=*/true);
  KubernetesCluster door(InEncoding(server.address(), /*protobuf=*/false));
  BindAndTell(door);
  EXPECT_THAT(server.Taken(), ElementsAre("binding json", "events json"));
}

// A server with objects, of which it sends in Protobuf, or only the metadata,
// what is accepted so.
class ObjectServer {
 public:
  ObjectServer()
      : server_({.address = "127.0.0.1:0",
                 .answer = [this](const auto& it) { return Answer(it); },
                 .refuse = [](int, const std::string& why) { return why; }}) {
    server_.Start();
  }
  const std::string& address() const { return server_.address(); }

  void Put(const std::string& path, const std::string& kind, Json object) {
    const sql::MutexLock lock(mutex_);
    objects_[path] = {kind, std::move(object)};
  }
  // From now on all Protobuf is cut off.
  void Damage() {
    const sql::MutexLock lock(mutex_);
    damaged_ = true;
  }
  // The types that the last request accepted.
  std::string Accepted() {
    const sql::MutexLock lock(mutex_);
    return accepted_;
  }

 private:
  HttpAnswer Answer(const HttpQuestion& question) {
    const sql::MutexLock lock(mutex_);
    accepted_ = question.accept;
    HttpAnswer answer;
    const auto found = objects_.find(question.path);
    if (found == objects_.end()) {
      answer.status = 404;
      return answer;
    }
    auto [kind, object] = found->second;
    if (question.accept.find("as=PartialObjectMetadata") != std::string::npos) {
      object = {{"metadata", object["metadata"]}};
      kind = "PartialObjectMetadata";
    }
    answer.body = object.dump();
    if (question.accept.starts_with(kProtobufType)) {
      answer.content_type = kProtobufType;
      answer.body = WriteEnveloped(kind, object);
      if (damaged_) answer.body.resize(answer.body.size() / 2);
    }
    return answer;
  }

  sql::Mutex mutex_;
  std::map<std::string, std::pair<std::string, Json>> objects_
      GUARDED_BY(mutex_);
  bool damaged_ GUARDED_BY(mutex_) = false;
  std::string accepted_ GUARDED_BY(mutex_);
  services::HttpServer server_;
};

constexpr const char* kPodPath = "/api/v1/namespaces/a/pods/p";
constexpr const char* kProtobufOrJson =
    "application/vnd.kubernetes.protobuf, application/json";
constexpr const char* kMetadataAlone =
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;"
    "g=meta.k8s.io;v=v1, application/json;as=PartialObjectMetadata;"
    "g=meta.k8s.io;v=v1, application/json";

Json ObjectJson(const std::string& name, Json more = Json::object()) {
  more["metadata"]["name"] = name;
  more["metadata"]["uid"] = "uid-of-" + name;
  more["metadata"]["resourceVersion"] = "7";
  return more;
}

class AnswersInProtobuf : public ::testing::Test {
 protected:
  AnswersInProtobuf() : door_(InEncoding(server_.address())) {
    server_.Put(kPodPath, "Pod",
                ObjectJson("p", {{"spec", {{"nodeName", "n"}}}}));
  }

  ObjectServer server_;
  KubernetesCluster door_;
};

TEST_F(AnswersInProtobuf, PodIsRead) {
  EXPECT_EQ(door_.GetPod("a", "p")->node_name, "n");
  EXPECT_EQ(server_.Accepted(), kProtobufOrJson);
}

TEST_F(AnswersInProtobuf, PodIsAskedForInJsonIfThatIsConfigured) {
  KubernetesCluster in_json(InEncoding(server_.address(), /*protobuf=*/false));
  EXPECT_EQ(in_json.GetPod("a", "p")->node_name, "n");
  EXPECT_EQ(server_.Accepted(), "application/json");
}

TEST_F(AnswersInProtobuf, ObjectThatCannotBeReadIsAskedForAgainInJson) {
  server_.Damage();
  EXPECT_THROW((void)door_.GetPod("a", "p"), Unreachable);
  EXPECT_EQ(door_.GetPod("a", "p")->node_name, "n");
  EXPECT_EQ(server_.Accepted(), "application/json");
}

TEST_F(AnswersInProtobuf, TouchedPodIsReadInWhole) {
  const ObjectName name{"Pod", "a", "p", "uid-of-p"};
  const TouchResult result = door_.Touch({&name, 1}).at(0);
  ASSERT_NE(result.bound, nullptr);
  EXPECT_EQ(result.bound->node_name, "n");
  EXPECT_EQ(server_.Accepted(), kProtobufOrJson);
}

TEST_F(AnswersInProtobuf, PatchOfAStatusAsksForTheMetadataAlone) {
  server_.Put(kPodPath + "/status"s, "Pod", ObjectJson("p"));
  const PodCondition condition{"a", "p", "", "Unschedulable", "x"};
  EXPECT_EQ(door_.SetConditions({&condition, 1}).at(0).resource_version, "7");
  EXPECT_EQ(server_.Accepted(), kMetadataAlone);
  KubernetesCluster in_json(InEncoding(server_.address(), /*protobuf=*/false));
  EXPECT_EQ(in_json.SetConditions({&condition, 1}).at(0).resource_version, "7");
  EXPECT_EQ(server_.Accepted(),
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, "
            "application/json");
}

TEST_F(AnswersInProtobuf, EventAndDeletionAskForTheMetadataAlone) {
  server_.Put("/api/v1/namespaces/a/events", "Event", ObjectJson("e"));
  const PodEvent event{"a", "p", "u", false, "Scheduled", "x"};
  door_.Record({&event, 1});
  EXPECT_EQ(server_.Accepted(), kMetadataAlone);
  EXPECT_TRUE(door_.Delete({"Pod", "a", "p", ""}));
  EXPECT_EQ(server_.Accepted(), kMetadataAlone);
}

TEST_F(AnswersInProtobuf, JobAndItsOwnerAreRead) {
  server_.Put("/apis/batch/v1/namespaces/a/jobs/j", "Job",
              ObjectJson("j", {{"metadata",
                                {{"ownerReferences",
                                  {{{"kind", "CronJob"},
                                    {"name", "c"},
                                    {"uid", "uid-of-c"},
                                    {"controller", true}}}}}},
                               {"spec", {{"parallelism", 3}}},
                               {"status", {{"active", 2}}}}));
  server_.Put("/apis/batch/v1/namespaces/a/cronjobs/c", "CronJob",
              ObjectJson("c"));
  const ObjectName job{"Job", "a", "j", "uid-of-j"};
  const ControllerState state = door_.ReadControllers({&job, 1}).at(0);
  EXPECT_EQ(state.life, ControllerState::Life::kLives);
  EXPECT_EQ(state.at_once, 3);
  EXPECT_EQ(state.active, 2);
  EXPECT_TRUE(door_.MayReplace(job));
  EXPECT_EQ(server_.Accepted(), kProtobufOrJson);
  EXPECT_EQ(door_.TopOwner(job)->name, "c");
  EXPECT_EQ(server_.Accepted(), kMetadataAlone);
}

TEST_F(AnswersInProtobuf, ObjectOfAnOperatorIsReadInJson) {
  server_.Put("/apis/kubeflow.org/v2beta1/namespaces/a/mpijobs/m", "MPIJob",
              ObjectJson("m", {{"status", {{"phase", "Failed"}}}}));
  EXPECT_FALSE(door_.MayReplace({"MPIJob", "a", "m", ""}));
  EXPECT_EQ(server_.Accepted(), "application/json");
}

}  // namespace
}  // namespace fluxnetes::cluster
