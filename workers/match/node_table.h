// Keeps the table `nodes` for people: a copy of the nodes as the cache has
// them, with what others than us use of each, written when one has changed.
// Nothing is decided by it. One replica writes it at a time.
//
// One thread. Throws sql::Error; what was not written comes with the next call.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/cluster_cache.h"
#include "sql/connection/pool.h"

namespace fluxnetes::workers {

// The column `taints`: [{"key": ..., "value": ..., "effect": ...}].
std::string WriteTaints(const std::vector<cluster::Taint>& taints);
std::vector<cluster::Taint> ReadTaints(const std::string& json);

class NodeTable {
 public:
  NodeTable(sql::Pool& pool, const cluster::ClusterCache& cache,
            std::string scheduler_name)
      : pool_(pool),
        cache_(cache),
        scheduler_name_(std::move(scheduler_name)) {}

  // These may have changed.
  void Note(const std::vector<std::string>& nodes);

  // Another may have written the table: everything is written anew.
  void Forget();

  void Write(cluster::Time now);

 private:
  struct Report {
    cluster::Node node;
    cluster::Resources foreign;
    bool operator==(const Report&) const = default;
  };

  Report ReportOf(const cluster::Node& node) const;
  void Send(const std::vector<Report>& changed,
            const std::vector<std::string>& gone, cluster::Time now);

  sql::Pool& pool_;
  const cluster::ClusterCache& cache_;
  const std::string scheduler_name_;
  std::unordered_map<std::string, Report> written_;
  std::set<std::string> noted_;
  bool all_ = true;  // the table may have others than those written
};

}  // namespace fluxnetes::workers
