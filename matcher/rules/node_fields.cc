#include "matcher/rules/node_fields.h"

#include <charconv>
#include <cstdint>

namespace fluxnetes::matcher {

const std::string* FieldOf(std::string_view field, const std::string& name,
                           std::string& room) {
  if (field == kNameField) return &name;
  if (field != kLogicalIdField) return nullptr;
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  std::int64_t id = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + digits, end, id);
  if (read.ec != std::errc() || read.ptr != end) return nullptr;
  room = std::to_string(id);
  return &room;
}

}  // namespace fluxnetes::matcher
