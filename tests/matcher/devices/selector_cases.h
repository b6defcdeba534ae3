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
// The same without the words of refusals and errors, which are each program's
// own.
std::string ToShortText(const SelectorOutcome& outcome);

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

// Selectors of the kinds that drivers and users have, on devices of several
// drivers: selector_corpus.json. With what came of each in Kubernetes, as
// ToShortText writes it, in the order of the devices.
struct SelectorCorpus {
  struct Selector {
    std::string expression;
    std::vector<std::string> outcomes;
  };
  std::vector<SelectorCase> devices;  // without expressions
  std::vector<Selector> selectors;
};
SelectorCorpus ReadSelectorCorpus();
// Writes the outcomes into the file.
void RecordSelectorCorpus(const SelectorCorpus& corpus);

}  // namespace fluxnetes::matcher
