#include "workers/bind/claim_release.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "matcher/devices/devices_text.h"
#include "sql/connection/transaction.h"
#include "sql/faults.h"
#include "workers/bind/bind_queries.h"
#include "workers/loops/groups_queries.h"

namespace fluxnetes::workers {
namespace {

using Names = std::vector<std::string>;

// Whether a placement with these devices is the reason for what the claim has.
bool IsReasonFor(const cluster::ResourceClaim& claim, const cluster::Pod& pod,
                 const std::string& devices) {
  for (const cluster::PodClaim& entry : pod.resource_claims) {
    if (entry.claim != claim.name) continue;
    cluster::ClaimDevices placed;
    for (const matcher::AllocatedDevice& each : matcher::ReadDevices(devices))
      if (each.claim == entry.name) placed.devices.push_back(each);
    if (cluster::SameDevices(placed, *claim.allocation)) return true;
  }
  return false;
}

}  // namespace

ClaimRelease::ClaimRelease(sql::Pool& pool, cluster::Cluster& cluster,
                           const cluster::ClusterCache& cache,
                           cluster::SchedulerNames schedulers)
    : pool_(pool),
      cluster_(cluster),
      cache_(cache),
      schedulers_(std::move(schedulers)) {}

std::vector<ClaimRelease::Use> ClaimRelease::Find() const {
  std::vector<Use> uses;
  for (const cluster::ResourceClaimPointer& claim :
       cache_.AllocatedClaimsOfWaitingPods()) {
    for (const cluster::ClaimConsumer& consumer : claim->reserved_for) {
      const cluster::PodPointer pod = cache_.PodByUid(consumer.uid);
      if (pod != nullptr && pod->node_name.empty() && !pod->terminating &&
          schedulers_.Contain(pod->scheduler_name))
        uses.push_back({claim, pod});
    }
  }
  return uses;
}

std::vector<cluster::ClaimRelease> ClaimRelease::Unplaced(
    sql::Transaction& transaction, const std::vector<Use>& uses) const {
  Names uids;
  for (const Use& use : uses) uids.push_back(use.pod->uid);
  transaction.Run(queries::kLockFillingGroups, Names(), Names(), uids);
  transaction.Run(queries::kLockActiveGroups, uids, Names(), Names(),
                  std::vector<std::int64_t>());
  std::unordered_map<std::string, std::string> devices;
  for (const sql::Row row : transaction.Run(queries::kReadDevicesOfPods, uids))
    devices[row.Get<std::string>("uid")] =
        row.Find<std::string>("devices").value_or("");
  std::map<std::string, cluster::ClaimRelease> releases;
  for (const Use& use : uses) {
    const auto placed = devices.find(use.pod->uid);
    if (placed != devices.end() &&
        IsReasonFor(*use.claim, *use.pod, placed->second))
      continue;
    cluster::ClaimRelease& release = releases[use.claim->uid];
    release.claim = use.claim;
    release.consumers.push_back(use.pod->uid);
  }
  std::vector<cluster::ClaimRelease> all;
  for (auto& [uid, release] : releases) all.push_back(std::move(release));
  return all;
}

int ClaimRelease::RunOnce() {
  if (!cache_.Synced() || sql::BugPlanted("claims-kept")) return 0;
  const std::vector<Use> uses = Find();
  if (uses.empty()) return 0;
  sql::Transaction transaction(pool_);
  const auto releases = Unplaced(transaction, uses);
  if (!releases.empty()) cluster_.ReleaseClaims(releases);
  transaction.Commit();
  return static_cast<int>(releases.size());
}

}  // namespace fluxnetes::workers
