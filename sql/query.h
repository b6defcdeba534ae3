// A named query. Queries are written in .sql files, compiled in as constants
// and prepared by name on a connection of a pool when it first runs them.
// Tests: tests/sql/connection/pool_pgtest.cc.
#pragma once

#include <string_view>

namespace fluxnetes::sql {

struct Query {
  std::string_view name;
  std::string_view text;
};

// A query that knows the number of its parameters, so that a call with fewer or
// more does not compile.
template <int kParameters>
struct QueryWith : Query {};

}  // namespace fluxnetes::sql
