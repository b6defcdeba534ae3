// Reads a JGF document in one walk: nodes, then edges, whatever their order in
// the text.
// Tests: tests/matcher/readers/jgf_test.cc.
#pragma once

#include <functional>

#include "matcher/readers/json_stream.h"

namespace fluxnetes::matcher {

// Each function must read its value.
struct JgfVisitor {
  std::function<void(JsonStream& in, const JsonPath& node)> node;
  std::function<void(JsonStream& in, const JsonPath& edge)> edge;
  // For other keys of the document; null: they are skipped.
  std::function<void(JsonStream& in, const JsonPath& document,
                     std::string_view key)>
      other{};
};

// Throws GraphError.
void WalkJgf(const TextSource& source, const JgfVisitor& visitor);

}  // namespace fluxnetes::matcher
