#include "matcher/graph/names.h"

#include <cstring>

namespace fluxnetes::matcher {
namespace {

// Hashes eight bytes at a time: names are short and looked up by the million.
std::uint64_t HashOf(std::string_view name) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t hash = name.size();
  const auto mix = [&](const char* from, std::size_t bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, bytes);
    hash = (hash ^ word) * kOdd;
    hash ^= hash >> 29;
  };
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  constexpr std::size_t kHalf = kWord / 2;
  for (; name.size() >= kWord; name.remove_prefix(kWord)) {
    mix(name.data(), kWord);
  }
  if (name.size() >= kHalf) {
    mix(name.data(), kHalf);
    name.remove_prefix(kHalf);
  }
  for (const char c : name) mix(&c, 1);
  return hash;
}

}  // namespace

NameId Names::Intern(std::string_view name) {
  const std::uint64_t hash = HashOf(name);
  const NameId known =
      ids_.Find(hash, [&](NameId id) { return names_[id] == name; });
  if (known >= 0) return known;
  names_.emplace_back(name);
  ids_.Add(hash, size() - 1);
  return size() - 1;
}

std::optional<NameId> Names::Find(std::string_view name) const {
  const NameId found =
      ids_.Find(HashOf(name), [&](NameId id) { return names_[id] == name; });
  if (found < 0) return std::nullopt;
  return found;
}

}  // namespace fluxnetes::matcher
