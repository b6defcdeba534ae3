// What would let a waiting group start earlier: each change of it that might,
// tried by running the scheduler's decisions ahead from its records, with that
// change and nothing else.
//
//   the whole line resumed     if its queue is paused
//   another queue              that is not paused
//   more quota                 without that of one account
//   a (shorter) duration       24 h down to 1 min
//   fewer pods                 as many as could start at once
//   smaller pods               3/4, 1/2, 1/4 of what each asks for
//
// Nothing is said where these runs cannot be trusted: where the run without any
// change does not find what the scheduler itself has said of the group.
//
// Pure, but for the time that it takes.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workers/simulation/simulation.h"

namespace fluxnetes::services {

struct Prospect {
  std::string kind;        // resume, queue, quota, duration, ...
  std::string change;      // for people: "in queue gpu"
  std::int64_t start = 0;  // when it would start, seconds since the epoch
};

struct Prospects {
  std::vector<Prospect> better;
  std::string unknown;   // why nothing can be said; empty: all is said
  bool complete = true;  // else the time was over before all was tried
};

// What the scheduler has said of it.
struct ToldStart {
  std::optional<std::int64_t> at;  // nothing: that it is not known
  bool approximate = false;
};

Prospects FindProspects(const workers::Scenario& scenario, int group,
                        const ToldStart& told, std::chrono::milliseconds most);

}  // namespace fluxnetes::services
