// Loads the graph of a resource-query session.
// Tests: tests/matcher/resource_query/session_test.cc.
#pragma once

#include <optional>
#include <string>

#include "matcher/fluxion/matcher.h"
#include "matcher/readers/text_source.h"
#include "matcher/resource_query/options.h"

namespace fluxnetes::matcher {

// Returns the text of a file; nothing if it cannot be read or is larger than
// kMaxGraphBytes.
std::optional<std::string> ReadFile(const std::string& path);

// Returns a file that is read on demand; nothing if it cannot be opened.
std::optional<TextSource> OpenFile(const std::string& path);

// Throws GraphError or std::invalid_argument.
Matcher LoadMatcher(const QueryOptions& options);

}  // namespace fluxnetes::matcher
