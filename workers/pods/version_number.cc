#include "workers/pods/version_number.h"

#include <charconv>

namespace fluxnetes::workers {

std::uint64_t VersionNumber(const std::string& version) {
  std::uint64_t number = 0;
  const char* const end = version.data() + version.size();
  const auto [stop, error] = std::from_chars(version.data(), end, number);
  return error == std::errc{} && stop == end ? number : 0;
}

}  // namespace fluxnetes::workers
