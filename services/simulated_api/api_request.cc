#include "services/simulated_api/api_request.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "cluster/text/json_field.h"
#include "cluster/text/quote.h"
#include "services/simulated_api/api_status.h"

namespace fluxnetes::services {

namespace {

using cluster::At;
using cluster::Text;
using Json = nlohmann::json;

constexpr int kDeepest = 64;
constexpr std::size_t kLongestName = 253;
constexpr std::size_t kSuffixLength = 5;

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

// RFC 1123 subdomain, as in Kubernetes: labels of a-z, 0-9 and '-', with dots.
bool IsSubdomain(const std::string& name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  if (name.empty() || name.size() > kLongestName) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (plain(name[i])) continue;
    const bool inside = i > 0 && i + 1 < name.size();
    if (!inside || (name[i] != '-' && name[i] != '.')) return false;
    // A dot has a letter or a digit on both sides.
    if (name[i] == '.' && (!plain(name[i - 1]) || !plain(name[i + 1]))) {
      return false;
    }
  }
  return true;
}

std::string RandomSuffix() {
  // Without vowels, as in Kubernetes.
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  thread_local std::minstd_rand random{std::random_device{}()};
  std::uniform_int_distribution<std::size_t> index(0, kLetters.size() - 1);
  std::string suffix;
  while (suffix.size() < kSuffixLength) suffix += kLetters[index(random)];
  return suffix;
}

// Returns metadata.name, or a name generated from metadata.generateName.
// Returns nullopt and sets `why` if there is neither or the name is invalid.
std::optional<std::string> ReadName(const Json& object, std::string& why) {
  const Json& metadata = At(object, "metadata");
  std::string name = Text(metadata, "name");
  const std::string prefix = Text(metadata, "generateName");
  if (name.empty() && !prefix.empty()) name = prefix + RandomSuffix();
  if (name.empty()) {
    why = "metadata.name: Required value: name or generateName is required";
    return std::nullopt;
  }
  if (!IsSubdomain(name)) {
    why = "metadata.name: Invalid value: " + cluster::Quote(name) +
          ": a lowercase RFC 1123 subdomain must consist of lower case "
          "alphanumeric characters, '-' or '.', and must start and end with "
          "an alphanumeric character";
    return std::nullopt;
  }
  return name;
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
                                            HttpAnswer& refusal) {
  auto object = ParseBody(question, refusal);
  if (!object) return std::nullopt;
  if (auto mismatch = RefuseMismatch(*object, kind, target)) {
    refusal = *std::move(mismatch);
    return std::nullopt;
  }
  std::string why;
  const auto name = ReadName(*object, why);
  if (!name) {
    refusal = Invalid(kind, Text(At(*object, "metadata"), "name"), why);
    return std::nullopt;
  }
  (*object)["kind"] = kind;
  object->emplace("apiVersion", api_version);
  (*object)["metadata"]["name"] = *name;
  try {
    return cluster::ReadManifest(*std::move(object), "the body",
                                 {.namespace_name = target.namespace_name});
  } catch (const cluster::InputError& error) {
    refusal = Answer(422, WriteStatus(422, error.what(), kind, *name));
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
