// The fields of a node that a requirement can be on, besides labels: its name,
// and its logical id, by which the match policies order nodes. That is the
// number at the end of its name; other nodes have none here.
//
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace fluxnetes::matcher {

inline constexpr const char* kNameField = "metadata.name";
inline constexpr const char* kLogicalIdField = "fluxnetes.logical-id";

// Returns the value of the field; null if the node has none. `room` holds the
// value where it is not the name itself.
const std::string* FieldOf(std::string_view field, const std::string& name,
                           std::string& room);

}  // namespace fluxnetes::matcher
