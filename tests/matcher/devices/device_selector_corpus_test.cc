// The corpus of selectors (selector_corpus.json) says what Kubernetes says. To
// record what that is, after a selector was added:
//
//   FLUXNETES_RECORD=1 hack/test 'DeviceSelectorCorpus.*'
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "tests/matcher/devices/selector_cases.h"

namespace fluxnetes::matcher {
namespace {

// Of one selector on each device.
std::vector<SelectorCase> CasesOf(const SelectorCorpus& corpus,
                                  const std::string& expression) {
  std::vector<SelectorCase> cases = corpus.devices;
  for (SelectorCase& one : cases) one.expression = expression;
  return cases;
}

TEST(DeviceSelectorCorpus, OursSayWhatIsRecorded) {
  const SelectorCorpus corpus = ReadSelectorCorpus();
  std::set<std::string> kinds;
  for (const SelectorCorpus::Selector& selector : corpus.selectors) {
    std::vector<std::string> said;
    for (const SelectorCase& one : CasesOf(corpus, selector.expression)) {
      said.push_back(ToShortText(Ours(one)));
      kinds.insert(said.back().substr(0, said.back().find(',')));
    }
    EXPECT_EQ(said, selector.outcomes) << selector.expression;
  }
  EXPECT_EQ(kinds,
            (std::set<std::string>{"true", "false", "error", "refused"}));
}

TEST(DeviceSelectorCorpus, KubernetesSaysWhatIsRecorded) {
  SelectorCorpus corpus = ReadSelectorCorpus();
  std::vector<SelectorCase> cases;
  for (const SelectorCorpus::Selector& selector : corpus.selectors) {
    for (SelectorCase& one : CasesOf(corpus, selector.expression)) {
      cases.push_back(std::move(one));
    }
  }
  std::string why;
  const auto outcomes = OfKubernetes(cases, why);
  if (!outcomes) GTEST_SKIP() << why;
  const bool record = std::getenv("FLUXNETES_RECORD") != nullptr;
  auto outcome = outcomes->begin();
  for (SelectorCorpus::Selector& selector : corpus.selectors) {
    std::vector<std::string> said;
    for (std::size_t i = 0; i < corpus.devices.size(); ++i) {
      said.push_back(ToShortText(*outcome++));
    }
    if (record) {
      selector.outcomes = said;
    } else {
      EXPECT_EQ(said, selector.outcomes) << selector.expression;
    }
  }
  if (record) RecordSelectorCorpus(corpus);
}

}  // namespace
}  // namespace fluxnetes::matcher
