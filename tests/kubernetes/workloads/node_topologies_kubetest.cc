// What nodes have inside, as a real API server tells it: by the optional kind
// NodeResourceTopology, with the rights that the scheduler has, and by the
// annotation of a node.
#include <gmock/gmock.h>

#include "cluster/cluster_cache.h"
#include "cluster/kubernetes/kubeconfig.h"
#include "cluster/kubernetes/kubernetes_cluster.h"
#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

using ::testing::HasSubstr;

class NodeTopologiesOnKubernetes : public OnKubernetes {
 protected:
  NodeTopologiesOnKubernetes() { starts_ = false; }

  void SetUp() override {
    OnKubernetes::SetUp();
    if (IsSkipped()) return;
    const auto mine = cluster::ReadKubeconfig(
        cluster::LoadKubeconfigFiles(ControlPlane::Get()->kubeconfig()), "");
    cluster::KubernetesOptions options;
    options.http.address = mine.address;
    options.http.tls = mine.tls;
    options.http.credentials = mine.credentials;
    options.watch.on_passed_over = [this](const std::string& why) {
      passed_over_ += why + "\n";
    };
    door_ = std::make_unique<cluster::KubernetesCluster>(options);
    watch_ = door_->WatchAll();
  }

  bool Until(const std::function<bool()>& condition) {
    return Comes([&] {
      const auto changes =
          cache_.Apply(watch_->Next(1'000, std::chrono::milliseconds(20)));
      for (const std::string& warning : changes.warnings)
        warnings_ += warning + "\n";
      return condition();
    });
  }
  std::string StructureOf(int node) {
    const auto seen = cache_.NodeByName(Node(node));
    return seen == nullptr ? "" : *seen->structure;
  }

  // The definition as far as it matters here: no field that is not named.
  void ServeTopologies() {
    const Json text = {{"type", "string"}};
    const Json amount = {
        {"x-kubernetes-int-or-string", true},
        {"anyOf", {{{"type", "integer"}}, {{"type", "string"}}}}};
    const auto list = [](const Json& fields) {
      return Json{{"type", "array"},
                  {"items", {{"type", "object"}, {"properties", fields}}}};
    };
    const Json attributes = list({{"name", text}, {"value", text}});
    const Json zones = list(
        {{"name", text},
         {"type", text},
         {"costs", list({{"name", text}, {"value", {{"type", "integer"}}}})},
         {"attributes", attributes},
         {"resources", list({{"name", text},
                             {"capacity", amount},
                             {"allocatable", amount},
                             {"available", amount}})}});
    const Json schema = {
        {"type", "object"},
        {"properties", {{"attributes", attributes}, {"zones", zones}}}};
    const Json version = {{"name", "v1alpha2"},
                          {"served", true},
                          {"storage", true},
                          {"schema", {{"openAPIV3Schema", schema}}}};
    const Json definition = {
        {"apiVersion", "apiextensions.k8s.io/v1"},
        {"kind", "CustomResourceDefinition"},
        {"metadata",
         {{"name", "noderesourcetopologies.topology.node.k8s.io"},
          {"annotations",
           {{"api-approved.kubernetes.io", "unapproved, for a test alone"}}}}},
        {"spec",
         {{"group", "topology.node.k8s.io"},
          {"scope", "Cluster"},
          {"names",
           {{"kind", "NodeResourceTopology"},
            {"plural", "noderesourcetopologies"}}},
          {"versions", Json::array({version})}}}};
    const auto made = plane().api().Send(
        {.method = "POST",
         .path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
         .body = definition.dump()});
    ASSERT_TRUE(made.Succeeded() || made.status == 409) << made.body;
    ASSERT_TRUE(Comes(
        [&] { return plane().api().Send({.path = kTopologies}).Succeeded(); }));
  }

  static Json ZonesOf(const std::string& cpus) {
    Json zones = Json::array();
    for (const char* const name : {"node-0", "node-1"}) {
      zones.push_back({{"name", name},
                       {"type", "Node"},
                       {"resources",
                        {{{"name", "cpu"},
                          {"capacity", cpus},
                          {"allocatable", cpus},
                          {"available", "1"}}}}});
    }
    return zones;
  }

  static constexpr const char* kTopologies =
      "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies";

  std::unique_ptr<cluster::KubernetesCluster> door_;
  std::unique_ptr<cluster::Watch> watch_;
  cluster::ClusterCache cache_;
  std::string warnings_;
  std::string passed_over_;
};

TEST_F(NodeTopologiesOnKubernetes, ThatComeChangeAndGoAreFollowed) {
  // Without the kind, all else is listed.
  ASSERT_TRUE(Until([&] { return cache_.NodeByName(Node(0)) != nullptr; }));
  ASSERT_NO_FATAL_FAILURE(ServeTopologies());
  Send("POST", kTopologies,
       {{"apiVersion", "topology.node.k8s.io/v1alpha2"},
        {"kind", "NodeResourceTopology"},
        {"metadata", {{"name", Node(0)}}},
        {"attributes",
         {{{"name", "topologyManagerPolicy"}, {"value", "single-numa-node"}}}},
        {"zones", ZonesOf("2")}});
  const std::string path = std::string(kTopologies) + "/" + Node(0);
  EXPECT_TRUE(Until([&] {
    return StructureOf(0).find("numa1/core3") != std::string::npos;
  })) << passed_over_;
  EXPECT_EQ(cache_.NodeByName(Node(0))->topology_policy,
            cluster::TopologyPolicy::kSingleNumaNode);
  EXPECT_EQ(cache_.NodeByName(Node(0))->zones[1].available.cpu_milli, 1'000);
  EXPECT_EQ(StructureOf(1), "");
  Send("PATCH", path, {{"zones", ZonesOf("3")}}, kMergePatch);
  EXPECT_TRUE(Until(
      [&] { return StructureOf(0).find("numa1/core5") != std::string::npos; }));
  EXPECT_EQ(warnings_, "");
  Json zones = ZonesOf("2");
  zones[1]["name"] = "left";
  Send("PATCH", path, {{"zones", zones}}, kMergePatch);
  EXPECT_TRUE(Until([&] { return StructureOf(0).empty(); }));
  EXPECT_THAT(warnings_, HasSubstr("node " + Node(0) +
                                   ": NodeResourceTopology: zones[1].name: "
                                   "\"left\" does not end in a number"));
  Patch(
      "nodes/" + Node(0),
      {{"metadata", {{"annotations", {{"fluxnetes.structure", "cores: 4"}}}}}});
  Send("DELETE", path);
  EXPECT_TRUE(Until([&] { return StructureOf(0) == "cores: 4"; }));
  EXPECT_EQ(passed_over_, "");
}

TEST_F(NodeTopologiesOnKubernetes, AnnotationThatIsWrongIsToldOfItsNode) {
  Patch(
      "nodes/" + Node(1),
      {{"metadata",
        {{"annotations", {{"fluxnetes.structure", "sockets: 2, cores: 4"}}}}}});
  EXPECT_TRUE(Until([&] { return StructureOf(1) == "sockets: 2, cores: 4"; }));
  Patch(
      "nodes/" + Node(1),
      {{"metadata",
        {{"annotations", {{"fluxnetes.structure", "sockets: 2, cores: 5"}}}}}});
  EXPECT_TRUE(Until([&] { return StructureOf(1).empty(); }));
  EXPECT_THAT(warnings_,
              HasSubstr("node " + Node(1) +
                        ": annotation fluxnetes.structure: cores: 5 cannot be "
                        "divided equally over sockets: 2"));
}

}  // namespace
}  // namespace fluxnetes::testing
