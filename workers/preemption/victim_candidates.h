// The groups that may be evicted for a waiting one, with what they hold where
// that one may go, and of the pools that it needs: the first to be evicted
// first, which is the lowest priority first, among equals the last that
// started.
//
// Owned by one thread.
// Tests: tests/workers/schedule/preemption_test.cc,
// tests/workers/schedule/reclaim_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "workers/accounts/quotas.h"
#include "workers/pending/reservation_plan.h"
#include "workers/preemption/preemption.h"

namespace fluxnetes::workers {

struct VictimCandidate {
  GroupId group = 0;
  std::int32_t priority = 0;
  matcher::Time start = 0;
  std::optional<matcher::Time> end;  // as it is
  matcher::Time evicted_end = 0;
  bool lent = false;  // not for its priority
  // By node, or pool.
  std::map<matcher::NodeIndex, Amounts> holds;
  bool out = false;
};

// Whether a task of the gang may use the node, however full it is.
bool MayGo(const ScheduleGraph& graph, const matcher::Gang& gang,
           matcher::NodeIndex node);

// Whether what the group asks for is within its quota and those above it, once
// these groups have given back what they hold.
bool StaysWithinQuota(const Quotas& quotas, const WaitingGroup& group,
                      const std::vector<GroupId>& without);

// `gang`: that of the group, on the nodes where it may go. Groups that end
// before they could be gone, or that would be gone after the group is given up,
// are left out.
std::vector<VictimCandidate> GatherCandidates(ScheduleGraph& graph,
                                              const Quotas& quotas,
                                              const WaitingGroup& group,
                                              const matcher::Gang& gang,
                                              Lack lack, Preemption preemption,
                                              matcher::Time now);

}  // namespace fluxnetes::workers
