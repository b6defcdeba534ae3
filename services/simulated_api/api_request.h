// What a request to the Kubernetes API is about: its path taken apart, its body
// read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "cluster/files/manifest.h"
#include "services/http/http_server.h"

namespace fluxnetes::services {

// /api/v1/namespaces/a/pods/b/binding
// └prefix┘           └ns┘ └plural └name └subresource
struct ApiTarget {
  std::string prefix;          // "/api/v1", "/apis/batch/v1"
  std::string namespace_name;  // empty: all, or the object has none
  std::string plural;
  std::string name;         // empty: the whole collection
  std::string subresource;  // empty: the object itself
};

// Nothing for a path of another form.
std::optional<ApiTarget> ParseTarget(const std::string& path);

// The body as an object. On failure `refusal` says what is wrong, for people:
// not JSON, not an object, or nested deeper than 64.
std::optional<nlohmann::json> ParseBody(const HttpQuestion& question,
                                        HttpAnswer& refusal);

// Whether the object may be of this kind and in this namespace; else the
// answer that says why not.
std::optional<HttpAnswer> RefuseMismatch(const nlohmann::json& object,
                                         const std::string& kind,
                                         const ApiTarget& target);

// The object that the body wants created, checked as the API server checks it
// (manifest.h). What it does not say of its kind and namespace is taken from
// the path; its name may come from metadata.generateName. Nothing if it is
// refused: `refusal` says why.
std::optional<cluster::Manifest> ReadObject(const HttpQuestion& question,
                                            const ApiTarget& target,
                                            const std::string& api_version,
                                            const std::string& kind,
                                            HttpAnswer& refusal);

// preconditions.uid of a question's DeleteOptions; empty if there is none.
// Nothing: `refusal` says why they cannot be read.
std::optional<std::string> ReadUidPrecondition(const HttpQuestion& question,
                                               HttpAnswer& refusal);

}  // namespace fluxnetes::services
