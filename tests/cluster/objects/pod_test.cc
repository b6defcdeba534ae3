#include "cluster/objects/pod.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "cluster/json/request_json.h"

namespace fluxnetes::cluster {
namespace {

PodRequest Full() {
  PodRequest request;
  request.resources = {.cpu_milli = 1500,
                       .memory_bytes = 4LL << 30,
                       .ephemeral_bytes = 1'000'000,
                       .pods = 1,
                       .extended = {{"nvidia.com/gpu", 2}}};
  request.node_selector = {{"zone", "a"}, {"disk", "\"ssd\" \\ 100% 🚀"}};
  request.node_affinity = {
      {{"cpu", "Gt", {"4"}}, {"metadata.name", "In", {"n1", "n2"}, true}},
      {},
      {{"gpu", "Exists", {}}}};
  request.tolerations = {{"", true, "", ""},
                         {"team", false, "red", "NoSchedule"}};
  PodRules& rules = request.rules.Own();
  rules.preferred_nodes = {{3, {{"disk", "In", {"ssd"}}}}};
  rules.affinity = {{PodSelector{{"app", "In", {"a"}}}, "zone", {"x"}}};
  rules.anti_affinity = {{{}, "host", {}, PodSelector{}, {"v"}, {"w"}}};
  rules.preferred_pods = {{5, {{}, "zone"}}, {-7, {PodSelector{}, "rack"}}};
  rules.spread = {{.topology_key = "zone",
                   .selector = {},
                   .max_skew = 2,
                   .match_label_keys = {"v"}}};
  rules.host_ports = {{80, "UDP", "10.0.0.1"}, {443}};
  rules.resource_claims = {{.name = "gpu",
                            .claim = "",
                            .template_name = "one-gpu",
                            .spec = R"({"devices":{}})"},
                           {.name = "nic", .claim = "default/nic"}};
  rules.topology = {"zone", "rack"};
  rules.inside = {.align = "numa",
                  .align_required = false,
                  .cpus = "cores",
                  .jobspec = R"([{"type": "core", "count": 2}])"};
  return request;
}

TEST(PodRequest, ComesBackFromItsJsonUnchanged) {
  EXPECT_EQ(PodRequestFromJson(ToJson(Full())), Full());
  EXPECT_EQ(PodRequestFromJson(ToJson({})), PodRequest{});
}

TEST(PodRequest, EqualRequestsHaveEqualTextAndOthersHaveNot) {
  PodRequest other = Full();
  EXPECT_EQ(ToJson(other), ToJson(Full()));
  std::vector<Toleration> tolerations = other.tolerations.Get();
  tolerations[1].value = "blue";
  other.tolerations = tolerations;
  EXPECT_NE(ToJson(other), ToJson(Full()));
  other = Full();
  other.resources.cpu_milli += 1;
  EXPECT_NE(ToJson(other), ToJson(Full()));
  other = Full();
  other.rules.Own().spread[0].max_skew = 3;
  EXPECT_NE(ToJson(other), ToJson(Full()));
  EXPECT_EQ(Full().rules->spread[0].max_skew, 2);
  other = WithTopology(Full(), {"rack", "rack"});
  EXPECT_NE(ToJson(other), ToJson(Full()));
}

TEST(PodRequest, JsonIsReadableAndWithoutWhatIsEmpty) {
  PodRequest request;
  request.resources = {.cpu_milli = 250, .memory_bytes = 4LL << 30, .pods = 1};
  EXPECT_EQ(ToJson(request),
            R"({"resources":{"cpu":"250m","memory":"4Gi","pods":"1"}})");
  EXPECT_EQ(ToJson(WithTopology(request, {})), ToJson(request));
  EXPECT_EQ(ToJson(WithTopology({}, {"zone", ""})),
            R"({"resources":{},"topology":{"required":"zone"}})");
}

TEST(PodRequest, OtherJsonIsRefused) {
  for (const char* json :
       {"", "{", "[]", "{}", R"({"resources":{"cpu":1}})",
        R"({"resources":{"cpu":"12x"}})", R"({"resources":[1]})",
        R"({"resources":{},"tolerations":[1]})",
        R"({"resources":{},"rules":7})", R"({"resources":{},"topology":7})",
        R"({"resources":{},"rules":{"ports":[{"hostPort":"x"}]}})"}) {
    EXPECT_THROW(PodRequestFromJson(json), std::invalid_argument) << json;
  }
}

TEST(Pod, KeyHasTheNamespace) {
  Pod pod;
  pod.namespace_name = "team";
  pod.name = "a";
  EXPECT_EQ(Key(pod), "team/a");
}

}  // namespace
}  // namespace fluxnetes::cluster
