#pragma once

#include <cstdint>

#include "matcher/jobspec/jobspec.h"

namespace fluxnetes::matcher {

// Returns how many to take of `available`, counting up from the minimum; 0 if
// they do not suffice.
std::uint64_t PlainTake(const Count& count, std::uint64_t available);

}  // namespace fluxnetes::matcher
