// The findings of `fluxnetes doctor` about an API server. The server is a fake
// that answers like Kubernetes, except for what a test takes away.
#include "services/doctor/cluster_checkup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "services/console/time_text.h"
#include "services/doctor/scheduler_rights.h"
#include "services/http/http_server.h"

namespace fluxnetes::services {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

class ClusterCheckupTest : public ::testing::Test {
 protected:
  ClusterCheckupTest()
      : server_({.address = "127.0.0.1:0",
                 .answer =
                     [this](const auto& question) {
                       return refuse_ == 0 ? Answer(question) : With(refuse_);
                     },
                 .refuse = [](int, const std::string& why) { return why; }}) {
    server_.Start();
    config_.cluster.kind = ClusterKind::kApi;
    config_.cluster.address = server_.address();
  }

  // Returns "status: what -> mend" of the check's first finding.
  std::string Of(const std::string& check) {
    const char* kWords[] = {"ok", "warning", "failed", "skipped"};
    for (const Finding& finding : CheckCluster(
             config_, [](const char*) -> const char* { return nullptr; },
             [this] { return now_; }, owner_queues_))
      if (finding.check == check)
        return kWords[static_cast<int>(finding.status)] +
               (": " + finding.what) + " -> " + finding.mend;
    return "none";
  }

  Config config_;
  sql::Timestamp now_ = std::chrono::floor<std::chrono::seconds>(
      std::chrono::system_clock::now());
  sql::Timestamp theirs_ = now_;
  std::string version_ = R"({"gitVersion": "v1.36.0"})";
  std::optional<std::vector<std::string>> owner_queues_;
  int refuse_ = 0;                            // status of every answer
  std::set<std::string> denied_;              // "verb resource/subresource"
  std::map<std::string, std::string> lists_;  // by path

 private:
  static HttpAnswer With(int status, std::string body = {}) {
    HttpAnswer answer;
    answer.status = status;
    answer.body = std::move(body);
    return answer;
  }

  HttpAnswer Answer(const HttpQuestion& question) {
    if (question.path == "/version") return With(200, version_);
    const auto list = lists_.find(question.path);
    if (list != lists_.end()) return With(200, list->second);
    Json answer;
    if (question.path.ends_with("/selfsubjectreviews")) {
      answer["metadata"]["creationTimestamp"] =
          Rfc3339(theirs_).substr(0, 19) + "Z";
      answer["status"]["userInfo"]["username"] = "someone";
      return With(201, answer.dump());
    }
    if (!question.path.ends_with("/selfsubjectaccessreviews")) return With(404);
    const Json asked = Json::parse(question.body)["spec"]["resourceAttributes"];
    const std::string right = asked.value("verb", "") + " " +
                              asked.value("resource", "") + "/" +
                              asked.value("subresource", "");
    answer["status"]["allowed"] = !denied_.contains(right);
    return With(201, answer.dump());
  }

