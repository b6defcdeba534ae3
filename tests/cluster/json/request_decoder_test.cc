#include "cluster/json/request_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cluster/json/object_writer.h"
#include "cluster/json/objects.h"
#include "cluster/json/request_json.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kRichPod = R"({
  "metadata": {"namespace": "team", "name": "web-0",
               "labels": {"app": "web", "version": "7"}},
  "spec": {
    "hostNetwork": true,
    "containers": [
      {"name": "a", "ports": [
        {"containerPort": 80},
        {"containerPort": 53, "hostPort": 5353, "protocol": "UDP",
         "hostIP": "10.0.0.1"}]},
      {"name": "b", "ports": [{"containerPort": 80}]}],
    "initContainers": [
      {"name": "once", "ports": [{"containerPort": 1}]},
      {"name": "side", "restartPolicy": "Always",
       "ports": [{"containerPort": 2}]}],
    "resourceClaims": [
      {"name": "gpu", "resourceClaimTemplateName": "one-gpu"},
      {"name": "nic", "resourceClaimName": "nics"},
      {"name": "none", "resourceClaimTemplateName": "never"}],
    "volumes": [
      {"name": "data", "persistentVolumeClaim": {"claimName": "data-web-0"}},
      {"name": "again", "persistentVolumeClaim": {"claimName": "data-web-0"}},
      {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {}}},
      {"name": "none", "emptyDir": {}}],
    "tolerations": [{"key": "load", "operator": "Gt", "value": "5"}],
    "affinity": {
      "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 7, "preference": {"matchExpressions": [
          {"key": "disk", "operator": "In", "values": ["ssd"]}]}}]},
      "podAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
          {"topologyKey": "zone", "namespaceSelector": {},
           "labelSelector": {"matchLabels": {"app": "db"},
             "matchExpressions": [{"key": "tier", "operator": "Exists"}]}}],
        "preferredDuringSchedulingIgnoredDuringExecution": [
          {"weight": 3, "podAffinityTerm": {"topologyKey": "rack",
           "namespaces": ["x", "y"]}}]},
      "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
          {"topologyKey": "host", "labelSelector": {},
           "matchLabelKeys": ["version", "absent"],
           "mismatchLabelKeys": ["app"]}],
        "preferredDuringSchedulingIgnoredDuringExecution": [
          {"weight": 5, "podAffinityTerm": {"topologyKey": "zone"}}]}},
    "topologySpreadConstraints": [
      {"topologyKey": "zone", "maxSkew": 2, "minDomains": 3,
       "whenUnsatisfiable": "DoNotSchedule", "nodeAffinityPolicy": "Ignore",
       "nodeTaintsPolicy": "Honor",
       "labelSelector": {"matchLabels": {"app": "web"}},
       "matchLabelKeys": ["version"]},
      {"topologyKey": "host", "maxSkew": 1,
       "whenUnsatisfiable": "ScheduleAnyway"}]}})";

TEST(RequestDecoder, AffinityIsDecodedInWhole) {
  const Pod pod = DecodePod(Json::parse(kRichPod));
  const PodRules& rules = *pod.request.rules;
  EXPECT_THAT(rules.preferred_nodes,
              ElementsAre(PreferredNodes{7, {{"disk", "In", {"ssd"}}}}));
  EXPECT_THAT(rules.affinity,
              ElementsAre(PodAffinityTerm{
                  PodSelector{{"app", "In", {"db"}}, {"tier", "Exists", {}}},
                  "zone",
                  {},
                  PodSelector{},
                  {},
                  {}}));
  EXPECT_THAT(
      rules.preferred_pods,
      ElementsAre(PreferredPods{3, {{}, "rack", {"x", "y"}, {}, {}, {}}},
                  PreferredPods{-5, {{}, "zone", {}, {}, {}, {}}}));
}

TEST(RequestDecoder, LabelKeysBecomePartOfTheSelectorOnce) {
  const Pod pod = DecodePod(Json::parse(kRichPod));
  const PodAffinityTerm merged{
      PodSelector{{"version", "In", {"7"}}, {"app", "NotIn", {"web"}}},
      "host",
      {},
      {},
      {},
      {}};
  EXPECT_THAT(pod.request.rules->anti_affinity, ElementsAre(merged));
  Json stored = Json::parse(WritePod(pod));
  Json& term = stored["spec"]["affinity"]["podAntiAffinity"]
                     ["requiredDuringSchedulingIgnoredDuringExecution"][0];
  term["matchLabelKeys"] = {"version"};
  EXPECT_THAT(DecodePod(stored).request.rules->anti_affinity,
              ElementsAre(merged));
}

