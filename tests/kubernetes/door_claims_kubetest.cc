// Claims of devices on a real API server, with the rights that the scheduler
// has there: it takes what we write, and its controller what we leave behind.
#include <gmock/gmock.h>

#include "cluster/cluster_cache.h"
#include "cluster/devices/claim_decoder.h"
#include "cluster/kubernetes/kubeconfig.h"
#include "cluster/kubernetes/kubernetes_cluster.h"
#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

using cluster::ClaimAllocation;
using cluster::ClaimDevices;
using cluster::ClaimOutcome;
using cluster::ClaimRelease;
using cluster::ClaimResult;
using cluster::ResourceClaimPointer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr const char* kClasses = "/apis/resource.k8s.io/v1/deviceclasses";

// Claims of pods of a scheduler that nobody is.
class KubernetesClaims : public OnKubernetes {
 protected:
  KubernetesClaims() { starts_ = false; }

  void SetUp() override {
    OnKubernetes::SetUp();
    if (IsSkipped()) return;
    const auto mine = cluster::ReadKubeconfig(
        cluster::LoadKubeconfigFiles(ControlPlane::Get()->kubeconfig()), "");
    cluster::KubernetesOptions options;
    options.http.address = mine.address;
    options.http.tls = mine.tls;
    options.http.credentials = mine.credentials;
    door_ = std::make_unique<cluster::KubernetesCluster>(options);
    Send("POST", kClasses,
         {{"apiVersion", "resource.k8s.io/v1"},
          {"kind", "DeviceClass"},
          {"metadata", {{"name", home_}}},
          {"spec",
           {{"config", Json::array({{{"opaque",
                                      {{"driver", "gpu.example.com"},
                                       {"parameters", {{"a", 1}}}}}}})}}}});
    made_class_ = true;
  }
  void TearDown() override {
    if (made_class_) Send("DELETE", std::string(kClasses) + "/" + home_);
    OnKubernetes::TearDown();
  }

  Json Spec() const {
    return {{"devices",
             {{"requests",
               Json::array(
                   {{{"name", "gpu"},
                     {"exactly",
                      {{"deviceClassName", home_},
                       {"tolerations",
                        Json::array({{{"key", "slow"},
                                      {"operator", "Exists"},
                                      {"effect", "NoExecute"},
                                      {"tolerationSeconds", 60}}})}}}}})}}}};
  }
  void MakeClaim(const std::string& name) {
    Send("POST",
         "/apis/resource.k8s.io/v1/namespaces/" + home_ + "/resourceclaims",
         {{"apiVersion", "resource.k8s.io/v1"},
          {"kind", "ResourceClaim"},
          {"metadata", {{"name", name}}},
          {"spec", Spec()}});
  }
  Json ClaimJson(const std::string& name) {
    return Send("GET", "/apis/resource.k8s.io/v1/namespaces/" + home_ +
                           "/resourceclaims/" + name);
  }
  ResourceClaimPointer ClaimNamed(const std::string& name) {
    return std::make_shared<const cluster::ResourceClaim>(
        cluster::DecodeResourceClaim(ClaimJson(name)));
  }
  cluster::Pod AddUser(const std::string& name, const std::string& claim) {
    std::string pod = BarePod(
        name, "", 0, {.more = "resourceClaims: [{name: gpu, " + claim + "}]"});
    pod.replace(pod.find("fluxnetes,"), 9, "nobody");
    Submit(pod);
    return PodNamed(name);
  }
  static cluster::ClaimConsumer ConsumerOf(const cluster::Pod& pod) {
    return {.name = pod.name, .uid = pod.uid};
  }
  ClaimDevices DevicesNamed(const std::string& device) const {
    return {.devices = {{.claim = "",
                         .request = "gpu",
                         .id = {"gpu.example.com", "pool", device}}},
            .nodes = {.node = Node(0)}};
  }
  ClaimAllocation Wish(ResourceClaimPointer claim, const std::string& device,
                       const cluster::Pod& pod) const {
    cluster::DeviceClass of;
    of.device_class.name = home_;
    of.config = {R"({"opaque":{"driver":"gpu.example.com",)"
                 R"("parameters":{"a":1}}})"};
    return {std::move(claim),
            DevicesNamed(device),
            {std::make_shared<const cluster::DeviceClass>(std::move(of))},
            {ConsumerOf(pod)}};
  }
  ClaimResult Allocate(const ClaimAllocation& wish) {
    return door_->AllocateClaims({&wish, 1}).at(0);
  }
  ClaimResult Release(const ClaimRelease& wish) {
    return door_->ReleaseClaims({&wish, 1}).at(0);
  }

  std::unique_ptr<cluster::KubernetesCluster> door_;
  bool made_class_ = false;
};