  HttpServer server_;
};

TEST_F(ClusterCheckupTest, WhoWeAreAndThatWeMayAllIsSaid) {
  EXPECT_EQ(Of("API server"),
            "ok: v1.36.0 at " + config_.cluster.address + " -> ");
  EXPECT_EQ(Of("identity"), "ok: someone -> ");
  EXPECT_THAT(Of("API server clock"), StartsWith("ok: "));
  EXPECT_EQ(Of("rights in the cluster"),
            "ok: all " + std::to_string(SchedulerRights().size()) + " -> ");
}

TEST_F(ClusterCheckupTest, EachMissingRightIsNamedWithWhatItIsFor) {
  denied_ = {"create pods/binding", "patch pods/"};
  EXPECT_THAT(Of("rights in the cluster"),
              AllOf(StartsWith("failed: missing (to bind pods to nodes): patch "
                               "pods, create pods/binding -> kubectl apply -f "
                               "deploy/rbac.yaml"),
                    Not(HasSubstr("delete"))));
  for (const SchedulerRight& right : SchedulerRights()) {
    const std::string resource(right.resource);
    denied_ = {std::string(right.verb) + " " + resource + "/" +
               std::string(right.subresource)};
    EXPECT_THAT(Of("rights in the cluster"),
                AllOf(StartsWith(right.optional ? "warning: " : "failed: "),
                      HasSubstr(std::string(right.why)),
                      HasSubstr(std::string(right.verb) + " " + resource)));
  }
}

TEST_F(ClusterCheckupTest, RightsOfOwnersAreMissedWhereAQueueNeedsThem) {
  denied_ = {"delete deployments/"};
  owner_queues_.emplace();
  EXPECT_EQ(Of("rights in the cluster"),
            "ok: all but those for queues with deadline_action owner, which "
            "there are none of -> ");
  owner_queues_ = {"gpu", "night"};
  EXPECT_THAT(Of("rights in the cluster"),
              StartsWith("failed: missing, and only needed for queues with "
                         "deadline_action owner (gpu, night): delete "
                         "deployments.apps -> "));
}

TEST_F(ClusterCheckupTest, ClockThatIsOffIsMeasured) {
  theirs_ = now_ + std::chrono::seconds(90);
  EXPECT_THAT(
      Of("API server clock"),
      StartsWith("warning: 90s ahead of that of this host -> Let both"));
  theirs_ = now_ - std::chrono::seconds(91);
  EXPECT_THAT(Of("API server clock"), HasSubstr("90s behind that of"));
}

TEST_F(ClusterCheckupTest, WhoIsNotKnownThereIsToldWhatToMakeAnew) {
  refuse_ = 401;
  EXPECT_THAT(Of("API server"), AllOf(StartsWith("failed: "),
                                      HasSubstr("does not know who we "
                                                "are: 401"),
                                      HasSubstr("make it anew")));
  EXPECT_EQ(Of("rights in the cluster"), "none");
}

TEST_F(ClusterCheckupTest, WhatIsNoApiServerIsToldSo) {
  version_ = "<html>";
  EXPECT_THAT(Of("API server"),
              AllOf(StartsWith("failed: "), HasSubstr("does not answer like"),
                    HasSubstr("cluster.address")));
  refuse_ = 404;
  EXPECT_THAT(Of("API server"), HasSubstr("does not answer like one: 404"));
}

TEST_F(ClusterCheckupTest, SimulatedClusterAsksNobodyForRights) {
  version_ = R"({"gitVersion": "v1.36.0-simulated"})";
  EXPECT_THAT(Of("rights in the cluster"), StartsWith("skipped: "));
}

TEST_F(ClusterCheckupTest, NodesWhoseInsideCannotBeUsedAreNamed) {
  EXPECT_EQ(Of("inside of nodes"), "skipped: the nodes cannot be listed -> ");
  const auto node = [](const std::string& name, const std::string& structure) {
    Json json;
    json["metadata"] = {{"name", name}};
    if (!structure.empty())
      json["metadata"]["annotations"]["fluxnetes.structure"] = structure;
    return json;
  };
  Json list;
  list["metadata"]["resourceVersion"] = "7";
  list["items"] = {node("n1", "cores: 4"), node("n2", ""), node("n3", "")};
  lists_["/api/v1/nodes"] = list.dump();
  EXPECT_EQ(Of("inside of nodes"), "ok: known of 1 of 3 nodes -> ");
  list["items"].push_back(node("n4", "cores: x"));
  lists_["/api/v1/nodes"] = list.dump();
  EXPECT_THAT(Of("inside of nodes"),
              StartsWith("warning: node n4: annotation fluxnetes.structure: "
                         "cores: \"x\" is not a number from 1 to 10000 -> "));
  Json topologies;
  topologies["metadata"]["resourceVersion"] = "8";
  topologies["items"] = {{{"metadata", {{"name", "n4"}}},
                          {"zones", {{{"name", "node-0"}, {"type", "Node"}}}}}};
  lists_["/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies"] =
      topologies.dump();
  EXPECT_EQ(Of("inside of nodes"), "ok: known of 2 of 4 nodes -> ");
  config_.cluster.structures = "/nowhere/structures.yaml";
  EXPECT_THAT(Of("inside of nodes"), StartsWith("failed: "));
}

}  // namespace
}  // namespace fluxnetes::services
