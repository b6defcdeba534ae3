// Pods that arrive when their group is already whole. A later pod of one of the
// group's owners takes the vacancy of a member that failed or was deleted, by
// completion index, else by an equal request, that of its own name first. If
// the held place can be used, the pod gets it at once. Otherwise (as when its
// node is in maintenance) it alone is matched, first in the pending order.
//
// A member on a node that is being deleted leaves its vacancy now, since its
// controller may replace it now (podReplacementPolicy: TerminatingOrFailed). It
// keeps its node until it is gone, which on a lost node may be never, so the
// replacement is matched: it gets other room, or that room once it is free.
//
// Without a vacancy the pod is surplus: a group of one in the group's place of
// the pending order, or growth of an elastic group.
//
// A *free* pod has no controller, or one of a kind of which it is unknown how
// it replaces pods. It takes the vacancy of another free member while the group
// lives: that of a member of its own name, however that ended, else of one that
// failed or was deleted and has an equal request. It is never surplus.
//
// Any other pod of another owner, one that arrives when the group is over, or
// one with which a group begins (GroupLabels::begins_group) is not taken: it
// waits for the next generation of the group.
//
// Part of a transaction of intake, on one thread; the groups are locked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cluster/cluster_cache.h"
#include "queue/store/work_queue.h"
#include "sql/connection/transaction.h"
#include "workers/intake/intake_groups.h"
#include "workers/pods/group_labels.h"

namespace fluxnetes::workers {

// The vacancy that a member left which failed, was deleted, or is being
// deleted.
struct Vacancy {
  std::string uid;  // of that member
  std::optional<int> completion_index;
  cluster::PodRequest request;      // the member's request
  std::optional<std::string> node;  // of the held place; nothing: none is held
  bool taken = false;
  std::string pod_name = {};    // of that member
  std::string owner_kind = {};  // of its controller; empty: it had none
  bool succeeded = false;       // only a free pod of its name repeats it
};

// Returns the vacancy that the pod of a group's owner takes; nothing if none
// suits it.
std::optional<std::size_t> FindVacancy(std::span<const Vacancy> vacancies,
                                       const cluster::Pod& pod);
// The same for a free pod.
std::optional<std::size_t> FindFreeVacancy(std::span<const Vacancy> vacancies,
                                           const cluster::Pod& pod);
bool IsFree(const cluster::Pod& pod);

// The kinds of controllers whose pods are not free (controller_state.h).
std::vector<std::string> PodMakingKinds();

class Latecomers {
 public:
  Latecomers(sql::Transaction& transaction, queue::WorkQueue& jobs,
             const cluster::ClusterCache& cache, cluster::Time now);

  // Adds a pod that counts for its group from now on, once or more often. It
  // must be in the provisional table when Receive() is called.
  void Add(cluster::PodPointer pod, GroupLabels labels);

  // Moves pods that an active group can use out of the provisional table.
  void Receive(GroupChanges& groups);

 private:
  struct Arrival {
    cluster::PodPointer pod;  // with what its labels ask of its node
    GroupLabels labels;
  };
  struct ActiveGroup {
    std::int64_t id = 0;
    std::string namespace_name;
    std::string group_name;
    std::int32_t group_size = 0;
    std::string queue;
    std::string account;
    std::optional<std::int32_t> max_size;
    cluster::GroupTopology topology;
    std::vector<std::string> owners;
    bool alive = false;  // some member has not ended, or it has grown
    std::vector<Vacancy> vacancies;
  };

  void ReadGroups();
  std::vector<std::string> FindLeaving();
  void ReadVacancies();
  void ReadMaintenance();
  void Receive(const Arrival& arrival);
  bool IsNamed(const ActiveGroup& group, const Arrival& arrival) const;
  ActiveGroup* GroupOf(const Arrival& arrival);
  bool PlaceCanBeUsed(const Vacancy& vacancy, const cluster::Pod& pod) const;
  void Take(ActiveGroup& group, Vacancy& vacancy, const cluster::Pod& pod);
  void Write(GroupChanges& groups);

  sql::Transaction& transaction_;
  queue::WorkQueue& jobs_;
  const cluster::ClusterCache& cache_;
  const cluster::Time now_;
  std::vector<Arrival> arrivals_;
  std::vector<ActiveGroup> groups_;  // the newest generation first
  std::set<std::string> closed_;  // nodes of vacancies that are in maintenance

  std::vector<std::string> replacing_, replaced_;
  std::vector<std::int64_t> replaced_in_, rematch_, rebind_;
  std::vector<bool> with_place_;
  std::vector<std::int64_t> surplus_of_;
  std::vector<std::optional<std::string>> surplus_;
};

}  // namespace fluxnetes::workers
