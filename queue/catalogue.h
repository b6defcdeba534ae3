// The queries that a pool must prepare for this library.
// Tests: tests/queue/store/pooling_pgtest.cc.
#pragma once

#include <span>

#include "sql/query.h"

namespace fluxnetes::queue {

std::span<const sql::Query> Catalogue();

}  // namespace fluxnetes::queue
