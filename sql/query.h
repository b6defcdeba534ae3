// A named query. Queries stand in .sql files, are compiled in as constants and
// are prepared by name on every connection of a pool, so that a typo fails at
// start and not at noon.
#pragma once

#include <string_view>

namespace fluxnetes::sql {

struct Query {
  std::string_view name;
  std::string_view text;
};

}  // namespace fluxnetes::sql
