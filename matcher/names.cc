#include "matcher/names.h"

namespace fluxnetes::matcher {

NameId Names::Intern(std::string_view name) {
  if (const auto known = Find(name)) return *known;
  names_.emplace_back(name);
  ids_.emplace(names_.back(), size() - 1);
  return size() - 1;
}

std::optional<NameId> Names::Find(std::string_view name) const {
  const auto found = ids_.find(name);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

}  // namespace fluxnetes::matcher
