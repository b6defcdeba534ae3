// Holds and releases groups at a user's request. A held group keeps its age, is
// not placed, and loses its reservation. The hold is stored in its row
// (pod_groups.held_at); a group that fills can be held, too.
//
// Throws sql::Error.
#pragma once

#include <string>

#include "cluster/objects/pod.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::workers {

enum class HoldOutcome {
  kDone,
  kStarted,  // it cannot be held: it has its nodes
  kNotHeld,  // there was no hold to release
  kUnknown,  // no unfinished group has this name
};

// Of several groups of the name, holds those that have not started.
HoldOutcome HoldGroup(sql::Pool& pool, const std::string& namespace_name,
                      const std::string& group_name, const std::string& reason,
                      cluster::Time now);

// Releases the group, also from the label fluxnetes.hold of its pods.
HoldOutcome ReleaseGroup(sql::Pool& pool, const std::string& namespace_name,
                         const std::string& group_name, cluster::Time now);

// The same within a transaction, which the caller commits if the outcome is
// kDone.
HoldOutcome HoldGroup(sql::Transaction& transaction,
                      const std::string& namespace_name,
                      const std::string& group_name, const std::string& reason,
                      cluster::Time now);
HoldOutcome ReleaseGroup(sql::Transaction& transaction,
                         const std::string& namespace_name,
                         const std::string& group_name, cluster::Time now);

}  // namespace fluxnetes::workers
