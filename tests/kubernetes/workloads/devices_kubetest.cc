// Pods with claims of devices (dynamic resource allocation). The driver is
// played by the test, which publishes the devices of its nodes; claims are made
// from templates, and given back, by the controllers of Kubernetes.
#include <set>

#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

constexpr const char* kResourceSlices =
    "/apis/resource.k8s.io/v1/resourceslices";
constexpr const char* kNumaNode = "resource.kubernetes.io/numaNode";
constexpr const char* kDeviceClasses = "/apis/resource.k8s.io/v1/deviceclasses";

class DevicesOnKubernetes : public OnKubernetes {
 protected:
  void SetUp() override {
    OnKubernetes::SetUp();
    driver_ = home_ + ".example.com";
    MakeClass(driver_);
  }

  void TearDown() override {
    OnKubernetes::TearDown();
    for (const std::string& path : made_) Send("DELETE", path);
  }

  // Of the driver's devices, by its name.
  void MakeClass(const std::string& driver) {
    Make(kDeviceClasses,
         {{"apiVersion", "resource.k8s.io/v1"},
          {"kind", "DeviceClass"},
          {"metadata", {{"name", driver}}},
          {"spec",
           {{"selectors",
             Json::array({{{"cel",
                            {{"expression",
                              "device.driver == \"" + driver + "\""}}}}})}}}});
  }

  // A pool of the node with so many GPUs, of which the later half is of the
  // model "large".
  void PublishDevices(const std::string& node, int gpus) {
    Json devices = Json::array();
    for (int i = 0; i < gpus; ++i)
      devices.push_back(
          {{"name", "gpu-" + std::to_string(i)},
           {"attributes",
            {{"model", {{"string", i < gpus / 2 ? "small" : "large"}}}}},
           {"capacity", {{"memory", {{"value", "40Gi"}}}}}});
    Publish(node, driver_, devices);
  }

  void Publish(const std::string& node, const std::string& driver,
               const Json& devices) {
    Make(kResourceSlices,
         {{"apiVersion", "resource.k8s.io/v1"},
          {"kind", "ResourceSlice"},
          {"metadata", {{"name", node + "-" + driver}}},
          {"spec",
           {{"driver", driver},
            {"nodeName", node},
            {"pool",
             {{"name", node}, {"generation", 1}, {"resourceSliceCount", 1}}},
            {"devices", devices}}}});
  }

  // A device of this NUMA domain, by this attribute.
  static Json InDomain(const std::string& name, const std::string& attribute,
                       int domain) {
    return {{"name", name}, {"attributes", {{attribute, {{"int", domain}}}}}};
  }

  Json Spec(int count, const std::string& selector = "") const {
    Json exactly = {{"deviceClassName", driver_}, {"count", count}};
    if (!selector.empty())
      exactly["selectors"] =
          Json::array({{{"cel", {{"expression", selector}}}}});
    return {{"devices",
             {{"requests",
               Json::array({{{"name", "gpu"}, {"exactly", exactly}}})}}}};
  }

  void MakeTemplate(const std::string& name, int count,
                    const std::string& selector = "") {
    Send("POST", Path("resourceclaimtemplates"),
         {{"apiVersion", "resource.k8s.io/v1"},
          {"kind", "ResourceClaimTemplate"},
          {"metadata", {{"name", name}}},
          {"spec", {{"spec", Spec(count, selector)}}}});
  }

  void MakeClaim(const std::string& name, int count) {
    Send("POST", Path("resourceclaims"),
         {{"apiVersion", "resource.k8s.io/v1"},
          {"kind", "ResourceClaim"},
          {"metadata", {{"name", name}}},
          {"spec", Spec(count)}});
  }

  static std::string OfTemplate(const std::string& name) {
    return "resourceClaims: [{name: gpus, resourceClaimTemplateName: " + name +
           "}]";
  }
  static std::string OfClaim(const std::string& name) {
    return "resourceClaims: [{name: gpus, resourceClaimName: " + name + "}]";
  }

  // The devices of each of the group's pods, as "pool/device", by the claims
  // that the API server has; each claim is reserved for its pod.
  std::map<std::string, std::set<std::string>> DevicesOf(
      const std::string& group) {
    std::map<std::string, std::set<std::string>> devices;
    const Json claims = Get("resourceclaims");
    for (const cluster::Pod& pod : PodsOf(group)) {
      for (const Json& claim : claims["items"]) {
        const Json status = claim.value("status", Json::object());
        for (const Json& user : status.value("reservedFor", Json::array())) {
          if (user["uid"] != pod.uid) continue;
          for (const Json& each : status["allocation"]["devices"]["results"]) {
            EXPECT_EQ(each["driver"].get<std::string>().rfind(home_, 0), 0U);
            devices[pod.name].insert(each["pool"].get<std::string>() + "/" +
                                     each["device"].get<std::string>());
          }
        }
      }
    }
    return devices;
  }

