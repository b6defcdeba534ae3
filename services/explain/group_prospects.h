// The changes that would let a waiting group start earlier. Each candidate is
// tried alone, by simulating the scheduler's decisions from its records on.
//
//   the whole queue resumed    if it is paused
//   another queue              that is not paused
//   more quota                 without the quota of one account
//   a larger pool              by as little as helps as much as possible
//   a (shorter) duration       24 h down to 1 min
//   fewer pods                 as many as could start at once
//   smaller pods               3/4, 1/2, 1/4 of each pod's requests
//
// If the simulation without a change does not reproduce the scheduler's own
// estimate, its results cannot be trusted and are not reported. Neither are
// those of a group that claims devices, unless the scenario has devices.
//
// Pure, except for the time limit.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workers/simulation/simulation.h"

namespace fluxnetes::services {

struct Prospect {
  std::string kind;        // resume, queue, quota, pool, duration, ...
  std::string change;      // for people: "in queue gpu"
  std::int64_t start = 0;  // estimated start, seconds since the epoch
};

struct Prospects {
  std::vector<Prospect> better;
  std::string unknown;   // why there is no result; empty: there is one
  bool complete = true;  // false: time ran out before all were tried
};

// The scheduler's own estimate.
struct ToldStart {
  std::optional<std::int64_t> at;  // nullopt: it is not known
  bool approximate = false;
};

Prospects FindProspects(const workers::Scenario& scenario, int group,
                        const ToldStart& told, std::chrono::milliseconds most);

}  // namespace fluxnetes::services
