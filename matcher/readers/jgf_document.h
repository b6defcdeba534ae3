// A JGF document, walked once from its beginning to its end: nodes, then
// edges, in whichever order they stand in the text.
#pragma once

#include <functional>

#include "matcher/readers/json_stream.h"

namespace fluxnetes::matcher {

// Each must read its value.
struct JgfVisitor {
  std::function<void(JsonStream& in, const JsonPath& node)> node;
  std::function<void(JsonStream& in, const JsonPath& edge)> edge;
  // Other keys of the document; null: they are skipped.
  std::function<void(JsonStream& in, const JsonPath& document,
                     std::string_view key)>
      other{};
};

// Throws GraphError.
void WalkJgf(const TextSource& source, const JgfVisitor& visitor);

}  // namespace fluxnetes::matcher
