// A value of a JSON document and its place. The path of the place is only put
// together for an error: "graph.nodes[3].metadata.type: is not a text".
//
// Only for sources of this folder: it includes nlohmann_json.
// Tests: tests/matcher/readers/rv1exec_test.cc.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "matcher/readers/graph_error.h"

namespace fluxnetes::matcher {

class JsonPlace {
 public:
  using json = nlohmann::json;

  JsonPlace(const json& value, std::string name)
      : value_(value), name_(std::move(name)) {}
  JsonPlace(const json& value, std::string name, const JsonPlace& above)
      : value_(value), name_(std::move(name)), above_(&above) {}

  std::string Path() const;
  [[noreturn]] void Fail(std::string_view what) const;
  [[noreturn]] void Fail(const char* key, std::string_view what) const;

  bool Has(const char* key) const { return value_.contains(key); }
  const json& value() const { return value_; }

  const json& Require(const char* key, json::value_t type,
                      std::string_view what) const;
  const json& Object(const char* key) const {
    return Require(key, json::value_t::object, "an object");
  }
  const json& List(const char* key) const {
    return Require(key, json::value_t::array, "a list");
  }
  std::string Text(const char* key) const;
  std::string Text(const char* key, const std::string& otherwise) const {
    return value_.contains(key) ? Text(key) : otherwise;
  }
  std::int64_t Integer(const char* key, std::int64_t least,
                       std::int64_t most) const;
  std::int64_t Integer(const char* key, std::int64_t least, std::int64_t most,
                       std::int64_t otherwise) const {
    return value_.contains(key) ? Integer(key, least, most) : otherwise;
  }
  double Number(const char* key, double otherwise) const;
  bool Flag(const char* key) const;  // false if it is missing

 private:
  const json& value_;
  std::string name_;
  const JsonPlace* above_ = nullptr;
};

// Throws GraphError if the text is too long, nested too deeply or not JSON.
nlohmann::json ParseJson(std::string_view text);

std::optional<std::int64_t> ParseInteger(std::string_view text);
// Returns the digits at the end of a name.
std::string_view TrailingDigits(std::string_view name);

}  // namespace fluxnetes::matcher
