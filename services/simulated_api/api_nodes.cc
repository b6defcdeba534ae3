#include "services/simulated_api/api_nodes.h"

#include <nlohmann/json.hpp>

#include "cluster/json/object_writer.h"
#include "cluster/json/objects.h"
#include "cluster/text/json_field.h"
#include "services/simulated_api/api_status.h"

namespace fluxnetes::services {

namespace {

using Json = nlohmann::json;

constexpr const char* kNodes = "nodes";

}  // namespace

HttpAnswer ApiNodes::Answer(const HttpQuestion& question,
                            const ApiTarget& target) {
  const std::string& method = question.method;
  if (!target.namespace_name.empty()) return NoSuchPath();
  if (target.name.empty()) {
    return method == "POST" ? Create(question, target) : MethodNotAllowed();
  }
  const bool is_status = target.subresource == "status";
  if (!target.subresource.empty() && !is_status) return NoSuchPath();
  if (method == "GET") return Get(target);
  if (method == "PATCH") return Patch(question, target);
  if (method == "DELETE" && !is_status) return Delete(question, target);
  return MethodNotAllowed();
}

HttpAnswer ApiNodes::Create(const HttpQuestion& question,
                            const ApiTarget& target) {
  HttpAnswer refusal;
  const auto manifest = ReadObject(question, target, "v1", "Node", refusal);
  if (!manifest) return refusal;
  const auto& node = std::get<cluster::Node>(manifest->object);
  if (!cluster_.AddNode(node)) return AlreadyExists(kNodes, node.name);
  const cluster::NodePointer created = cluster_.GetNode(node.name);
  return services::Answer(201, cluster::WriteNode(created ? *created : node));
}

HttpAnswer ApiNodes::Get(const ApiTarget& target) {
  const cluster::NodePointer node = cluster_.GetNode(target.name);
  if (!node) return NotFound(kNodes, target.name);
  return services::Answer(200, cluster::WriteNode(*node));
}

HttpAnswer ApiNodes::Patch(const HttpQuestion& question,
                           const ApiTarget& target) {
  HttpAnswer refusal;
  const auto patch = ParseBody(question, refusal);
  if (!patch) return refusal;
  const cluster::NodePointer node = cluster_.GetNode(target.name);
  if (!node) return NotFound(kNodes, target.name);
  Json object = Json::parse(cluster::WriteNode(*node));
  object.merge_patch(*patch);
  cluster::Node changed = cluster::DecodeNode(object);
  changed.name = node->name;
  if (!cluster_.UpdateNode(changed)) return NotFound(kNodes, target.name);
  return Get(target);
}

HttpAnswer ApiNodes::Delete(const HttpQuestion& question,
                            const ApiTarget& target) {
  const cluster::NodePointer node = cluster_.GetNode(target.name);
  if (!node) return NotFound(kNodes, target.name);
  HttpAnswer refusal;
  const auto uid = ReadUidPrecondition(question, refusal);
  if (!uid) return refusal;
  if (!uid->empty() && *uid != node->uid) {
    return WrongUid(kNodes, target.name, *uid, node->uid);
  }
  return cluster_.RemoveNode(target.name) ? Done(200)
                                          : NotFound(kNodes, target.name);
}

}  // namespace fluxnetes::services
