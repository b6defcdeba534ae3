// Compares what was sent to an API server with what it has stored, and that
// with what a simulated cluster has stored.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace fluxnetes::testing {

// Returns the first field of `sent` that the API server has not stored with the
// same value; empty: it has stored all. What it adds, such as defaults and
// volumes of the service account, does not count, nor does an absent field for
// false, 0 or nothing. Amounts are the same if their values are.
std::string FirstDifference(const nlohmann::json& sent,
                            const nlohmann::json& stored,
                            const std::string& path = "");

// Returns a Pod or Job, as any API server answers, as the simulated cluster
// would write it: without UID, version, time and a generated name, and without
// the labels and tolerations that Kubernetes adds.
std::string AsSimulated(nlohmann::json object);

}  // namespace fluxnetes::testing
