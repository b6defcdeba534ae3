// Reads values out of a YAML document and says where one is wrong:
//
//   line 7: resources[0].with[1].count: is "many"; a number of 0 or more is
//   right
//
// Only for sources of this folder: it includes yaml-cpp.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "matcher/jobspec.h"

namespace fluxnetes::matcher {

// A value and where it stands.
struct YamlPlace {
  YAML::Node node;
  std::string path;

  [[noreturn]] void Fail(std::string_view what) const;
  // A child; fails if it is not there.
  YamlPlace At(const char* key) const;
  YamlPlace At(std::size_t index) const;
  bool Has(const char* key) const;

  void RequireMap() const;
  void RequireSequence() const;
  // Fails if the map has a key that is not one of these, or one twice.
  void AllowOnly(std::initializer_list<std::string_view> keys) const;
  std::string Text() const;
  std::int64_t Integer(std::int64_t least, std::int64_t most) const;
  double Number() const;
};

Constraint ReadConstraint(const YamlPlace& place);

}  // namespace fluxnetes::matcher