TEST(RequestDecoder, SpreadIsDecodedWithItsDefaults) {
  const Pod pod = DecodePod(Json::parse(kRichPod));
  const TopologySpread first{
      .topology_key = "zone",
      .selector = PodSelector{{"app", "In", {"web"}}, {"version", "In", {"7"}}},
      .max_skew = 2,
      .min_domains = 3,
      .required = true,
      .honor_affinity = false,
      .honor_taints = true,
      .match_label_keys = {}};
  const TopologySpread second{.topology_key = "host",
                              .selector = {},
                              .max_skew = 1,
                              .min_domains = 1,
                              .required = false,
                              .honor_affinity = true,
                              .honor_taints = false,
                              .match_label_keys = {}};
  EXPECT_THAT(pod.request.rules->spread, ElementsAre(first, second));
}

TEST(RequestDecoder, PortsOfTheHostsNetworkAndOfSidecarsAreHostPorts) {
  const Pod pod = DecodePod(Json::parse(kRichPod));
  EXPECT_THAT(
      pod.request.rules->host_ports,
      ElementsAre(HostPort{80, "TCP", ""}, HostPort{5353, "UDP", "10.0.0.1"},
                  HostPort{2, "TCP", ""}));
}

TEST(RequestDecoder, ClaimsAndOddOperatorsAreKept) {
  const Pod pod = DecodePod(Json::parse(kRichPod));
  EXPECT_THAT(pod.request.rules->resource_claims,
              ElementsAre(
                  RequestedClaim{
                      .name = "gpu", .claim = "", .template_name = "one-gpu"},
                  RequestedClaim{.name = "nic", .claim = "team/nics"},
                  RequestedClaim{
                      .name = "none", .claim = "", .template_name = "never"}));
  EXPECT_THAT(pod.volume_claims, ElementsAre("data-web-0", "web-0-scratch"));
  EXPECT_THAT(pod.ephemeral_claims, ElementsAre("web-0-scratch"));
  EXPECT_EQ(pod.request.tolerations[0].other_operator, "Gt");
}

TEST(RequestDecoder, WhatWasDecodedIsWrittenAndReadAgain) {
  const Pod pod = DecodePod(Json::parse(kRichPod));
  const Pod again = DecodePod(Json::parse(WritePod(pod)));
  EXPECT_EQ(again.request, pod.request);
  EXPECT_EQ(again.volume_claims, pod.volume_claims);
  EXPECT_EQ(again.ephemeral_claims, pod.ephemeral_claims);
  EXPECT_EQ(PodRequestFromJson(ToJson(pod.request)), pod.request);
}

TEST(RequestDecoder, PlainPodHasNoRules) {
  const Pod pod = DecodePod(Json::parse(R"({"spec": {"containers": [
      {"name": "a", "ports": [{"containerPort": 80}]}]}})"));
  EXPECT_EQ(*pod.request.rules, PodRules{});
  EXPECT_THAT(pod.volume_claims, IsEmpty());
}

TEST(RequestDecoder, WhatIsNotAsItShouldBeHarmsNothing) {
  const Pod pod = DecodePod(Json::parse(R"({"spec": {
      "topologySpreadConstraints": [7, {"maxSkew": 1e30, "minDomains": "x"}],
      "affinity": {"podAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [null, {
          "labelSelector": {"matchLabels": 3, "matchExpressions": [[]]}}]}},
      "resourceClaims": 1, "volumes": [null, 5],
      "containers": [{"ports": [{"hostPort": 99999999999}]}]}})"));
  EXPECT_EQ(pod.request.rules->spread.size(), 2U);
  EXPECT_EQ(pod.request.rules->spread[1].max_skew, 0);
  EXPECT_EQ(pod.request.rules->spread[1].min_domains, 0);
  EXPECT_EQ(pod.request.rules->affinity.size(), 2U);
  EXPECT_EQ(DecodePod(Json::parse(WritePod(pod))).request, pod.request);
}

}  // namespace
}  // namespace fluxnetes::cluster
