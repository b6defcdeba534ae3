// A resource version as a number, to compare versions of one kind of object; 0
// if it is not a number. (Kubernetes API concepts: "Resource versions".)
//
// Pure.
#pragma once

#include <cstdint>
#include <string>

namespace fluxnetes::workers {

std::uint64_t VersionNumber(const std::string& version);

}  // namespace fluxnetes::workers
