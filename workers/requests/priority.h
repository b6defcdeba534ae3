// Raises or lowers the priority of a group that waits, at a user's request. The
// new priority replaces that of its pods until it is taken back; it is stored
// in the group's row, outlives a restart, and stays with a group that fills
// anew. The match owner reads the group again, so the pending order changes at
// once.
//
// Throws sql::Error.
// Tests: tests/workers/requests/priority_pgtest.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sql/connection/transaction.h"

namespace fluxnetes::workers {

enum class PriorityOutcome {
  kDone,
  kStarted,  // it has its nodes: its priority no longer counts
  kTooHigh,  // above that of its pods, and the caller may not raise it
  kUnknown,  // no unfinished group has this name
};

struct PriorityChange {
  PriorityOutcome outcome = PriorityOutcome::kDone;
  // The group's priority now; nullopt: that of its pods, which still arrive.
  std::optional<std::int32_t> priority = {};
  std::int32_t of_pods = 0;
};

// `priority` nullopt takes back what was set. `may_raise` is whether it may be
// above that of the pods. The caller commits if the outcome is kDone.
PriorityChange SetPriority(sql::Transaction& transaction,
                           const std::string& namespace_name,
                           const std::string& group_name,
                           std::optional<std::int32_t> priority,
                           bool may_raise);

}  // namespace fluxnetes::workers
