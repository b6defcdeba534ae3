#include "cluster/kubernetes/submission.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/json/watch_line.h"
#include "cluster/kubernetes/api_path.h"
#include "cluster/text/json_field.h"
#include "cluster/text/quote.h"

namespace fluxnetes::cluster {

namespace {

using Json = nlohmann::json;

Json ParseAnswer(const std::string& text) {
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

// Returns the path to POST objects of the kind to; empty for an unknown kind.
std::string CollectionOf(const Submitted& object) {
  constexpr ApiResource kClaims{"ResourceClaim", "/apis/resource.k8s.io/v1",
                                "resourceclaims"};
  constexpr ApiResource kTemplates{"ResourceClaimTemplate", kClaims.prefix,
                                   "resourceclaimtemplates"};
  if (object.kind == "Node") return "/api/v1/nodes";
  for (const ApiResource& claims : {kClaims, kTemplates})
    if (object.kind == claims.kind)
      return PathOf(claims, object.namespace_name);
  const auto resource = ResourceOfKind(object.kind);
  return resource ? PathOf(*resource, object.namespace_name) : "";
}

}  // namespace

Submitted Submit(HttpClient& client, const std::string& manifest,
                 const std::string& default_namespace) {
  const Json object = ParseAnswer(manifest);
  const Json& metadata = At(object, "metadata");
  Submitted result;
  result.kind = Text(object, "kind");
  result.name = Text(metadata, "name");
  result.namespace_name =
      Text(metadata, "namespace", default_namespace.c_str());
  HttpRequest request;
  request.method = "POST";
  request.path = CollectionOf(result);
  if (request.path.empty()) {
    result.error = "kind " + Quote(result.kind) +
                   " cannot be submitted; expected a Pod or a Job";
    return result;
  }
  request.path += "?fieldValidation=Strict";  // as kubectl asks
  request.body = manifest;
  request.repeatable = false;
  HttpResponse response = client.Send(std::move(request));
  result.warnings = std::move(response.warnings);
  if (response.status == 0) {
    result.error = response.error;
  } else if (!response.Succeeded()) {
    result.error = ReadStatusMessage(response.body);
    result.taken =
        Text(ParseAnswer(response.body), "reason") == "AlreadyExists";
    if (result.error.empty()) {
      result.error = "the server answered " + std::to_string(response.status);
    }
  } else {
    const Json answer = ParseAnswer(response.body);
    result.created = true;
    result.name = Text(At(answer, "metadata"), "name", result.name.c_str());
    result.uid = Text(At(answer, "metadata"), "uid");
  }
  return result;
}

}  // namespace fluxnetes::cluster
