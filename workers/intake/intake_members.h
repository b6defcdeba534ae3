// Collects changes of members of active groups and writes them with a few
// statements: new versions, bindings, ends. If a pod was bound to another node
// than the one it was placed on, the API server is right and that node is
// charged.
//
// Part of a transaction of intake, on one thread.
// Tests: tests/workers/intake/intake_groups_pgtest.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cluster/cluster_cache.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::workers {

class MemberChanges {
 public:
  void SetVersion(const std::string& uid, const std::string& version);
  void Bind(const cluster::PodPointer& pod);
  // `state`: succeeded, failed or deleted. `pod`: its present state; null: it
  // is gone.
  void End(const std::string& uid, const std::string& state,
           const cluster::PodPointer& pod);

  // Returns the groups whose places changed.
  std::set<std::int64_t> Write(sql::Transaction& transaction,
                               cluster::Time now);

 private:
  std::set<std::int64_t> ChargePlaces(sql::Transaction& transaction,
                                      cluster::Time now);

  std::vector<std::string> versioned_, versions_;
  std::vector<std::string> ended_, ended_states_, ended_nodes_, lost_;
  std::vector<std::optional<std::string>> kubelet_rejections_;
  std::vector<cluster::PodPointer> bound_;
};

}  // namespace fluxnetes::workers
