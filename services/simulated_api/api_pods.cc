#include "services/simulated_api/api_pods.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/json/object_writer.h"
#include "cluster/json/objects.h"
#include "cluster/text/json_field.h"
#include "services/simulated_api/api_status.h"

namespace fluxnetes::services {

namespace {

using cluster::At;
using cluster::Text;
using Json = nlohmann::json;

constexpr const char* kPods = "pods";
constexpr std::chrono::milliseconds kDeadline{10'000};

}  // namespace

HttpAnswer ApiPods::Answer(const HttpQuestion& question,
                           const ApiTarget& target) {
  const std::string& method = question.method;
  if (target.name.empty()) {
    return method == "POST" ? Create(question, target) : MethodNotAllowed();
  }
  if (target.subresource == "binding") {
    return method == "POST" ? Bind(question, target) : MethodNotAllowed();
  }
  const bool is_status = target.subresource == "status";
  if (!target.subresource.empty() && !is_status) return NoSuchPath();
  if (method == "GET") return Get(target);
  if (method == "PATCH") return Patch(question, target);
  if (method == "DELETE" && !is_status) return Delete(question, target);
  return MethodNotAllowed();
}

HttpAnswer ApiPods::Create(const HttpQuestion& question,
                           const ApiTarget& target) {
  HttpAnswer answer;
  const auto manifest = ReadObject(question, target, "v1", "Pod", answer);
  if (!manifest) return answer;
  const auto& wish = std::get<cluster::PodTemplate>(manifest->object);
  const cluster::PodPointer created = cluster_.CreatePod(wish);
  if (!created) return AlreadyExists(kPods, wish.pod.name);
  answer.status = 201;
  answer.body = cluster::WritePod(*created);
  return answer;
}

HttpAnswer ApiPods::Get(const ApiTarget& target, int code) {
  const auto pod = cluster_.GetPod(target.namespace_name, target.name);
  if (!pod) return NotFound(kPods, target.name);
  return services::Answer(
      code, cluster::WritePod(*pod, cluster_.ConditionOf(target.namespace_name,
                                                         target.name)));
}

HttpAnswer ApiPods::Bind(const HttpQuestion& question,
                         const ApiTarget& target) {
  HttpAnswer refusal;
  const auto body = ParseBody(question, refusal);
  if (!body) return refusal;
  if (auto mismatch = RefuseMismatch(*body, "Binding", target)) {
    return *mismatch;
  }
  const Json& metadata = At(*body, "metadata");
  cluster::Binding binding{
      target.namespace_name, target.name, Text(metadata, "uid"),
      Text(metadata, "resourceVersion"), Text(At(*body, "target"), "name")};
  for (const auto& [key, value] : At(metadata, "annotations").items())
    if (value.is_string()) binding.annotations[key] = value.get<std::string>();
  if (binding.node_name.empty()) {
    return Invalid("Binding", target.name, "target.name: Required value");
  }
  const cluster::BindResult result =
      cluster_.Bind({&binding, 1}, kDeadline).front();
  switch (result.outcome) {
    case cluster::BindOutcome::kBound:
      return Done(201);
    case cluster::BindOutcome::kConflict:
      return Conflict("pods/binding", target.name, result.message);
    case cluster::BindOutcome::kGone:
      return NotFound(kPods, target.name);
    case cluster::BindOutcome::kRefused:
      return Invalid("Binding", target.name, result.message);
  }
  return NoSuchPath();
}

HttpAnswer ApiPods::Patch(const HttpQuestion& question,
                          const ApiTarget& target) {
  HttpAnswer refusal;
  const auto patch = ParseBody(question, refusal);
  if (!patch) return refusal;
  const auto pod = cluster_.GetPod(target.namespace_name, target.name);
  if (!pod) return NotFound(kPods, target.name);
  const std::string uid = Text(At(*patch, "metadata"), "uid");
  if (!uid.empty() && uid != pod->uid) {
    return Invalid(
        "Pod", target.name,
        "metadata.uid: Invalid value: \"" + uid + "\": field is immutable");
  }
  if (target.subresource == "status") {
    if (!SetCondition(*pod, *patch)) {
      return Conflict(kPods, target.name,
                      "the object has been modified; please apply your "
                      "changes to the latest version and try again");
    }
  } else {
    Change(*pod, *patch);
  }
  return Get(target);
}

void ApiPods::Change(const cluster::Pod& pod, const Json& patch) {
  const Json& metadata = At(patch, "metadata");
  if (!At(At(metadata, "annotations"), cluster::kTouchAnnotation).is_null()) {
    const cluster::ObjectName name{"Pod", pod.namespace_name, pod.name,
                                   pod.uid};
    cluster_.Touch({&name, 1});
  }
  if (At(metadata, "labels").is_object()) {
    Json labels = Json::object();
    for (const auto& [key, value] : pod.labels) labels[key] = value;
    labels.merge_patch(At(metadata, "labels"));
    cluster_.SetLabels(
        pod.namespace_name, pod.name,
        cluster::DecodePod(Json{{"metadata", {{"labels", labels}}}}).labels);
  }
  const Json& gates = At(At(patch, "spec"), "schedulingGates");
  if (gates.is_array() && gates.empty()) {
    cluster_.LiftGates(pod.namespace_name, pod.name);
  }
}

bool ApiPods::SetCondition(const cluster::Pod& pod, const Json& patch) {
  for (const Json& condition :
       cluster::List(At(At(patch, "status"), "conditions"))) {
    const std::string type = Text(condition, "type");
    if (type != "PodScheduled" && type != "DisruptionTarget") continue;
    cluster::PodCondition value{pod.namespace_name,
                                pod.name,
                                pod.uid,
                                Text(condition, "reason"),
                                Text(condition, "message"),
                                Text(At(patch, "metadata"), "resourceVersion")};
    if (type == "DisruptionTarget")
      value.type = cluster::PodCondition::Type::kDisruptionTarget;
    if (cluster_.SetConditions({&value, 1}).front().outcome !=
        cluster::StatusOutcome::kSet) {
      return false;
    }
  }
  return true;
}

HttpAnswer ApiPods::Delete(const HttpQuestion& question,
                           const ApiTarget& target) {
  HttpAnswer refusal;
  const auto uid = ReadUidPrecondition(question, refusal);
  if (!uid) return refusal;
  if (cluster_.Delete({"Pod", target.namespace_name, target.name, *uid})) {
    return Done(200);
  }
  const auto pod = cluster_.GetPod(target.namespace_name, target.name);
  return pod ? WrongUid(kPods, target.name, *uid, pod->uid)
             : NotFound(kPods, target.name);
}

HttpAnswer ApiPods::CreateEvent(const HttpQuestion& question,
                                const ApiTarget& target) {
  if (question.method != "POST") return MethodNotAllowed();
  HttpAnswer refusal;
  const auto body = ParseBody(question, refusal);
  if (!body) return refusal;
  if (auto mismatch = RefuseMismatch(*body, "Event", target)) return *mismatch;
  const Json& object = At(*body, "involvedObject");
  const cluster::PodEvent event{
      target.namespace_name, Text(object, "name"),
      Text(object, "uid"),   Text(*body, "type") == "Warning",
      Text(*body, "reason"), Text(*body, "message")};
  if (event.pod_name.empty()) {
    return Invalid("Event", Text(At(*body, "metadata"), "name"),
                   "involvedObject.name: Required value");
  }
  cluster_.Record({&event, 1});
  return services::Answer(201, body->dump());
}

}  // namespace fluxnetes::services
