// Random devices, and random selectors of them, for tests: of all types and
// functions that are supported, now and then with a type that does not fit.
#pragma once

#include <string>
#include <vector>

#include "matcher/devices/device.h"
#include "tests/matcher/random/random_graph.h"

namespace fluxnetes::matcher {

// Of the driver "gpu.example.com".
Device RandomDevice(Random& random);

std::string RandomSelector(Random& random);

// A text that is malformed somewhere, or not.
std::string DamagedSelector(Random& random);

}  // namespace fluxnetes::matcher
