// The queries that a pool must have prepared for the workers, beside those of
// the work queue (queue::Catalogue).
// Tests: tests/workers/intake/intake_pgtest.cc.
#pragma once

#include <span>

#include "sql/query.h"

namespace fluxnetes::workers {

std::span<const sql::Query> Catalogue();

}  // namespace fluxnetes::workers
