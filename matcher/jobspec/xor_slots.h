// xor_slots side by side in a jobspec are alternatives, of which a job gets
// exactly one. A jobspec with xor_slots stands for many jobspecs without.
//
// Plain values.
// Tests: tests/matcher/jobspec/xor_slots_test.cc,
// tests/matcher/fluxion/matcher_alternatives_test.cc.
#pragma once

#include <vector>

#include "matcher/jobspec/jobspec.h"

namespace fluxnetes::matcher {

inline constexpr std::size_t kMaxXorVariants = 1'000;

bool HasXorSlots(const Jobspec& jobspec);

struct XorVariant {
  Jobspec jobspec;
  std::vector<int> origins;  // [resource]: which one it was before
};

// Returns the jobspecs that it stands for, earlier alternatives first, with
// their xor_slots turned into slots. Empty if there are more than
// kMaxXorVariants.
std::vector<XorVariant> ExpandXorSlots(const Jobspec& jobspec);

}  // namespace fluxnetes::matcher
