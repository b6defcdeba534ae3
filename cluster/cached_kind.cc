#include "cluster/cached_kind.h"

#include <charconv>

namespace fluxnetes::cluster {
namespace {

// 0 if the version is not a number.
std::uint64_t VersionNumber(const std::string& version) {
  std::uint64_t number = 0;
  const char* const end = version.data() + version.size();
  const auto [stop, error] = std::from_chars(version.data(), end, number);
  return error == std::errc{} && stop == end ? number : 0;
}

}  // namespace

void KindVersions::BeginList() {
  listing_ = true;
  forgotten_ = 0;
  gone_.clear();
  gone_in_order_.clear();
}

void KindVersions::See(const std::string& version) {
  if (listing_) forgotten_ = std::max(forgotten_, VersionNumber(version));
}

void KindVersions::SeeDeleted(const std::string& key,
                              const std::string& version) {
  const std::uint64_t number = VersionNumber(version);
  if (number == 0) return;
  std::uint64_t& gone = gone_[key];
  gone = std::max(gone, number);
  gone_in_order_.emplace_back(key, number);
  if (gone_in_order_.size() <= kMostGone) return;
  const auto& [oldest, deleted_at] = gone_in_order_.front();
  forgotten_ = std::max(forgotten_, deleted_at);
  if (const auto at = gone_.find(oldest);
      at != gone_.end() && at->second <= deleted_at)
    gone_.erase(at);
  gone_in_order_.pop_front();
}

bool KindVersions::IsLate(const std::string& key, const std::string& version,
                          const std::string* held) const {
  const std::uint64_t number = VersionNumber(version);
  if (number == 0) return false;
  if (held != nullptr)
    return listing_ ? version == *held : number <= VersionNumber(*held);
  if (listing_) return false;
  const auto gone = gone_.find(key);
  return number <= forgotten_ ||
         (gone != gone_.end() && number <= gone->second);
}

}  // namespace fluxnetes::cluster
