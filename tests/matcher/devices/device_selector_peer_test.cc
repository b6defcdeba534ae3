// Selectors of devices beside those of Kubernetes
// (k8s.io/dynamic-resource-allocation/cel), on random expressions: they have
// the same result, the same cost, and errors and refusals for the same. A
// failing run names its seed; FLUXNETES_TEST_SEED runs it alone. The long form
// (FLUXNETES_TEST_LONG=1) has a hundred times as many expressions.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/matcher/devices/selector_cases.h"
#include "tests/matcher/random/random_selector.h"

namespace fluxnetes::matcher {
namespace {

constexpr int kCasesOfSeed = 1000;

std::vector<SelectorCase> RandomSelectorCases(unsigned seed) {
  Random random(seed);
  std::vector<SelectorCase> cases;
  for (int i = 0; i < kCasesOfSeed; ++i) {
    cases.push_back(
        {random.OneIn(10) ? DamagedSelector(random) : RandomSelector(random),
         "gpu.example.com", RandomDevice(random)});
  }
  return cases;
}

std::vector<unsigned> SelectorSeeds() {
  if (const char* only = std::getenv("FLUXNETES_TEST_SEED")) {
    return {static_cast<unsigned>(std::atoi(only))};
  }
  const bool is_long = std::getenv("FLUXNETES_TEST_LONG") != nullptr;
  std::vector<unsigned> seeds(is_long ? 400 : 4);
  for (unsigned i = 0; i < seeds.size(); ++i) seeds[i] = i + 1;
  return seeds;
}

TEST(DeviceSelectorPeer, RandomSelectorsSayWhatThoseOfKubernetesSay) {
  int evaluated = 0;
  for (const unsigned seed : SelectorSeeds()) {
    SCOPED_TRACE("FLUXNETES_TEST_SEED=" + std::to_string(seed));
    const std::vector<SelectorCase> cases = RandomSelectorCases(seed);
    std::string why;
    const auto theirs = OfKubernetes(cases, why);
    if (!theirs) GTEST_SKIP() << why;
    int differences = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const SelectorOutcome ours = Ours(cases[i]);
      const std::string difference = Difference(ours, (*theirs)[i]);
      if (!difference.empty() && ++differences <= 5) {
        ADD_FAILURE() << cases[i].expression << "\n" << difference;
      }
      evaluated += ours.kind == SelectorOutcome::Kind::kMatches ||
                   ours.kind == SelectorOutcome::Kind::kMatchesNot;
    }
    EXPECT_EQ(differences, 0);
    if (HasFailure()) break;
  }
  // Random expressions that all fail would show little.
  EXPECT_GT(evaluated, kCasesOfSeed / 10);
}

}  // namespace
}  // namespace fluxnetes::matcher
