#include "services/simulated_api/api_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cluster/http/http_client.h"
#include "cluster/text/json_field.h"
#include "services/simulated_api/cluster_api.h"

namespace fluxnetes::services {
namespace {

using cluster::At;
using cluster::Text;
using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr const char* kClaimsPath =
    "/apis/resource.k8s.io/v1/namespaces/team/resourceclaims";
constexpr const char* kNewClaim = R"({
    "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
    "metadata": {"name": "c"},
    "spec": {"devices": {"requests": [
      {"name": "gpu", "exactly": {"deviceClassName": "a"}}]}}})";

class ApiDevicesTest : public ::testing::Test {
 protected:
  ApiDevicesTest()
      : api_(cluster_, {.address = "127.0.0.1:0", .virtual_time = true}) {
    api_.Start();
    client_ = std::make_unique<cluster::HttpClient>(
        cluster::HttpOptions{.address = api_.address()});
  }

  // Returns the status, and sets `answer_`.
  int Call(const std::string& method, const std::string& path,
           const std::string& body = {}) {
    const auto response =
        client_->Send({.method = method, .path = path, .body = body});
    answer_ = Json::parse(response.body, nullptr, false);
    return response.status;
  }

  cluster::SimulatedCluster cluster_;
  ClusterApi api_;
  std::unique_ptr<cluster::HttpClient> client_;
  Json answer_;
};

TEST_F(ApiDevicesTest, ObjectsAreCreatedReadListedAndDeleted) {
  const std::string root = "/apis/resource.k8s.io/v1/";
  const std::vector<std::tuple<std::string, std::string, std::string>> kinds = {
      {"DeviceClass", "deviceclasses", R"({"selectors": []})"},
      {"ResourceSlice", "resourceslices",
       R"({"driver": "d", "pool": {"name": "p", "generation": 1,
           "resourceSliceCount": 1}, "allNodes": true, "devices": []})"},
      {"ResourceClaimTemplate", "namespaces/team/resourceclaimtemplates",
       R"({"spec": {"devices": {}}})"},
      {"ResourceClaim", "namespaces/team/resourceclaims",
       R"({"devices": {}})"}};
  for (const auto& [kind, plural, spec] : kinds) {
    const std::string path = root + plural;
    const std::string body =
        R"({"apiVersion": "resource.k8s.io/v1", "kind": ")" + kind +
        R"(", "metadata": {"name": "one"}, "spec": )" + spec + "}";
    EXPECT_EQ(Call("POST", path, body), 201) << kind << answer_;
    EXPECT_EQ(Text(answer_, "kind"), kind);
    EXPECT_EQ(Call("POST", path, body), 409) << kind;
    EXPECT_EQ(Call("GET", path + "/one"), 200) << kind;
    EXPECT_EQ(Call("GET", path), 200) << kind;
    EXPECT_EQ(Text(answer_, "kind"), kind + "List");
    EXPECT_EQ(At(answer_, "items").size(), 1U) << kind;
    EXPECT_EQ(Call("DELETE", path + "/one"), 200) << kind;
    EXPECT_EQ(Call("GET", path + "/one"), 404) << kind;
  }
}

TEST_F(ApiDevicesTest, APatchNamesUidAndVersion) {
  ASSERT_EQ(Call("POST", kClaimsPath, kNewClaim), 201) << answer_;
  const std::string path = std::string(kClaimsPath) + "/c";
  EXPECT_EQ(Call("PATCH", path, R"({"metadata": {"uid": "other"}})"), 409);
  EXPECT_EQ(Call("PATCH", path, R"({"metadata": {"resourceVersion": "999"}})"),
            409);
  EXPECT_THAT(Text(answer_, "message"), HasSubstr("modified"));
  EXPECT_EQ(Call("PATCH", path + "/status", R"({"status": {"reservedFor": [
      {"resource": "pods", "name": "a", "uid": "1"},
      {"resource": "pods", "name": "b", "uid": "2"}]}})"),
            200);
  EXPECT_EQ(Call("PATCH", path + "/status", R"({"status": {"reservedFor": [
      {"$patch": "delete", "uid": "1"}]}})"),
            200);
  const auto claim = cluster_.GetResourceClaim("team", "c");
  ASSERT_EQ(claim->reserved_for.size(), 1U);
  EXPECT_EQ(claim->reserved_for[0].name, "b");
}

TEST_F(ApiDevicesTest, WhatTheApiHasNotIsNotFound) {
  EXPECT_EQ(Call("GET", std::string(kClaimsPath) + "/none"), 404);
  EXPECT_EQ(Call("PATCH", std::string(kClaimsPath) + "/none", "{}"), 404);
  EXPECT_EQ(Call("POST", "/apis/resource.k8s.io/v1/resourceclaims", kNewClaim),
            405);
  EXPECT_EQ(Call("POST", kClaimsPath, R"({"kind": "ResourceClaim"})"), 422);
}

}  // namespace
}  // namespace fluxnetes::services
