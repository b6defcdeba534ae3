#include "tests/cluster/protobuf/random_objects.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

class Draw {
 public:
  explicit Draw(std::minstd_rand& random) : random_(random) {}

  int Below(int end) {
    return std::uniform_int_distribution<int>(0, end - 1)(random_);
  }
  bool Flip() { return Below(2) == 0; }
  std::string Of(const std::vector<std::string>& texts) {
    return texts[static_cast<std::size_t>(
        Below(static_cast<int>(texts.size())))];
  }
  // Calls `set` or not.
  template <typename Set>
  void Maybe(const Set& set) {
    if (Flip()) set();
  }
  // A list of none to three.
  template <typename Make>
  void List(Json& object, const char* key, const Make& make) {
    const int count = Below(4);
    for (int i = 0; i < count; ++i) object[key].push_back(make());
  }

  Json Metadata() {
    Json metadata = {{"name", Of({"a", "web-0", "ü"})},
                     {"uid", "u" + std::to_string(Below(1'000))},
                     {"resourceVersion", std::to_string(Below(1'000'000))},
                     {"creationTimestamp", Moment()}};
    Maybe([&] { metadata["namespace"] = Of({"default", "team"}); });
    Maybe([&] { metadata["deletionTimestamp"] = Moment(); });
    Maybe([&] { metadata["labels"] = Labels(); });
    Maybe([&] {
      metadata["annotations"] = {{"fluxnetes.queue", Of({"", "batch"})},
                                 {"other", "x"},
                                 {"fluxnetes.structure", "core[4]"},
                                 {"batch.kubernetes.io/job-completion-index",
                                  Of({"0", "7", "-1", "x"})}};
    });
    List(metadata, "ownerReferences", [&] {
      Json owner = {{"apiVersion", Of({"v1", "batch/v1", "x.io/v1"})},
                    {"kind", Of({"Job", "ReplicaSet", "MPIJob"})},
                    {"name", Of({"o", "p"})},
                    {"uid", "ou"}};
      Maybe([&] { owner["controller"] = Flip(); });
      return owner;
    });
    return metadata;
  }

  Json Labels() {
    Json labels = Json::object();
    for (int i = Below(4); i >= 0; --i)
      labels[Of({"app", "tier", "zone", "fluxnetes.group-size"})] =
          Of({"", "a", "3", "Straße"});
    return labels;
  }

  std::string Moment() {
    return Of({"1970-01-01T00:00:00Z", "2026-02-28T23:59:59Z",
               "1901-01-01T00:00:00Z"});
  }

  Json Amounts() {
    Json amounts = Json::object();
    for (int i = Below(4); i >= 0; --i)
      amounts[Of({"cpu", "memory", "pods", "ephemeral-storage",
                  "nvidia.com/gpu", "hugepages-2Mi"})] =
          Of({"0", "1", "1500m", "4Gi", "100k", "1e3", "9E", "bad"});
    return amounts;
  }

  Json Resources() {
    Json resources = Json::object();
    Maybe([&] { resources["limits"] = Amounts(); });
    Maybe([&] { resources["requests"] = Amounts(); });
    return resources;
  }

  Json Requirement() {
    Json requirement = {{"key", Of({"zone", "gpu"})},
                        {"operator", Of({"In", "NotIn", "Exists", "Gt"})}};
    List(requirement, "values", [&] { return Of({"", "a", "5"}); });
    return requirement;
  }

  Json Term() {
    Json term = Json::object();
    List(term, "matchExpressions", [&] { return Requirement(); });
    List(term, "matchFields", [&] { return Requirement(); });
    return term;
  }

  Json Selector() {
    Json selector = Json::object();
    Maybe([&] { selector["matchLabels"] = Labels(); });
    List(selector, "matchExpressions", [&] { return Requirement(); });
    return selector;
  }

  Json PodTerm() {
    Json term = {{"topologyKey", Of({"zone", "host"})}};
    Maybe([&] { term["labelSelector"] = Selector(); });
    Maybe([&] { term["namespaceSelector"] = Selector(); });
    List(term, "namespaces", [&] { return Of({"a", "b"}); });
    List(term, "matchLabelKeys", [&] { return Of({"app", "tier"}); });
    List(term, "mismatchLabelKeys", [&] { return Of({"app", "zone"}); });
    return term;
  }

  Json PodAffinity() {
    Json affinity = Json::object();
    List(affinity, kRequired, [&] { return PodTerm(); });
    List(affinity, kPreferred, [&] {
      return Json{{"weight", Below(100)}, {"podAffinityTerm", PodTerm()}};
    });
    return affinity;
  }

  Json Affinity() {
    Json affinity = Json::object();
    Maybe([&] {
      Json& nodes = affinity["nodeAffinity"] = Json::object();
      Maybe([&] {
        nodes[kRequired] = Json::object();
        List(nodes[kRequired], "nodeSelectorTerms", [&] { return Term(); });
      });
      List(nodes, kPreferred, [&] {
        return Json{{"weight", Below(100)}, {"preference", Term()}};
      });
    });
    Maybe([&] { affinity["podAffinity"] = PodAffinity(); });
    Maybe([&] { affinity["podAntiAffinity"] = PodAffinity(); });
    return affinity;
  }

  Json Container() {
    Json container = {{"name", Of({"a", "b", "c"})},
                      {"resources", Resources()}};
    Maybe([&] { container["restartPolicy"] = Of({"Always", "Never"}); });
    List(container, "ports", [&] {
      Json port = {{"containerPort", Below(65'536)}};
      Maybe([&] { port["hostPort"] = Below(65'536); });
      Maybe([&] { port["protocol"] = Of({"UDP", "TCP"}); });
      Maybe([&] { port["hostIP"] = "10.0.0.1"; });
      return port;
    });
    return container;
  }

  Json Spread() {
    Json spread = {
        {"maxSkew", Below(5)},
        {"topologyKey", "zone"},
        {"whenUnsatisfiable", Of({"DoNotSchedule", "ScheduleAnyway"})}};
    Maybe([&] { spread["labelSelector"] = Selector(); });
    Maybe([&] { spread["minDomains"] = Below(4); });
    Maybe([&] { spread["nodeAffinityPolicy"] = Of({"Ignore", "Honor"}); });
    Maybe([&] { spread["nodeTaintsPolicy"] = Of({"Ignore", "Honor"}); });
    List(spread, "matchLabelKeys", [&] { return Of({"app", "tier"}); });
    return spread;
  }

  Json Toleration() {
    Json toleration = Json::object();
    Maybe([&] { toleration["key"] = Of({"gpu", "node.kubernetes.io/x"}); });
    Maybe([&] { toleration["operator"] = Of({"Exists", "Equal", "Lt"}); });
    Maybe([&] { toleration["value"] = Of({"a", "b"}); });
    Maybe([&] { toleration["effect"] = Of({"NoSchedule", "NoExecute"}); });
    return toleration;
  }

  Json Volume() {
    Json volume = {{"name", Of({"v", "w"})}};
    Maybe([&] {
      volume["persistentVolumeClaim"] = {{"claimName", Of({"data", "logs"})}};
    });
    Maybe([&] { volume["ephemeral"] = Json::object(); });
    return volume;
  }

  Json Spec() {
    Json spec = Json::object();
    List(spec, "volumes", [&] { return Volume(); });
    List(spec, "containers", [&] { return Container(); });
    List(spec, "initContainers", [&] { return Container(); });
    List(spec, "tolerations", [&] { return Toleration(); });
    List(spec, "topologySpreadConstraints", [&] { return Spread(); });
    List(spec, "schedulingGates", [&] { return Json{{"name", "g"}}; });
    List(spec, "resourceClaims", [&] {
      Json claim = {{"name", Of({"gpu", "nic"})}};
      claim[Flip() ? "resourceClaimName" : "resourceClaimTemplateName"] = "n";
      return claim;
    });
    Maybe([&] {
      spec["terminationGracePeriodSeconds"] =
          Flip() ? Below(90) : -1 - Below(9);
    });
    Maybe([&] {
      spec["activeDeadlineSeconds"] =
          Flip() ? std::int64_t{Below(9'000)} : std::int64_t{5'000'000'000};
    });
    Maybe([&] { spec["nodeSelector"] = Labels(); });
    Maybe([&] { spec["nodeName"] = "node-1"; });
    Maybe([&] { spec["hostNetwork"] = Flip(); });
    Maybe([&] { spec["affinity"] = Affinity(); });
    Maybe([&] { spec["schedulerName"] = Of({"fluxnetes", "other"}); });
    Maybe([&] { spec["priority"] = Below(2'000'000'000) - 1'000'000'000; });
    Maybe([&] {
      spec["preemptionPolicy"] = Of({"Never", "PreemptLowerPriority"});
    });
    Maybe([&] { spec["overhead"] = Amounts(); });
    Maybe([&] { spec["resources"] = Resources(); });
    Maybe([&] { spec["schedulingGroup"] = {{"podGroupName", "g"}}; });
    return spec;
  }

  Json Conditions() {
    return {{"type", Of({"Ready", "PodResizePending", "PodScheduled"})},
            {"status", Of({"True", "False", "Unknown"})},
            {"reason", Of({"Infeasible", "Deferred"})}};
  }

  Json ContainerStatus() {
    Json status = {{"name", Of({"a", "b", "c"})}};
    Maybe([&] { status["resources"] = Resources(); });
    Maybe([&] { status["allocatedResources"] = Amounts(); });
    return status;
  }

  Json Status() {
    Json status = {{"phase", Of({"Pending", "Running", "Succeeded", "Failed",
                                 "Unknown"})}};
    List(status, "conditions", [&] { return Conditions(); });
    List(status, "containerStatuses", [&] { return ContainerStatus(); });
    List(status, "initContainerStatuses", [&] { return ContainerStatus(); });
    List(status, "resourceClaimStatuses", [&] {
      Json claim = {{"name", Of({"gpu", "nic"})}};
      Maybe([&] { claim["resourceClaimName"] = "made"; });
      return claim;
    });
    Maybe([&] { status["reason"] = Of({"Evicted", "OutOfcpu"}); });
    Maybe([&] { status["startTime"] = Moment(); });
    Maybe([&] { status["resources"] = Resources(); });
    Maybe([&] { status["allocatedResources"] = Amounts(); });
    return status;
  }

  // A spec and a status with the fields of all controllers.
  Json ControllerSpec() {
    Json spec = Json::object();
    for (const char* const count :
         {"parallelism", "completions", "backoffLimit", "replicas"})
      Maybe([&] { spec[count] = Below(9) - 1; });
    Maybe([&] { spec["suspend"] = Flip(); });
    return spec;
  }

  Json ControllerStatus() {
    Json status = Json::object();
    for (const char* const count :
         {"active", "succeeded", "failed", "desiredNumberScheduled"})
      status[count] = Below(9);
    for (const char* const indexes : {"completedIndexes", "failedIndexes"})
      Maybe([&] { status[indexes] = Of({"0", "1,3-5,7", "x", ""}); });
    List(status, "conditions", [&] {
      return Json{{"type", Of({"Complete", "Failed", "FailureTarget",
                               "SuccessCriteriaMet", "Suspended"})},
                  {"status", Of({"True", "False"})},
                  {"reason", Of({"BackoffLimitExceeded", "DeadlineExceeded"})}};
    });
    return status;
  }

  Json Message(const MessageFields& fields) {
    Json object = Json::object();
    for (const MessageField& field : fields.fields) {
      if (Below(3) == 0) continue;
      Json& member = object[std::string(field.name)];
      if (field.shape == MessageField::Shape::kOne) {
        member = Value(field);
        continue;
      }
      const bool map = field.shape == MessageField::Shape::kMap;
      for (int i = Below(3); i >= 0; --i) {
        if (map) {
          member[Of({"model", "gpu.example.com/model", "storage", "zone",
                     "volume.kubernetes.io/selected-node",
                     "fluence.flux-framework.org/x"})] = Value(field);
        } else {
          member.push_back(Value(field));
        }
      }
    }
    return object;
  }

  Json Value(const MessageField& field) {
    using Type = MessageField::Type;
    switch (field.type) {
      case Type::kText:
        return field.optional && Below(4) == 0 ? "" : Word();
      case Type::kFlag:
        return Flip();
      case Type::kInteger:
        return Flip() ? Below(4) : Below(1'000'000'000) - 500'000'000;
      case Type::kTime:
        return Moment();
      case Type::kQuantity:
        return Of({"0", "1", "1500m", "4Gi", "1e3", "bad"});
      case Type::kRaw:
        return Json{{"b", Json::array({1, nullptr})}, {"a", Word()}};
      case Type::kMessage:
        return Message(*field.message);
    }
    return nullptr;
  }

  std::string Word() {
    return Of({"a", "Straße", "True", "In", "Exists", "Equal", "NoSchedule",
               "NoExecute", "None", "All", "ExactCount", "Block",
               "WaitForFirstConsumer", "PodGroupScheduled", "Pod",
               "metadata.name", "gpu.example.com", "true"});
  }

  Json NodeSpec() {
    Json spec = Json::object();
    Maybe([&] { spec["unschedulable"] = Flip(); });
    List(spec, "taints", [&] {
      return Json{{"key", Of({"gpu", "a"})}, {"effect", "NoSchedule"}};
    });
    return spec;
  }

  Json NodeStatus() {
    Json status = Json::object();
    Maybe([&] { status["capacity"] = Amounts(); });
    Maybe([&] { status["allocatable"] = Amounts(); });
    List(status, "conditions", [&] { return Conditions(); });
    return status;
  }

 private:
  static constexpr const char* kRequired =
      "requiredDuringSchedulingIgnoredDuringExecution";
  static constexpr const char* kPreferred =
      "preferredDuringSchedulingIgnoredDuringExecution";

  std::minstd_rand& random_;
};

}  // namespace

Json RandomPodJson(std::minstd_rand& random) {
  Draw draw(random);
  return {{"metadata", draw.Metadata()},
          {"spec", draw.Spec()},
          {"status", draw.Status()}};
}

Json RandomNodeJson(std::minstd_rand& random) {
  Draw draw(random);
  return {{"metadata", draw.Metadata()},
          {"spec", draw.NodeSpec()},
          {"status", draw.NodeStatus()}};
}

Json RandomControllerJson(std::minstd_rand& random) {
  Draw draw(random);
  return {{"metadata", draw.Metadata()},
          {"spec", draw.ControllerSpec()},
          {"status", draw.ControllerStatus()}};
}

Json RandomObjectJson(const MessageFields& fields, std::minstd_rand& random) {
  Json object = Draw(random).Message(fields);
  object["metadata"] = Draw(random).Metadata();
  return object;
}

}  // namespace fluxnetes::cluster