  std::string driver_;

 private:
  void Make(const std::string& kind, const Json& object) {
    Send("POST", kind, object);
    made_.push_back(kind + "/" + object["metadata"]["name"].get<std::string>());
  }

  std::vector<std::string> made_;
};

TEST_F(DevicesOnKubernetes, EachPodOfAGangHasItsDevicesOnItsNode) {
  PublishDevices(Node(0), 2);
  PublishDevices(Node(1), 2);
  MakeTemplate("two", 2);
  for (const char* const pod : {"a", "b"})
    Submit(BarePod(pod, "gang", 2, {.more = OfTemplate("two")}));
  EXPECT_TRUE(Comes("gang", "bound")) << ReasonOf("gang");
  const auto devices = DevicesOf("gang");
  ASSERT_EQ(devices.size(), 2U);
  for (const cluster::Pod& pod : PodsOf("gang"))
    EXPECT_EQ(devices.at(pod.name),
              (std::set<std::string>{pod.node_name + "/gpu-0",
                                     pod.node_name + "/gpu-1"}));
}

TEST_F(DevicesOnKubernetes, GroupWaitsForDevicesThatOthersHold) {
  PublishDevices(Node(0), 2);
  MakeTemplate("two", 2);
  MakeTemplate("one", 1);
  Submit(BarePod("a", "first", 1, {.more = OfTemplate("two")}));
  EXPECT_TRUE(Comes("first", "bound")) << ReasonOf("first");
  Submit(BarePod("b", "second", 1, {.more = OfTemplate("one")}));
  EXPECT_TRUE(Comes([&] {
    return ReasonOf("second").find("devices") != std::string::npos;
  })) << ReasonOf("second");
  EndGroup("first");
  EXPECT_TRUE(Comes("second", "bound")) << ReasonOf("second");
}

TEST_F(DevicesOnKubernetes, SelectorChoosesAmongDevices) {
  PublishDevices(Node(0), 4);
  MakeTemplate("large", 1,
               "device.attributes[\"" + driver_ +
                   "\"].model == \"large\" && device.capacity[\"" + driver_ +
                   "\"].memory.compareTo(quantity(\"32Gi\")) > 0");
  for (const char* const pod : {"a", "b"})
    Submit(BarePod(pod, "gang", 2, {.more = OfTemplate("large")}));
  EXPECT_TRUE(Comes("gang", "bound")) << ReasonOf("gang");
  std::set<std::string> all;
  for (const auto& [pod, devices] : DevicesOf("gang"))
    all.insert(devices.begin(), devices.end());
  EXPECT_EQ(all,
            (std::set<std::string>{Node(0) + "/gpu-2", Node(0) + "/gpu-3"}));
}

TEST_F(DevicesOnKubernetes, ClaimIsWaitedForAndSharedByItsPods) {
  PublishDevices(Node(1), 1);
  for (const char* const pod : {"a", "b"})
    Submit(BarePod(pod, "gang", 2, {.more = OfClaim("shared")}));
  EXPECT_TRUE(Comes([&] {
    return ReasonOf("gang").find("is not there") != std::string::npos ||
           !EventsOf("a", "FailedScheduling").empty();
  })) << ReasonOf("gang");
  MakeClaim("shared", 1);
  EXPECT_TRUE(Comes("gang", "bound")) << ReasonOf("gang");
  const auto devices = DevicesOf("gang");
  ASSERT_EQ(devices.size(), 2U);
  for (const auto& [pod, of] : devices)
    EXPECT_EQ(of, std::set<std::string>{Node(1) + "/gpu-0"});
}

