// The parsed path and body of a request to the Kubernetes API.
// Tests: tests/services/simulated_api/cluster_api_test.cc.
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
  std::string namespace_name;  // empty: all namespaces, or a kind without one
  std::string plural;
  std::string name;         // empty: the whole collection
  std::string subresource;  // empty: the object itself
};

// Returns nullopt for a path of another form.
std::optional<ApiTarget> ParseTarget(const std::string& path);

// Returns the body as an object. On failure sets `refusal` to a message for
// people: Protobuf, not JSON, not an object, or nested deeper than 64.
std::optional<nlohmann::json> ParseBody(const HttpQuestion& question,
                                        HttpAnswer& refusal);

// Returns nullopt if the object's kind and namespace match the target, else the
// error answer.
std::optional<HttpAnswer> RefuseMismatch(const nlohmann::json& object,
                                         const std::string& kind,
                                         const ApiTarget& target);

// Returns the object to create from the body, checked as the API server checks
// it (manifest.h), and admitted (api_admission.h). A missing kind or namespace
// is taken from the path; the name may come from metadata.generateName. Sets
// the warnings of `answer`; if the object is refused, returns nullopt and sets
// all of it.
std::optional<cluster::Manifest> ReadObject(const HttpQuestion& question,
                                            const ApiTarget& target,
                                            const std::string& api_version,
                                            const std::string& kind,
                                            HttpAnswer& answer);

// Returns preconditions.uid of the request's DeleteOptions; empty if there is
// none. Returns nullopt and sets `refusal` if they cannot be read.
std::optional<std::string> ReadUidPrecondition(const HttpQuestion& question,
                                               HttpAnswer& refusal);

}  // namespace fluxnetes::services
