// The queries that a pool must have prepared to be used by this library.
#pragma once

#include <span>

#include "sql/query.h"

namespace fluxnetes::queue {

std::span<const sql::Query> Catalogue();

}  // namespace fluxnetes::queue
