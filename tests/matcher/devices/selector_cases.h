// Selectors on devices, and what came of them, as the program
// tests/cluster_tools/selectors reads and writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "matcher/devices/device.h"

namespace fluxnetes::matcher {

struct SelectorCase {
  std::string expression;
  std::string driver;
  Device device;
};

struct SelectorOutcome {
  enum class Kind { kRefused, kError, kMatches, kMatchesNot };
  Kind kind = Kind::kRefused;
  std::string text;        // of a refusal or an error
  std::uint64_t cost = 0;  // if it was evaluated
};

std::string ToText(const SelectorOutcome& outcome);

// What ours makes of it.
SelectorOutcome Ours(const SelectorCase& selector_case);

// What Kubernetes makes of them; nothing, with the reason in `why`, if its
// program cannot be built.
std::optional<std::vector<SelectorOutcome>> OfKubernetes(
    const std::vector<SelectorCase>& cases, std::string& why);

// How the two differ; empty: they do not. What is refused with the name of what
// is not supported counts as equal.
std::string Difference(const SelectorOutcome& ours,
                       const SelectorOutcome& theirs);

}  // namespace fluxnetes::matcher
