// Keeps the tables `nodes` and `node_structures` for people: a copy of the
// nodes in the cache, with the amounts that other pods use of each, the number
// of its devices, and those that other pods have, written when one has changed;
// and each structure that nodes have. No decision reads them. One replica
// writes them at a time.
//
// Used by one thread. Throws sql::Error; what was not written is written by the
// next call.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/cluster_cache.h"
#include "cluster/scheduler_names.h"
#include "sql/connection/pool.h"

namespace fluxnetes::workers {

// The column `taints`: [{"key": ..., "value": ..., "effect": ...}].
std::string WriteTaints(const std::vector<cluster::Taint>& taints);
std::vector<cluster::Taint> ReadTaints(const std::string& json);

// How many devices slices have, by node and driver: of each pool those of its
// latest generation, and of these the ones that one node alone can use.
using DriverCounts = std::map<std::string, std::int64_t>;
std::map<std::string, DriverCounts> CountDevicesOfNodes(
    const std::vector<cluster::ResourceSlicePointer>& slices);

class NodeReporter {
 public:
  NodeReporter(sql::Pool& pool, const cluster::ClusterCache& cache,
               cluster::SchedulerNames schedulers)
      : pool_(pool), cache_(cache), schedulers_(std::move(schedulers)) {}

  // Notes that these nodes may have changed.
  void Note(const std::vector<std::string>& nodes);

  // Notes that slices and claims of devices may have changed.
  void NoteDevices(const cluster::ChangedDevices& changed);

  // Forgets what is in the table, as another replica may have written it: the
  // next Write() writes everything.
  void Forget();

  void Write(cluster::Time now);

 private:
  struct Report {
    cluster::Node node;
    cluster::Resources unmanaged;
    int occupants = 0;  // as in Schedule::SetUnmanaged()
    DriverCounts devices = {};
    std::string unmanaged_devices = "[]";
    bool operator==(const Report&) const = default;
  };

  Report ReportOf(const cluster::Node& node);
  void CountDevices();
  // Whether some of these nodes had a structure that they have no more.
  bool LeavesStructures(const std::vector<Report>& changed,
                        const std::vector<std::string>& gone) const;
  void Send(const std::vector<Report>& changed,
            const std::vector<std::string>& gone, cluster::Time now);

  sql::Pool& pool_;
  const cluster::ClusterCache& cache_;
  const cluster::SchedulerNames schedulers_;
  std::unordered_map<std::string, Report> written_;
  std::set<std::string> noted_;
  std::map<std::string, DriverCounts> devices_;  // by node
  bool slices_noted_ = true;
  // The nodes whose reports name devices of a claim, or have done so since the
  // claim changed last; by "namespace/name".
  std::unordered_map<std::string, std::set<std::string>> nodes_of_claim_;
  bool all_ = true;  // the table may have rows not in written_
};

}  // namespace fluxnetes::workers
