// Input files: read whole, up to a limit; errors name the file and the fault.
// Tests: tests/services/submit/submit_test.cc.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace fluxnetes::services {

inline constexpr std::size_t kLargestInput = std::size_t{16} << 20U;

// Throws Failure (kFailed) for a file that does not exist, cannot be read, is a
// directory, or is larger than `limit` bytes.
std::string ReadInputFile(const std::string& path,
                          std::size_t limit = kLargestInput);

// As ReadInputFile(), from a stream that errors call `name`.
std::string ReadInput(std::istream& in, const std::string& name,
                      std::size_t limit = kLargestInput);

// Returns the *.yaml, *.yml and *.json files of a directory, without
// subdirectories, in order of name. Throws Failure if it cannot be read.
std::vector<std::string> ManifestFilesIn(const std::string& directory);

}  // namespace fluxnetes::services
