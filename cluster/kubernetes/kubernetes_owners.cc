// The owners of pods on an API server: reads and deletes them.
#include <nlohmann/json.hpp>

#include "cluster/json/controller_json.h"
#include "cluster/json/object_writer.h"
#include "cluster/json/objects.h"
#include "cluster/kubernetes/api_answer.h"
#include "cluster/kubernetes/api_path.h"
#include "cluster/kubernetes/kubernetes_cluster.h"
#include "cluster/text/json_field.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

constexpr int kHighestOwner = 10;  // levels of controllers

// Of a controller as the API server answered; one of another UID is gone.
ControllerState ToControllerState(const ObjectName& name,
                                  const HttpResponse& response) {
  ControllerState state;
  if (IsRefused(response)) return state;
  state.life = ControllerState::Life::kGone;
  if (!response.Succeeded()) return state;
  const Json object = ParseObject(response);
  if (!name.uid.empty() && Text(At(object, "metadata"), "uid") != name.uid)
    return state;
  return DecodeControllerState(name.kind, object);
}

}  // namespace

std::optional<std::string> KubernetesCluster::PathOfOwner(
    const ObjectName& owner) const {
  if (const auto own = ResourceOfKind(owner.kind))
    return PathOf(*own, owner.namespace_name, owner.name);
  if (const auto kind = FindOwnerKind(owner.kind, options_.owner_kinds))
    return PathOf(ApiResource{kind->kind, kind->prefix, kind->plural},
                  owner.namespace_name, owner.name);
  return std::nullopt;
}

bool KubernetesCluster::Delete(const ObjectName& object) {
  const auto path = PathOfOwner(object);
  if (!path) return false;
  const HttpResponse response =
      client_.Send(Request("DELETE", *path, WriteDeleteOptions(object.uid)));
  if (response.Succeeded()) return true;
  if (response.status == 404 || response.status == 409) return false;
  ThrowUnreachable("deleting " + object.kind + " " + object.namespace_name +
                       "/" + object.name,
                   response);
}

std::optional<Json> KubernetesCluster::GetOwner(const ObjectName& owner) {
  const auto path = PathOfOwner(owner);
  if (!path) return std::nullopt;
  const HttpResponse response = client_.Send(Request("GET", *path));
  if (response.status == 404) return std::nullopt;
  if (response.status != 200) {
    ThrowUnreachable("reading " + owner.kind + " " + owner.name, response);
  }
  Json object = ParseObject(response);
  const std::string uid = Text(At(object, "metadata"), "uid");
  if (!owner.uid.empty() && uid != owner.uid) return std::nullopt;
  return object;
}

std::optional<ObjectName> KubernetesCluster::TopOwner(const ObjectName& owner) {
  std::optional<ObjectName> top;
  ObjectName next = owner;
  for (int height = 0; height < kHighestOwner; ++height) {
    const auto found = GetOwner(next);
    if (!found) return top;
    // All objects have the same metadata.
    const Pod object = DecodePod(*found);
    next.uid = object.uid;
    top = next;
    if (!object.controller) return top;
    next = {object.controller->kind, owner.namespace_name,
            object.controller->name, object.controller->uid};
  }
  return top;
}

bool KubernetesCluster::MayReplace(const ObjectName& owner) {
  const auto found = GetOwner(owner);
  if (!found || DecodePod(*found).terminating) return false;
  if (owner.kind == "Job") {
    return DecodeControllerState(owner.kind, *found).life ==
           ControllerState::Life::kLives;
  }
  const auto kind = FindOwnerKind(owner.kind, options_.owner_kinds);
  return !HasFinished(*found) && (!kind || kind->replaces);
}

std::vector<ControllerState> KubernetesCluster::ReadControllers(
    std::span<const ObjectName> controllers) {
  std::vector<ControllerState> states(controllers.size());
  std::vector<std::size_t> asked;
  std::vector<HttpRequest> questions;
  for (std::size_t i = 0; i < controllers.size(); ++i) {
    const ObjectName& name = controllers[i];
    const auto resource = ResourceOfKind(name.kind);
    if (!resource || !MakesPods(name.kind)) continue;
    asked.push_back(i);
    questions.push_back(
        Request("GET", PathOf(*resource, name.namespace_name, name.name)));
  }
  const auto answers = client_.SendAll(std::move(questions));
  for (std::size_t k = 0; k < asked.size(); ++k) {
    const ObjectName& name = controllers[asked[k]];
    if (IsAway(answers[k]))
      ThrowUnreachable("reading " + name.kind + " " + name.name, answers[k]);
    states[asked[k]] = ToControllerState(name, answers[k]);
  }
  NoteRefusals("controllers of pods", answers);
  return states;
}

}  // namespace fluxnetes::cluster
