#include "services/simulated_api/api_request.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "cluster/files/object_name.h"
#include "cluster/protobuf/envelope.h"
#include "cluster/text/json_field.h"
#include "cluster/text/quote.h"
#include "services/simulated_api/api_admission.h"
#include "services/simulated_api/api_status.h"

namespace fluxnetes::services {

namespace {

using cluster::At;
using cluster::Text;
using Json = nlohmann::json;

constexpr int kDeepest = 64;

std::vector<std::string> Split(const std::string& path) {
  std::vector<std::string> parts;
  std::size_t begin = 1;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// Counts brackets outside strings; the parser itself has no depth limit.
int DepthOf(const std::string& json) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

// Names an object that has metadata.generateName alone.
void GiveName(Json& object) {
  const Json& metadata = At(object, "metadata");
  const std::string prefix = Text(metadata, "generateName");
  if (prefix.empty() || !Text(metadata, "name").empty()) return;
  thread_local std::mt19937_64 random{std::random_device{}()};
  object["metadata"]["name"] = cluster::GeneratedName(prefix, random());
}

}  // namespace

std::optional<ApiTarget> ParseTarget(const std::string& path) {
  const std::vector<std::string> parts = Split(path);
  const std::size_t head = parts.empty()        ? 0
                           : parts[0] == "api"  ? 2
                           : parts[0] == "apis" ? 3
                                                : 0;
  if (head == 0 || parts.size() <= head) return std::nullopt;
  if (std::ranges::any_of(parts, &std::string::empty)) return std::nullopt;
  ApiTarget target;
  std::size_t at = 0;
  while (at < head) target.prefix += "/" + parts[at++];
  // "/namespaces" and "/namespaces/NAME" address the namespaces themselves.
  if (parts[at] == "namespaces" && parts.size() >= at + 3) {
    target.namespace_name = parts[at + 1];
    at += 2;
  }
  target.plural = parts[at++];
  if (at < parts.size()) target.name = parts[at++];
  if (at < parts.size()) target.subresource = parts[at++];
  if (at < parts.size()) return std::nullopt;
  return target;
}

std::optional<Json> ParseBody(const HttpQuestion& question,
                              HttpAnswer& refusal) {
  if (cluster::IsProtobuf(question.body)) {
    refusal = UnsupportedMediaType();
    return std::nullopt;
  }
  if (DepthOf(question.body) > kDeepest) {
    refusal = BadRequest("the body is nested deeper than " +
                         std::to_string(kDeepest));
    return std::nullopt;
  }
  try {
    Json json = Json::parse(question.body);
    if (json.is_object()) return json;
    refusal = BadRequest("the body is not an object");
  } catch (const Json::exception& error) {
    refusal = BadRequest(std::string("the body is not JSON: ") +
                         cluster::Quote(error.what()));
  }
  return std::nullopt;
}

std::optional<HttpAnswer> RefuseMismatch(const Json& object,
                                         const std::string& kind,
                                         const ApiTarget& target) {
  const std::string said = Text(object, "kind", kind.c_str());
  if (said != kind) {
    return BadRequest("kind: expected " + kind + " at this path, found " +
                      cluster::Quote(said));
  }
  const std::string place =
      Text(At(object, "metadata"), "namespace", target.namespace_name.c_str());
  if (place != target.namespace_name) {
    return BadRequest(
        "the namespace of the provided object does not match the namespace "
        "sent on the request");
  }
  return std::nullopt;
}

std::optional<cluster::Manifest> ReadObject(const HttpQuestion& question,
                                            const ApiTarget& target,
                                            const std::string& api_version,
                                            const std::string& kind,
                                            HttpAnswer& answer) {
  auto object = ParseBody(question, answer);
  if (!object) return std::nullopt;
  if (auto mismatch = RefuseMismatch(*object, kind, target)) {
    answer = *std::move(mismatch);
    return std::nullopt;
  }
  GiveName(*object);
  (*object)["kind"] = kind;
  object->emplace("apiVersion", api_version);
  const std::string name = Text(At(*object, "metadata"), "name");
  Admission admission = Admit(*object, question);
  if (admission.refused != 0) {
    answer = Answer(admission.refused,
                    WriteStatus(admission.refused, admission.why, kind, name));
    return std::nullopt;
  }
  answer.warnings = std::move(admission.warnings);
  try {
    return cluster::ReadManifest(*std::move(object), "the body",
                                 {.namespace_name = target.namespace_name});
  } catch (const cluster::InputError& error) {
    answer = Answer(422, WriteStatus(422, error.what(), kind, name));
    return std::nullopt;
  }
}

std::optional<std::string> ReadUidPrecondition(const HttpQuestion& question,
                                               HttpAnswer& refusal) {
  if (question.body.empty()) return "";
  const auto options = ParseBody(question, refusal);
  if (!options) return std::nullopt;
  return Text(At(*options, "preconditions"), "uid");
}

}  // namespace fluxnetes::services
