#include "cluster/files/known_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(KnownFields, MisspelledFieldsAreFoundWithTheirPaths) {
  const Json job = Json::parse(R"({"kind": "Job", "apiVersion": "batch/v1",
      "metadata": {"name": "a", "label": {}}, "spec": {"parallel": 2,
        "podFailurePolicy": {"rules": [{"action": "Count", "onExitCode": {}}]},
        "template": {"spec": {"containers": [{"name": "a", "images": "x",
            "resources": {"request": {}}}]}}}})");
  EXPECT_THAT(
      UnknownFields(job),
      ElementsAre("metadata.label", "spec.parallel",
                  "spec.podFailurePolicy.rules[0].onExitCode",
                  "spec.template.spec.containers[0].images",
                  "spec.template.spec.containers[0].resources.request"));
}

TEST(KnownFields, PodHasItsOwn) {
  const Json pod = Json::parse(R"({"kind": "Pod", "spec": {
      "containers": [{"env": [{"title": "not searched"}]}],
      "affinity": {"podAffinity": {"required": []}}, "suspend": true}})");
  EXPECT_THAT(
      UnknownFields(pod),
      ElementsAre("spec.suspend", "spec.affinity.podAffinity.required"));
  EXPECT_THAT(UnknownFields(Json{{"kind", "Node"}, {"x", 1}}), IsEmpty());
}

TEST(KnownFields, OddShapesHaveNone) {
  EXPECT_THAT(UnknownFields(Json::parse(R"({"kind": "Job", "spec": [1]})")),
              IsEmpty());
  EXPECT_THAT(UnknownFields(Json::parse("[3]")), IsEmpty());
  EXPECT_THAT(IgnoredFields(Json::parse(R"({"kind": "Pod", "spec": 3})")),
              IsEmpty());
}

TEST(KnownFields, FieldsWithoutEffectOnASimulatedClusterAreFound) {
  const Json job = Json::parse(R"({"kind": "Job", "spec": {
      "managedBy": "a.b/c", "template": {"spec": {"runtimeClassName": "r",
        "containers": [{"name": "a"}, {"name": "b", "lifecycle": {}}]}}}})");
  EXPECT_THAT(
      IgnoredFields(job),
      ElementsAre("spec.managedBy", "spec.template.spec.runtimeClassName",
                  "spec.template.spec.containers[1].lifecycle"));
  EXPECT_THAT(IgnoredFields(Json::parse(R"({"kind": "Job", "spec": {
      "managedBy": "kubernetes.io/job-controller", "successPolicy": {}}})")),
              IsEmpty());
}

}  // namespace
}  // namespace fluxnetes::cluster
