// A group's name as typed: NAME, or NAMESPACE/NAME.
// Tests: tests/services/editing/cancel_pgtest.cc.
#pragma once

#include <string>

namespace fluxnetes::services {

struct GroupName {
  std::string namespace_name;
  std::string name;
  std::string Text() const { return namespace_name + "/" + name; }
};

// Uses `default_namespace` if the text names none.
inline GroupName ParseGroupName(const std::string& text,
                                const std::string& default_namespace) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return {default_namespace, text};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

}  // namespace fluxnetes::services
