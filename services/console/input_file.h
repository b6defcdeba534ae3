// Files that people hand to us: read whole, up to a limit, with errors that say
// which file and what is wrong with it.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace fluxnetes::services {

inline constexpr std::size_t kLargestInput = std::size_t{16} << 20U;

// Throws Failure (kFailed): it is not there, cannot be read, is a directory, or
// is larger than `limit` bytes.
std::string ReadInputFile(const std::string& path,
                          std::size_t limit = kLargestInput);

// The same from a stream, which errors call `name`.
std::string ReadInput(std::istream& in, const std::string& name,
                      std::size_t limit = kLargestInput);

// The *.yaml, *.yml and *.json of a directory, not of those below it, in order
// of name. Throws Failure if it cannot be read.
std::vector<std::string> ManifestFilesIn(const std::string& directory);

}  // namespace fluxnetes::services
