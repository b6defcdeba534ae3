#pragma once

#include <cstdint>

#include "matcher/jobspec/jobspec.h"

namespace fluxnetes::matcher {

// How many to take of `available`, counted up from the least; 0 where they do
// not do.
std::uint64_t PlainTake(const Count& count, std::uint64_t available);

}  // namespace fluxnetes::matcher
