#include "cluster/cached_kind.h"

#include <charconv>

namespace fluxnetes::cluster {
namespace {

// 0 if the version is not a number.
std::uint64_t NumberOf(const std::string& version) {
  std::uint64_t number = 0;
  const char* const end = version.data() + version.size();
  const auto [stop, error] = std::from_chars(version.data(), end, number);
  return error == std::errc{} && stop == end ? number : 0;
}

}  // namespace

void KindVersions::See(const std::string& version) {
  newest_ = std::max(newest_, NumberOf(version));
}

bool KindVersions::IsLate(const std::string& version,
                          const std::string* held) const {
  const std::uint64_t number = NumberOf(version);
  if (number == 0) return false;
  if (held == nullptr) return !listing_ && number <= newest_;
  return listing_ ? version == *held : number <= NumberOf(*held);
}

}  // namespace fluxnetes::cluster
