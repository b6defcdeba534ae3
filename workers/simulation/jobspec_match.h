// Whether, where and when the pods of a jobspec would be placed if they were
// submitted when a scenario begins, behind all that waits in it. The pods are
// those of the jobspec alone: they request its amounts, and nothing else.
//
// Of alternatives, each is tried by itself, and the one that starts first is
// the result; at equal starts the earlier one.
//
// Pure.
// Tests: tests/workers/simulation/jobspec_match_test.cc.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "workers/jobspecs/pod_jobspec.h"
#include "workers/simulation/simulation.h"

namespace fluxnetes::workers {

struct JobspecAsk {
  std::string text;
  // The number of pods, which a range of the jobspec needs.
  std::optional<std::int32_t> pods = {};
  std::string queue = {};  // empty: that of the jobspec, or "default"
  std::string namespace_name = "default";
};

struct JobspecMatch {
  enum class State : std::uint8_t {
    kNow,
    kReserved,  // at `start`
    kWaits,     // for groups that have no end: it fits when they are over
    kNever,     // not even if nothing ran
    kTooLong,   // stopped before it was known
  };
  struct Pod {
    std::string node;
    std::string parts;         // inside of its node (inside/parts_text.h)
    std::string resource_set;  // R version 1; empty: amounts alone
  };
  std::string refused;  // why the jobspec cannot be used; empty: it can
  State state = State::kNever;
  std::int64_t start = -1;  // on the scenario's clock
  std::vector<Pod> pods;    // if it has a start
  PodJobspec jobspec;       // the alternative
  std::string queue;
};

// `go_on` is called now and then; a result of false stops the search.
JobspecMatch MatchJobspec(const Scenario& scenario, const JobspecAsk& ask,
                          const std::function<bool()>& go_on);

// The word for a state: "now", "reserved", "waits", "never", "unknown".
std::string StateWord(JobspecMatch::State state);

}  // namespace fluxnetes::workers
