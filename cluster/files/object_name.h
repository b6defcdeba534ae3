// Names of objects, as API servers check and generate them. (Kubernetes:
// "Object Names and IDs".)
// Tests: tests/cluster/files/object_name_test.cc.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace fluxnetes::cluster {

// Returns what is wrong with metadata.name or, without one, with
// metadata.generateName; nothing: an API server takes them.
std::optional<std::string> WhatIsWrongWithName(const nlohmann::json& object);

// The same for a Job. Its name is also a label of its pods, so it has at most
// 63 characters; with `-INDEX` behind it, it is the host name of an Indexed
// Job's pods.
std::optional<std::string> WhatIsWrongWithJobName(const nlohmann::json& object);

// Returns the prefix with five letters behind it, which follow from the number.
// The prefix is cut so that the name has at most 63 characters.
std::string GeneratedName(std::string_view prefix, std::uint64_t number);

}  // namespace fluxnetes::cluster
