// A group is held: as long as it is, it keeps its age and is not placed, and
// what was reserved for it is given up. What is kept of it are columns of its
// row (pod_groups.held_at); a group that fills is held when it is whole.
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
  kStarted,  // it cannot be held any more: it has its nodes
  kNotHeld,  // there was nothing to release
  kUnknown,  // no unfinished group has this name
};

// Of several groups of the name, those that have not started.
HoldOutcome HoldGroup(sql::Pool& pool, const std::string& namespace_name,
                      const std::string& group_name, const std::string& reason,
                      cluster::Time now);

// The label fluxnetes.hold of its pods holds it no more either.
HoldOutcome ReleaseGroup(sql::Pool& pool, const std::string& namespace_name,
                         const std::string& group_name, cluster::Time now);

// The same within a transaction, which is to be committed if it is kDone.
HoldOutcome HoldGroup(sql::Transaction& transaction,
                      const std::string& namespace_name,
                      const std::string& group_name, const std::string& reason,
                      cluster::Time now);
HoldOutcome ReleaseGroup(sql::Transaction& transaction,
                         const std::string& namespace_name,
                         const std::string& group_name, cluster::Time now);

}  // namespace fluxnetes::workers
