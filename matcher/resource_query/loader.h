// Loads the graph of a resource-query session.
#pragma once

#include <optional>
#include <string>

#include "matcher/fluxion/matcher.h"
#include "matcher/readers/text_source.h"
#include "matcher/resource_query/options.h"

namespace fluxnetes::matcher {

// The text of a file; nothing if it cannot be read or is larger than the
// largest graph.
std::optional<std::string> ReadFile(const std::string& path);

// A file that is read while it is needed; nothing if it cannot be opened.
std::optional<TextSource> OpenFile(const std::string& path);

// Throws GraphError or std::invalid_argument.
Matcher LoadMatcher(const QueryOptions& options);

}  // namespace fluxnetes::matcher
