#include "workers/pods/pod_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

using cluster::NodeRequirement;
using cluster::PodRequest;
using cluster::PodSelector;
using ::testing::HasSubstr;

TEST(PodRules, WhatIsNotSupportedIsNamed) {
  EXPECT_EQ(WhyUnsupported({}), "");
  PodRequest request;
  request.tolerations = {{"load", false, "5", "", "Lt"}};
  EXPECT_THAT(WhyUnsupported(request), HasSubstr("the operator \"Lt\""));
  request = {};
  request.node_affinity = {{{"zone", "Near", {"a"}}}};
  EXPECT_THAT(WhyUnsupported(request), HasSubstr("\"Near\""));
  request = {};
  request.rules.Own().affinity = {{PodSelector{{"n", "Gt", {"1"}}}, "zone"}};
  EXPECT_THAT(WhyUnsupported(request), HasSubstr("\"Gt\""));
  request = {};
  request.rules.Own().spread = {
      {.topology_key = "zone", .selector = {}, .max_skew = 0}};
  EXPECT_THAT(WhyUnsupported(request), HasSubstr("maxSkew"));
}

TEST(PodRules, NamespacesAreSelectedByNameOrAllOfThem) {
  PodRequest request;
  auto& term = request.rules.Own().anti_affinity.emplace_back();
  term.topology_key = "zone";
  term.selector = PodSelector{};
  auto& selector = request.rules.Own().anti_affinity[0].namespace_selector;
  selector = PodSelector{{"kubernetes.io/metadata.name", "In", {"x", "y"}}};
  EXPECT_EQ(WhyUnsupported(request), "");
  EXPECT_EQ(RulesOf(request, "own", {}).anti_affinity[0].selector.namespaces,
            (std::vector<std::string>{"x", "y"}));
  selector = PodSelector{};
  EXPECT_TRUE(
      RulesOf(request, "own", {}).anti_affinity[0].selector.namespaces.empty());
  selector.reset();
  EXPECT_EQ(RulesOf(request, "own", {}).anti_affinity[0].selector.namespaces,
            std::vector<std::string>{"own"});
}

TEST(PodRules, NamespacesAreSelectedByTheirLabels) {
  const Namespaces namespaces = {{"x", {{"team", "a"}, {"kind", "batch"}}},
                                 {"y", {{"team", "b"}}},
                                 {"z", {}}};
  const auto taken = [&](const PodSelector& selector,
                         std::vector<std::string> named = {}) {
    PodRequest request;
    auto& term = request.rules.Own().affinity.emplace_back();
    term.topology_key = "zone";
    term.selector = PodSelector{};
    term.namespaces = std::move(named);
    term.namespace_selector = selector;
    EXPECT_EQ(WhyUnsupported(request), "");
    const PodRequest with = WithNamespaces(request, namespaces);
    return RulesOf(with, "own", {}).affinity[0].selector.namespaces;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(taken({{"team", "In", {"a", "b"}}}), (Names{"x", "y"}));
  EXPECT_EQ(taken({{"team", "Exists", {}}, {"kind", "DoesNotExist", {}}}),
            Names{"y"});
  EXPECT_EQ(taken({{"team", "NotIn", {"b"}}}, {"w"}), (Names{"w", "x", "z"}));
  EXPECT_EQ(taken({{"team", "In", {"c"}}}), Names{""});  // no namespace
  EXPECT_EQ(taken({}), Names{});                         // all namespaces
}

TEST(PodRules, OperatorOfASelectorOfNamespacesThatIsNotOneIsNamed) {
  PodRequest request;
  auto& term = request.rules.Own().affinity.emplace_back();
  term.topology_key = "zone";
  term.namespace_selector = PodSelector{{"team", "Gt", {"1"}}};
  EXPECT_THAT(WhyUnsupported(request), HasSubstr("the operator \"Gt\""));
}

TEST(PodRules, TermWithoutASelectorTakesNoPod) {
  PodRequest request;
  request.rules.Own().affinity = {{{}, "zone"}};
  const matcher::TaskRules rules = RulesOf(request, "a", {});
  EXPECT_FALSE(matcher::Takes(rules.affinity[0].selector, rules));
}

TEST(PodRules, RequestThatIsTooLongIsRefused) {
  PodRequest request;
  request.node_affinity = {
      {{"zone", "In", std::vector<std::string>(1'000, "a")}}};
  EXPECT_THAT(WhyUnsupported(request), HasSubstr("more than 1000"));
}

cluster::Node Node() {
  cluster::Node node;
  node.name = "n1";
  node.labels = {{"zone", "a"}, {"cores", "16"}};
  return node;
}

bool Takes(const NodeRequirement& requirement) {
  PodRequest request;
  request.node_affinity = {{requirement}};
  return Suits(Node(), request);
}

TEST(PodRules, NodeSuitsByEachOperator) {
  EXPECT_TRUE(Takes({"zone", "In", {"b", "a"}}));
  EXPECT_FALSE(Takes({"zone", "NotIn", {"a"}}));
  EXPECT_TRUE(Takes({"rack", "NotIn", {"a"}}));
  EXPECT_TRUE(Takes({"zone", "Exists", {}}));
  EXPECT_TRUE(Takes({"rack", "DoesNotExist", {}}));
  EXPECT_TRUE(Takes({"cores", "Gt", {"8"}}));
  EXPECT_FALSE(Takes({"cores", "Lt", {"16"}}));
  EXPECT_TRUE(Takes({"metadata.name", "In", {"n1"}, true}));
  EXPECT_FALSE(Takes({"zone", "In", {"a"}, true}));
}

TEST(PodRules, TaintsKeepAwayUnlessToleratedOrOnlyRatherNot) {
  cluster::Node node = Node();
  PodRequest request;
  node.taints = {{"x", "y", "PreferNoSchedule"}};
  EXPECT_TRUE(Suits(node, request));
  for (const char* effect : {"NoSchedule", "NoExecute"}) {
    node.taints = {{"x", "y", effect}};
    request.tolerations = {};
    EXPECT_FALSE(Suits(node, request)) << effect;
    request.tolerations = {{"x", false, "z", ""}};
    EXPECT_FALSE(Suits(node, request)) << effect;
    request.tolerations = {{"x", false, "y", effect}};
    EXPECT_TRUE(Suits(node, request)) << effect;
    request.tolerations = {{"", true, "", ""}};
    EXPECT_TRUE(Suits(node, request)) << effect;
  }
}

TEST(PodRules, OfAPodWithANodeOnlyWhomItKeepsAwayLasts) {
  PodRequest request;
  request.node_selector = {{"zone", "a"}};
  EXPECT_EQ(Lasting(request), PodRequest{});
  request.rules.Own().host_ports = {{80}};
  request.rules.Own().affinity = {{PodSelector{}, "zone"}};
  PodRequest lasting;
  lasting.rules.Own().host_ports = {{80}};
  EXPECT_EQ(Lasting(request), lasting);
}

}  // namespace
}  // namespace fluxnetes::workers