// The example of docs/devices.md, with a GPU and a NIC of two drivers. The GPUs
// of the first domain have no NIC beside them.
TEST_F(DevicesOnKubernetes, AlignedDevicesAreInOneDomainWithTheirCpus) {
  const std::string nics = home_ + ".example.org";
  MakeClass(nics);
  for (int node = 0; node < 2; ++node) {
    Patch("nodes/" + Node(node),
          {{"metadata",
            {{"annotations",
              {{"fluxnetes.structure", "sockets: 2, numa: 2, cores: 4"}}}}}});
    Publish(Node(node), driver_,
            Json::array({InDomain("gpu-0", kNumaNode, 0),
                         InDomain("gpu-1", kNumaNode, 0),
                         InDomain("gpu-2", kNumaNode, 1)}));
    Publish(Node(node), nics, Json::array({InDomain("nic-0", "numaNode", 1)}));
  }
  Send("POST", Path("resourceclaimtemplates"),
       {{"apiVersion", "resource.k8s.io/v1"},
        {"kind", "ResourceClaimTemplate"},
        {"metadata", {{"name", "gpu-and-nic"}}},
        {"spec",
         {{"spec",
           {{"devices",
             {{"requests",
               Json::array(
                   {{{"name", "gpu"},
                     {"exactly", {{"deviceClassName", driver_}}}},
                    {{"name", "nic"},
                     {"exactly", {{"deviceClassName", nics}}}}})}}}}}}}});
  const auto aligned = [](std::string pod) {
    return pod.replace(pod.find("{fluxnetes."), 1, "{fluxnetes.align: numa, ");
  };
  for (const char* const pod : {"a", "b"})
    Submit(aligned(BarePod(pod, "gang", 2,
                           {.cpu = 2, .more = OfTemplate("gpu-and-nic")})));
  EXPECT_TRUE(Comes("gang", "bound")) << ReasonOf("gang");
  const auto devices = DevicesOf("gang");
  ASSERT_EQ(devices.size(), 2U);
  for (const cluster::Pod& pod : PodsOf("gang"))
    EXPECT_EQ(devices.at(pod.name),
              (std::set<std::string>{pod.node_name + "/gpu-2",
                                     pod.node_name + "/nic-0"}));
  EXPECT_EQ(Ask("SELECT count(*) FROM placements WHERE parts LIKE '%numa1/%' "
                "AND parts NOT LIKE '%numa0/%'"),
            "2");
  // What the records say of them.
  EXPECT_EQ(Ask("SELECT string_agg(device, ' ' ORDER BY device) FROM "
                "held_devices WHERE node_name = '" +
                Node(0) + "' AND device_class <> ''"),
            "gpu-2 nic-0");
  EXPECT_TRUE(Comes([&] {
    return Ask("SELECT devices ->> '" + driver_ +
               "' FROM nodes WHERE node_name = '" + Node(0) + "'") == "3";
  }));

  Submit(aligned(
      BarePod("c", "late", 1, {.cpu = 1, .more = OfTemplate("gpu-and-nic")})));
  EXPECT_TRUE(Comes([&] {
    return ReasonOf("late").find("does not have the devices of its claims") !=
               std::string::npos ||
           ReasonOf("late").find("do not have the devices of its claims") !=
               std::string::npos;
  })) << ReasonOf("late");
  EndGroup("gang");
  EXPECT_TRUE(Comes("late", "bound")) << ReasonOf("late");
}

// Ended at a step of the binder: no device is held for nobody, and none twice.
TEST_F(DevicesOnKubernetes, SchedulerKilledOnceItHasWrittenClaims) {
  PublishDevices(Node(0), 2);
  PublishDevices(Node(1), 2);
  MakeTemplate("two", 2);
  StartScheduler({{"FLUXNETES_FAILPOINT", "bind-devices-written"}});
  for (const char* const pod : {"a", "b"})
    Submit(BarePod(pod, "gang", 2, {.more = OfTemplate("two")}));
  ASSERT_TRUE(Comes([&] { return scheduler_->HasEnded(); }));
  EXPECT_EQ(Bound("gang"), 0);
  StartScheduler();
  EXPECT_TRUE(Comes("gang", "bound")) << ReasonOf("gang");
  std::set<std::string> all;
  for (const auto& [pod, devices] : DevicesOf("gang"))
    all.insert(devices.begin(), devices.end());
  EXPECT_EQ(all.size(), 4U);
}

TEST_F(DevicesOnKubernetes, SelectorThatIsNotSupportedIsRefusedWithItsPlace) {
  PublishDevices(Node(0), 1);
  MakeTemplate("odd", 1,
               "timestamp(\"2020-01-01T00:00:00Z\").getFullYear() == 2020");
  Submit(BarePod("a", "a", 1, {.more = OfTemplate("odd")}));
  EXPECT_TRUE(Comes([&] {
    return EventsOfGroup("a", "timestamp") > 0 ||
           ReasonOf("a").find("timestamp") != std::string::npos;
  })) << ReasonOf("a");
}

}  // namespace
}  // namespace fluxnetes::testing
