// A resource version as a number, by which versions of one kind are compared;
// 0 if it is none. (Kubernetes API concepts: "Resource versions".)
//
// Pure.
#pragma once

#include <cstdint>
#include <string>

namespace fluxnetes::workers {

std::uint64_t VersionNumber(const std::string& version);

}  // namespace fluxnetes::workers
