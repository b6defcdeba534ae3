// The owners of pods on an API server: reads and deletes them.
#include "cluster/json/controller_json.h"
#include "cluster/json/object_writer.h"
#include "cluster/json/objects.h"
#include "cluster/kubernetes/api_answer.h"
#include "cluster/kubernetes/api_path.h"
#include "cluster/kubernetes/kubernetes_cluster.h"
#include "cluster/protobuf/message_fields.h"

namespace fluxnetes::cluster {
namespace {

constexpr int kHighestOwner = 10;  // levels of controllers

// Of a controller as the API server answered; one of another UID is gone.
ControllerState ToControllerState(const ObjectName& name,
                                  const HttpResponse& response,
                                  ApiEncoding& encoding) {
  ControllerState state;
  if (IsRefused(response)) return state;
  state.life = ControllerState::Life::kGone;
  if (!response.Succeeded()) return state;
  encoding.Read(response, [&](const EncodedValue& object) {
    if (name.uid.empty() || Text(At(object, "metadata"), "uid") == name.uid)
      state = DecodeControllerState(name.kind, object);
  });
  return state;
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
  HttpRequest request =
      Request("DELETE", *path, WriteDeleteOptions(object.uid));
  request.accept = encoding_.Metadata();
  const HttpResponse response = client_.Send(std::move(request));
  if (response.Succeeded()) return true;
  if (response.status == 404 || response.status == 409) return false;
  ThrowUnreachable("deleting " + object.kind + " " + object.namespace_name +
                       "/" + object.name,
                   response);
}

bool KubernetesCluster::ReadOwner(
    const ObjectName& owner, std::string accept,
    const std::function<void(const EncodedValue&)>& read) {
  const auto path = PathOfOwner(owner);
  if (!path) return false;
  HttpRequest request = Request("GET", *path);
  request.accept = std::move(accept);
  const HttpResponse response = client_.Send(std::move(request));
  if (response.status == 404) return false;
  if (response.status != 200) {
    ThrowUnreachable("reading " + owner.kind + " " + owner.name, response);
  }
  bool same = false;
  encoding_.Read(response, [&](const EncodedValue& object) {
    const std::string uid = Text(At(object, "metadata"), "uid");
    same = owner.uid.empty() || uid == owner.uid;
    if (same) read(object);
  });
  return same;
}

std::optional<ObjectName> KubernetesCluster::TopOwner(const ObjectName& owner) {
  std::optional<ObjectName> top;
  ObjectName next = owner;
  for (int height = 0; height < kHighestOwner; ++height) {
    Pod object;  // all objects have the same metadata
    const bool found = ReadOwner(
        next, encoding_.Metadata(),
        [&object](const EncodedValue& it) { object = DecodePod(it); });
    if (!found) return top;
    next.uid = object.uid;
    top = next;
    if (!object.controller) return top;
    next = {object.controller->kind, owner.namespace_name,
            object.controller->name, object.controller->uid};
  }
  return top;
}

bool KubernetesCluster::MayReplace(const ObjectName& owner) {
  const auto kind = FindOwnerKind(owner.kind, options_.owner_kinds);
  bool may = false;
  const auto read = [&](const EncodedValue& object) {
    if (DecodePod(object).terminating) return;
    may = owner.kind == "Job"
              ? DecodeControllerState(owner.kind, object).life ==
                    ControllerState::Life::kLives
              : !HasFinished(object) && (!kind || kind->replaces);
  };
  // Of an operator's kind any field may say that it has finished.
  const bool known = FieldsOfKind(owner.kind) != nullptr;
  ReadOwner(owner, known ? encoding_.Object() : "application/json", read);
  return may;
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
    questions.back().accept = encoding_.Object();
  }
  const auto answers = client_.SendAll(std::move(questions));
  for (std::size_t k = 0; k < asked.size(); ++k) {
    const ObjectName& name = controllers[asked[k]];
    if (IsAway(answers[k]))
      ThrowUnreachable("reading " + name.kind + " " + name.name, answers[k]);
    states[asked[k]] = ToControllerState(name, answers[k], encoding_);
  }
  NoteRefusals("controllers of pods", answers);
  return states;
}

}  // namespace fluxnetes::cluster
