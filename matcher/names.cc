#include "matcher/names.h"

#include <functional>

namespace fluxnetes::matcher {

NameId Names::Intern(std::string_view name) {
  const std::size_t hash = std::hash<std::string_view>{}(name);
  const NameId known =
      ids_.Find(hash, [&](NameId id) { return names_[id] == name; });
  if (known >= 0) return known;
  names_.emplace_back(name);
  ids_.Add(hash, size() - 1);
  return size() - 1;
}

std::optional<NameId> Names::Find(std::string_view name) const {
  const NameId found = ids_.Find(std::hash<std::string_view>{}(name),
                                 [&](NameId id) { return names_[id] == name; });
  if (found < 0) return std::nullopt;
  return found;
}

}  // namespace fluxnetes::matcher