TEST_F(KubernetesClaims, AClaimGetsItsDevicesAndLosesThem) {
  MakeClaim("c");
  const auto a = AddUser("a", "resourceClaimName: c");
  const auto b = AddUser("b", "resourceClaimName: c");
  const auto unseen = ClaimNamed("c");
  const ClaimResult written = Allocate(Wish(unseen, "gpu-0", a));
  ASSERT_EQ(written.outcome, ClaimOutcome::kWritten) << written.message;
  const Json stored = ClaimJson("c");
  const Json& allocation = stored["status"]["allocation"];
  EXPECT_EQ(allocation["devices"]["config"],
            Json::parse(R"([{"source": "FromClass", "requests": ["gpu"],
              "opaque": {"driver": "gpu.example.com",
                         "parameters": {"a": 1}}}])"));
  const Json& result = allocation["devices"]["results"][0];
  EXPECT_EQ(result["device"], "gpu-0");
  EXPECT_EQ(result["tolerations"][0]["tolerationSeconds"], 60);
  EXPECT_THAT(ClaimNamed("c")->finalizers,
              ElementsAre(cluster::kClaimFinalizer));
  // The same devices for one more, from what was seen before.
  EXPECT_EQ(Allocate(Wish(unseen, "gpu-0", b)).outcome, ClaimOutcome::kWritten);
  EXPECT_THAT(ClaimNamed("c")->reserved_for,
              UnorderedElementsAre(ConsumerOf(a), ConsumerOf(b)));
  EXPECT_EQ(Allocate(Wish(unseen, "gpu-1", b)).outcome,
            ClaimOutcome::kConflict);
  EXPECT_EQ(Release({unseen, {a.uid}}).outcome, ClaimOutcome::kWritten);
  EXPECT_THAT(ClaimNamed("c")->reserved_for, ElementsAre(ConsumerOf(b)));
  const ClaimResult last = Release({ClaimNamed("c"), {b.uid}});
  EXPECT_EQ(last.outcome, ClaimOutcome::kWritten) << last.message;
  EXPECT_EQ(ClaimNamed("c")->allocation, std::nullopt);
  EXPECT_THAT(ClaimNamed("c")->reserved_for, IsEmpty());
  EXPECT_THAT(ClaimNamed("c")->finalizers, IsEmpty());
}

TEST_F(KubernetesClaims, AClaimThatWasMadeAnewIsGone) {
  MakeClaim("c");
  const auto a = AddUser("a", "resourceClaimName: c");
  const auto old = ClaimNamed("c");
  Delete("resourceclaims/c");
  EXPECT_EQ(Allocate(Wish(old, "gpu-0", a)).outcome, ClaimOutcome::kGone);
  MakeClaim("c");
  EXPECT_EQ(Allocate(Wish(old, "gpu-0", a)).outcome, ClaimOutcome::kGone);
  EXPECT_EQ(Release({old, {a.uid}}).outcome, ClaimOutcome::kGone);
}

TEST_F(KubernetesClaims, WhatTheServerDoesNotTakeIsRefusedWithItsReason) {
  MakeClaim("c");
  const auto a = AddUser("a", "resourceClaimName: c");
  ClaimAllocation wish = Wish(ClaimNamed("c"), "gpu-0", a);
  wish.devices.devices[0].request = "other";
  const ClaimResult result = Allocate(wish);
  EXPECT_EQ(result.outcome, ClaimOutcome::kRefused);
  EXPECT_THAT(result.message, HasSubstr("other"));
}

TEST_F(KubernetesClaims, ClaimsOfATemplateAreMadeAndGoWithTheirPods) {
  Send("POST",
       "/apis/resource.k8s.io/v1/namespaces/" + home_ +
           "/resourceclaimtemplates",
       {{"apiVersion", "resource.k8s.io/v1"},
        {"kind", "ResourceClaimTemplate"},
        {"metadata", {{"name", "one-gpu"}}},
        {"spec", {{"spec", Spec()}}}});
  AddUser("a", "resourceClaimTemplateName: one-gpu");
  const auto watch = door_->WatchAll();
  cluster::ClusterCache cache;
  const auto until = [&](const std::function<bool()>& condition) {
    return Comes([&] {
      cache.Apply(watch->Next(1'000, std::chrono::milliseconds(20)));
      return condition();
    });
  };
  const auto claim_of = [&] {
    return PodNamed("a").resource_claims.at(0).claim;
  };
  ASSERT_TRUE(until([&] {
    return !claim_of().empty() &&
           cache.ResourceClaimByName(home_, claim_of()) != nullptr &&
           cache.DeviceClassByName(home_) != nullptr;
  }));
  const auto pod = PodNamed("a");
  const auto made = cache.ResourceClaimByName(home_, claim_of());
  EXPECT_EQ(made->owner, (cluster::Owner{"Pod", "a", pod.uid}));
  EXPECT_EQ(made->spec->fault, "");
  EXPECT_NE(cache.DeviceClassByName(home_), nullptr);
  ASSERT_EQ(Allocate(Wish(made, "gpu-0", pod)).outcome, ClaimOutcome::kWritten);
  ASSERT_TRUE(until([&] { return !cache.AllocatedClaims().empty(); }));
  Delete("pods/a");
  EXPECT_TRUE(until(
      [&] { return cache.ResourceClaimByName(home_, made->name) == nullptr; }));
}

}  // namespace
}  // namespace fluxnetes::testing
