#include "services/simulated_api/api_owners.h"

#include <nlohmann/json.hpp>

#include "cluster/json/object_writer.h"
#include "cluster/json/objects.h"
#include "cluster/text/json_field.h"
#include "cluster/text/json_text.h"
#include "services/simulated_api/api_status.h"

namespace fluxnetes::services {

namespace {

using cluster::ApiResource;
using cluster::At;
using cluster::JsonText;
using Json = nlohmann::json;

constexpr const char* kJobs = "jobs.batch";

bool IsJob(const ApiResource& resource) { return resource.kind == "Job"; }

// Returns "jobs.batch", "replicasets.apps", "replicationcontrollers".
std::string NameOf(const ApiResource& resource) {
  std::string name(resource.plural);
  const std::string_view prefix = resource.prefix;
  if (!prefix.starts_with("/apis/")) return name;
  const std::string_view group = prefix.substr(6);
  return name + "." + std::string(group.substr(0, group.find('/')));
}

std::string WriteOwner(const ApiResource& resource, const std::string& place,
                       const std::string& name, const std::string& uid,
                       const std::optional<cluster::Owner>& controller) {
  JsonText json;
  json.Object([&] {
    json.Field("kind", resource.kind);
    json.Object("metadata", [&] {
      json.Field("namespace", place);
      json.Field("name", name);
      json.Field("uid", uid);
      if (!controller) return;
      json.List("ownerReferences", [&] {
        json.Object([&] {
          json.Field("kind", controller->kind);
          json.Field("name", controller->name);
          json.Field("uid", controller->uid);
          json.Field("controller", true);
        });
      });
    });
  });
  return json.Take();
}

}  // namespace

HttpAnswer ApiOwners::Answer(const HttpQuestion& question,
                             const ApiTarget& target,
                             const ApiResource& resource) {
  const std::string& method = question.method;
  const bool job = IsJob(resource);
  if (target.name.empty()) {
    if (method == "POST" && !target.namespace_name.empty()) {
      return job ? CreateJob(question, target)
                 : CreateOwner(question, target, resource);
    }
    return MethodNotAllowed();
  }
  if (!target.subresource.empty()) return NoSuchPath();
  if (method == "GET") return job ? GetJob(target) : GetOwner(target, resource);
  if (method == "PATCH" && job) return PatchJob(question, target);
  if (method == "DELETE") return Delete(question, target, resource);
  return MethodNotAllowed();
}

HttpAnswer ApiOwners::CreateJob(const HttpQuestion& question,
                                const ApiTarget& target) {
  HttpAnswer answer;
  const auto manifest = ReadObject(question, target, "batch/v1", "Job", answer);
  if (!manifest) return answer;
  const auto& job = std::get<cluster::KubernetesJob>(manifest->object);
  const auto created = cluster_.CreateJob(job);
  if (!created) return AlreadyExists(kJobs, job.name);
  answer.status = 201;
  answer.body = cluster::WriteJob(*created);
  return answer;
}

HttpAnswer ApiOwners::CreateOwner(const HttpQuestion& question,
                                  const ApiTarget& target,
                                  const ApiResource& resource) {
  HttpAnswer refusal;
  const auto body = ParseBody(question, refusal);
  if (!body) return refusal;
  const std::string kind(resource.kind);
  if (auto mismatch = RefuseMismatch(*body, kind, target)) return *mismatch;
  // Only its metadata is used.
  const cluster::Pod object = cluster::DecodePod(*body);
  if (object.name.empty()) {
    return Invalid(kind, "", "metadata.name: Required value");
  }
  if (cluster_.GetOwner(kind, target.namespace_name, object.name)) {
    return AlreadyExists(NameOf(resource), object.name);
  }
  const std::string uid = cluster_.CreateOwner(kind, target.namespace_name,
                                               object.name, object.controller);
  return services::Answer(201, WriteOwner(resource, target.namespace_name,
                                          object.name, uid, object.controller));
}

HttpAnswer ApiOwners::GetJob(const ApiTarget& target) {
  const auto status = cluster_.GetJob(target.namespace_name, target.name);
  return status ? services::Answer(200, cluster::WriteJob(*status))
                : NotFound(kJobs, target.name);
}

HttpAnswer ApiOwners::GetOwner(const ApiTarget& target,
                               const ApiResource& resource) {
  const auto owner = cluster_.GetOwner(std::string(resource.kind),
                                       target.namespace_name, target.name);
  if (!owner) return NotFound(NameOf(resource), target.name);
  return services::Answer(
      200, WriteOwner(resource, target.namespace_name, target.name, owner->uid,
                      owner->controller));
}

HttpAnswer ApiOwners::PatchJob(const HttpQuestion& question,
                               const ApiTarget& target) {
  HttpAnswer refusal;
  const auto patch = ParseBody(question, refusal);
  if (!patch) return refusal;
  const Json& spec = At(*patch, "spec");
  const Json& suspend = At(spec, "suspend");
  const Json& parallelism = At(spec, "parallelism");
  if (!suspend.is_null() && !suspend.is_boolean()) {
    return BadRequest("spec.suspend: expected true or false");
  }
  if (!parallelism.is_null() && !parallelism.is_number_unsigned()) {
    return Invalid("Job.batch", target.name,
                   "spec.parallelism: Invalid value: " + parallelism.dump() +
                       ": must be a whole number of 0 or more");
  }
  const Json& marks = At(At(*patch, "metadata"), "annotations");
  if (!marks.is_null() && !marks.is_object())
    return BadRequest("metadata.annotations: expected an object");
  std::map<std::string, std::optional<std::string>> annotations;
  for (const auto& [key, value] : marks.items()) {
    if (!value.is_null() && !value.is_string())
      return BadRequest("metadata.annotations: " + key + ": expected a text");
    annotations[key] = value.is_null()
                           ? std::nullopt
                           : std::optional(value.get<std::string>());
  }
  if (suspend.is_boolean()) {
    cluster_.SuspendJob(target.namespace_name, target.name,
                        suspend.get<bool>());
  }
  if (!parallelism.is_null()) {
    cluster_.ScaleJob(target.namespace_name, target.name,
                      cluster::DecodeJob(*patch).parallelism);
  }
  if (!annotations.empty()) {
    cluster_.AnnotateJob(target.namespace_name, target.name, annotations);
  }
  return GetJob(target);
}

HttpAnswer ApiOwners::Delete(const HttpQuestion& question,
                             const ApiTarget& target,
                             const ApiResource& resource) {
  HttpAnswer refusal;
  const auto uid = ReadUidPrecondition(question, refusal);
  if (!uid) return refusal;
  const cluster::ObjectName object{std::string(resource.kind),
                                   target.namespace_name, target.name, ""};
  if (cluster_.Delete(
          {object.kind, object.namespace_name, object.name, *uid})) {
    return Done(200);
  }
  if (!uid->empty() && cluster_.TopOwner(object)) {
    return Conflict(NameOf(resource), target.name,
                    "Precondition failed: UID in precondition: " + *uid);
  }
  return NotFound(NameOf(resource), target.name);
}

}  // namespace fluxnetes::services
