#include "workers/bind/binder.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "cluster/json/request_json.h"
#include "cluster/text/quote.h"
#include "cluster/text/timestamp.h"
#include "sql/faults.h"
#include "workers/bind/bind_queries.h"
#include "workers/bind/bind_room.h"
#include "workers/bind/bind_topology.h"
#include "workers/loops/group_jobs.h"
#include "workers/pods/group_labels.h"
#include "workers/pods/pod_rules.h"
#include "workers/pods/version_number.h"
#include "workers/pods/volume_rules.h"

namespace fluxnetes::workers {
namespace {

using cluster::BindOutcome;
using cluster::Quote;
using nlohmann::json;

constexpr std::chrono::milliseconds kLongestClaimDelay{5'000};
// A server that crashed before this process began is up again after this time,
// and POSTs made under leases that it lost have arrived.
constexpr std::chrono::minutes kYoung{1};

}  // namespace

Binder::Binder(sql::Pool& pool, queue::WorkQueue& jobs,
               const queue::Client& client, cluster::Cluster& cluster,
               const cluster::ClusterCache& cache, Options options)
    : pool_(pool),
      jobs_(jobs),
      leased_(jobs, client, kBindQueue, sql::Durability::kNoWait,
              options.handover),
      cluster_(cluster),
      cache_(cache),
      options_(std::move(options)),
      claims_(cache),
      devices_(cache),
      started_(std::chrono::steady_clock::now()),
      limit_(std::max(1, options_.batch / 8)) {}

bool Binder::RunOnce(cluster::Time now) {
  // Before that, an existing node or pod may look deleted.
  if (!cache_.Synced()) return false;
  broken_ = pool_.broken();
  const auto jobs = leased_.Lease(limit_);
  if (jobs.empty()) return false;
  sql::Failpoint("bind-leased");
  const bool more = std::ssize(jobs) == limit_;
  if (more && options_.on_more) options_.on_more();
  try {
    Bind(jobs, now);
  } catch (...) {
    if (options_.binding_ledger != nullptr)
      options_.binding_ledger->End(begun_, {}, {});
    throw;
  }
  return more;
}

void Binder::Bind(const std::vector<queue::Job>& jobs, cluster::Time now) {
  std::vector<BindGroup> groups = Read(jobs);
  std::int64_t pods = 0;
  for (const BindGroup& group : groups) pods += std::ssize(group.members);
  pods = std::max<std::int64_t>(pods, std::ssize(jobs));
  limit_ =
      std::max(1, static_cast<int>(options_.batch * std::ssize(jobs) / pods));
  try {
    for (BindGroup& group : groups) {
      Check(group);
      CheckTopology(group);
      CheckClaims(group, now);
      CheckDevices(group, now);
    }
    CheckRoom(groups);
    Confirm(groups);
    AnnounceNodes(groups);
    AllocateDevices(groups, now);
    sql::Failpoint("bind-confirmed");
    Post(groups);
    for (BindGroup& group : groups) {
      if (!group.problem.empty() && OthersMayPost(group)) TouchUnbound(group);
    }
  } catch (const cluster::Unreachable&) {
    leased_.PutOff(options_.retry);
    throw;
  }
  sql::Failpoint("bind-posted");
  Record(groups, now);
  sql::Failpoint("bind-recorded");
  Announce(groups, now);
}

std::vector<Binder::BindGroup> Binder::Read(
    const std::vector<queue::Job>& jobs) {
  std::map<GroupId, BindGroup> groups;
  std::vector<BindGroup> read;
  std::vector<GroupId> ids;
  for (const queue::Job& job : jobs) {
    const json args = json::parse(job.args);
    BindGroup group;
    group.job = job;
    group.revision = args.at("revision").get<int>();
    group.id = args.at("group").get<GroupId>();
    const auto [known, added] = groups.emplace(group.id, group);
    ids.push_back(group.id);
    if (added) continue;
    // Two jobs of a group in one batch: only the newest revision is bound.
    if (known->second.revision < group.revision)
      std::swap(known->second, group);
    read.push_back(group);
  }
  for (const sql::Row row :
       sql::RunAlone(pool_, queries::kReadMembersToBind, ids)) {
    BindGroup& group = groups.at(row.Get<std::int64_t>("group_id"));
    if (row.Get<std::int32_t>("revision") != group.revision) continue;
    group.allocated_at = cluster::Time(std::chrono::microseconds(
        row.Find<std::int64_t>("allocated_us").value_or(0)));
    const cluster::GroupTopology topology = cluster::TopologyFromJson(
        row.Find<std::string>("topology").value_or(""));
    group.whole_nodes = row.Get<bool>("whole_nodes");
    if (row.Get<std::string_view>("pod_state") == "bound") {
      group.there.emplace_back(row.Find<std::string>("node_name").value_or(""),
                               topology);
      continue;
    }
    group.members.push_back(
        {row.Get<std::string>("uid"), row.Get<std::string>("namespace"),
         row.Get<std::string>("pod_name"),
         row.Get<std::string>("resource_version"),
         row.Find<std::string>("node_name").value_or(""), false, false, "",
         nullptr, row.Find<std::string>("resource_set").value_or(""),
         row.Find<std::string>("devices").value_or(""), topology});
  }
  for (auto& [id, group] : groups) read.push_back(std::move(group));
  return read;
}

void Binder::Check(BindGroup& group) const {
  for (BoundMember& member : group.members) {
    const cluster::PodPointer pod = cache_.PodByUid(member.uid);
    const cluster::NodePointer node = cache_.NodeByName(member.node);
    if (pod == nullptr || pod->terminating) {
      group.waits = true;  // intake records its end, or the watch is behind
    } else if (!pod->node_name.empty()) {
      member.bound = true;
      member.node = pod->node_name;
    } else if (member.node.empty()) {
      group.problem = "pod " + member.pod_name + " has no place";
    } else if (node == nullptr) {
      group.problem = "node " + member.node + " is gone";
    } else if (const auto why = cluster::WhyClosed(*node); !why.empty()) {
      group.problem = "node " + member.node + " is " + why;
    } else if (!Suits(*node, WithVolumes(pod->request, *pod, cache_))) {
      group.problem =
          "node " + member.node + " no longer admits pod " + member.pod_name;
    } else if (member.resource_version != pod->resource_version &&
               VersionNumber(member.resource_version) <=
                   VersionNumber(pod->resource_version)) {
      member.resource_version = pod->resource_version;
      group.newer = true;
    }
    member.pod = pod;
  }
}

void Binder::CheckTopology(BindGroup& group) const {
  if (sql::BugPlanted("rack-forgotten") || sql::BugPlanted("levels-forgotten"))
    return;
  if (group.waits || !group.problem.empty()) return;
  NodesOfPods all;
  NodesOfPods counted;
  const auto add = [&](const std::string& node, bool bound,
                       const cluster::GroupTopology& topology) {
    (bound ? all.there : all.nodes).push_back(node);
    if (!topology.uncounted)
      (bound ? counted.there : counted.nodes).push_back(node);
  };
  for (const auto& [node, topology] : group.there) add(node, true, topology);
  for (const BoundMember& member : group.members)
    add(member.node, member.bound, member.topology);
  if (!group.members.empty())
    group.problem =
        WhyNotPlaced(group.members.front().topology, all, counted, cache_);
  if (!group.whole_nodes || sql::BugPlanted("whole-nodes-forgotten")) return;
  std::set<std::string> looked;
  for (const BoundMember& member : group.members) {
    if (!group.problem.empty()) return;
    if (!member.bound && looked.insert(member.node).second)
      group.problem = WhyNotAlone(member.node, options_.schedulers, cache_);
  }
}

void Binder::CheckClaims(BindGroup& group, cluster::Time now) {
  std::string awaited;
  for (const BoundMember& member : group.members) {
    if (group.waits || !group.problem.empty()) return;
    if (member.bound || member.pod->volume_claims.empty()) continue;
    BindClaims::Look look = claims_.Check(*member.pod, member.node);
    group.problem = look.problem;
    if (!look.awaited.empty()) awaited = std::move(look.awaited);
    std::ranges::move(look.to_announce,
                      std::back_inserter(group.announcements));
  }
  if (awaited.empty() || !group.problem.empty()) return;
  // Volumes take seconds to be made, or never are.
  Await(group, now, "claim " + Quote(awaited) + " waits for its volume");
}

void Binder::Await(BindGroup& group, cluster::Time now,
                   const std::string& awaited) const {
  using std::chrono::milliseconds;
  const auto age =
      std::chrono::duration_cast<milliseconds>(now - group.allocated_at);
  const auto said = ScheduleTimeoutOf(*group.members.front().pod, cache_);
  const auto allowed = std::min<milliseconds>(
      options_.claim_timeout, said.value_or(options_.claim_timeout));
  if (age < allowed) {
    group.waits = true;
    group.delay = std::clamp(age / 4, options_.retry, kLongestClaimDelay);
    group.awaited = awaited + ", until " +
                    cluster::FormatTimestamp(group.allocated_at + allowed);
  } else {
    group.problem = awaited + ", and has not got it in time";
  }
}

void Binder::CheckDevices(BindGroup& group, cluster::Time now) const {
  for (const BoundMember& member : group.members) {
    if (group.waits || !group.problem.empty()) return;
    if (member.bound || member.pod->request.rules->resource_claims.empty())
      continue;
    BindDevices::Look look =
        devices_.Check(*member.pod, member.node, member.devices);
    group.problem = std::move(look.problem);
    group.waits = look.waits;
    std::ranges::move(look.to_write, std::back_inserter(group.device_claims));
  }
  if (!group.waits && group.problem.empty() &&
      BindDevices::AreWritten(group.device_claims)) {
    for (const cluster::ClaimAllocation& each : group.device_claims)
      CheckConditions(group, each.devices, *each.claim, now);
  }
}

void Binder::CheckConditions(BindGroup& group,
                             const cluster::ClaimDevices& devices,
                             const cluster::ResourceClaim& claim,
                             cluster::Time now) const {
  if (group.waits || !group.problem.empty()) return;
  const BindDevices::Conditions conditions =
      BindDevices::ConditionsOf(devices, claim);
  if (!conditions.failed.empty()) {
    group.problem = conditions.failed;
  } else if (!conditions.awaited.empty()) {
    Await(group, now, conditions.awaited);
  }
  // At once it would get the same devices.
  group.refused |= !group.problem.empty();
}

void Binder::AllocateDevices(std::vector<BindGroup>& groups,
                             cluster::Time now) {
  std::vector<cluster::ClaimAllocation> writes;
  std::vector<BindGroup*> of;
  for (BindGroup& group : groups) {
    if (group.waits || !group.problem.empty() || group.members.empty())
      continue;
    for (cluster::ClaimAllocation& each : group.device_claims) {
      writes.push_back(std::move(each));
      of.push_back(&group);
    }
  }
  if (writes.empty()) return;
  const std::vector<std::size_t> positions = BindDevices::Merge(writes);
  const auto results = cluster_.AllocateClaims(writes);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const cluster::ClaimResult& result = results[positions[i]];
    const std::string claim =
        "the ResourceClaim " + Quote(writes[positions[i]].claim->name);
    switch (result.outcome) {
      case cluster::ClaimOutcome::kWritten:
        if (result.claim != nullptr)
          CheckConditions(*of[i], writes[positions[i]].devices, *result.claim,
                          now);
        break;
      case cluster::ClaimOutcome::kConflict:
        of[i]->problem = claim + " has been given other devices";
        break;
      case cluster::ClaimOutcome::kGone:
        of[i]->waits =
            true;  // intake records that its pods are not as they were
        break;
      case cluster::ClaimOutcome::kRefused:
        of[i]->refused = true;
        of[i]->problem = claim + ": " + result.message;
        break;
    }
  }
  sql::Failpoint("bind-devices-written");
}

void Binder::AnnounceNodes(std::vector<BindGroup>& groups) {
  std::vector<cluster::NodeAnnouncement> announcements;
  std::vector<BindGroup*> of;
  for (BindGroup& group : groups) {
    if (!group.problem.empty() || group.members.empty()) continue;
    for (const cluster::NodeAnnouncement& each : group.announcements) {
      announcements.push_back(each);
      of.push_back(&group);
    }
  }
  if (announcements.empty()) return;
  const auto results = cluster_.Announce(announcements);
  for (std::size_t i = 0; i < results.size(); ++i) {
    switch (results[i].outcome) {
      case cluster::AnnounceOutcome::kWritten:
        claims_.Note(announcements[i]);
        break;
      case cluster::AnnounceOutcome::kConflict:  // the watch is behind
        break;
      case cluster::AnnounceOutcome::kRefused:
        of[i]->waits = false;
        of[i]->refused = true;
        of[i]->problem = "claim " + Quote(announcements[i].claim_name) + ": " +
                         results[i].message;
        break;
    }
  }
}

void Binder::CheckRoom(std::vector<BindGroup>& groups) {
  // These planted bugs of the match would be caught here.
  if (sql::BugPlanted("others-forgotten") || sql::BugPlanted("node-shared"))
    return;
  BindRoom room(cache_);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].waits || !groups[i].problem.empty()) continue;
    for (const BoundMember& member : groups[i].members) {
      if (!member.bound) room.Add(i, *member.pod, member.node);
    }
  }
  for (const auto& [i, node] : room.Crowded())
    groups[i].problem = "node " + node + " was filled by others meanwhile";
}

void Binder::Confirm(std::vector<BindGroup>& groups) {
  std::vector<GroupId> ids;
  for (const BindGroup& group : groups) {
    if (group.newer) ids.push_back(group.id);
  }
  if (ids.empty()) return;
  std::map<GroupId, int> revisions;
  for (const sql::Row row :
       sql::RunAlone(pool_, queries::kReadRevisions, ids)) {
    revisions[row.Get<std::int64_t>("id")] = row.Get<std::int32_t>("revision");
  }
  for (BindGroup& group : groups) {
    if (!group.newer) continue;
    const auto found = revisions.find(group.id);
    if (found == revisions.end() || found->second != group.revision)
      group.members.clear();
  }
}

bool Binder::StillAllocated(const BindGroup& group) {
  const sql::Result read = sql::RunAlone(pool_, queries::kReadRevisions,
                                         std::vector<GroupId>{group.id});
  return !read.empty() &&
         read[0].Get<std::int32_t>("revision") == group.revision;
}

cluster::Binding Binder::BindingOf(const BoundMember& member) {
  cluster::Binding binding{member.namespace_name, member.pod_name, member.uid,
                           member.resource_version, member.node};
  if (!member.resource_set.empty())
    binding.annotations[cluster::kResourceSetAnnotation] = member.resource_set;
  return binding;
}

void Binder::Post(std::vector<BindGroup>& groups) {
  std::vector<cluster::Binding> bindings;
  std::vector<BoundMember*> members;
  std::vector<BindGroup*> of;
  for (BindGroup& group : groups) {
    if (group.waits || !group.problem.empty()) continue;
    for (BoundMember& member : group.members) {
      if (member.bound) continue;
      bindings.push_back(BindingOf(member));
      members.push_back(&member);
      of.push_back(&group);
    }
  }
  if (sql::BugPlanted("half-bound") && bindings.size() > 1) {
    bindings.resize(bindings.size() / 2);
  }
  if (options_.binding_ledger != nullptr) {
    begun_.clear();
    for (const cluster::Binding& binding : bindings)
      begun_.push_back(binding.uid);
    options_.binding_ledger->Begin(begun_);
  }
  const auto results = cluster_.Bind(bindings, options_.deadline);
  for (std::size_t i = 0; i < results.size(); ++i) {
    Settle(*of[i], *members[i], results[i]);
  }
  for (BindGroup& group : groups) {
    for (const BoundMember& member : group.members) {
      if (!member.problem.empty()) group.problem = member.problem;
    }
  }
}

void Binder::Settle(BindGroup& group, BoundMember& member,
                    const cluster::BindResult& result) {
  if (result.outcome == BindOutcome::kBound) {
    member.bound = member.posted = true;
    return;
  }
  member.problem = "pod " + member.pod_name + ": " + result.message;
  group.refused |= result.outcome == BindOutcome::kRefused;
  if (result.outcome != BindOutcome::kConflict) return;
  const auto pod = cluster_.GetPod(member.namespace_name, member.pod_name);
  if (!pod || pod->uid != member.uid || pod->terminating) return;
  if (!pod->node_name.empty()) {
    member.bound = true;
    member.node = pod->node_name;
    member.problem.clear();
    return;
  }
  if (!StillAllocated(group)) return;
  cluster::Binding again = BindingOf(member);
  again.resource_version = pod->resource_version;
  const auto second = cluster_.Bind({&again, 1}, options_.deadline);
  group.refused |= second.front().outcome == BindOutcome::kRefused;
  if (second.front().outcome == BindOutcome::kBound) {
    member.bound = true;
    member.problem.clear();
  }
}

// False for the first lease of a job, if no crash can have undone an earlier
// one.
bool Binder::OthersMayPost(const BindGroup& group) const {
  return group.job.attempt > 1 || pool_.broken() > 0 ||
         std::chrono::steady_clock::now() - started_ < kYoung;
}

void Binder::TouchUnbound(BindGroup& group) try {
  std::vector<BoundMember*> members;
  std::vector<cluster::ObjectName> pods;
  for (BoundMember& member : group.members) {
    if (member.bound) continue;
    members.push_back(&member);
    pods.push_back({"Pod", member.namespace_name, member.pod_name, member.uid});
  }
  const auto results = cluster_.Touch(pods);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (results[i].bound != nullptr) {
      members[i]->bound = true;
      members[i]->node = results[i].bound->node_name;
    } else if (!results[i].resource_version.empty()) {
      members[i]->resource_version = results[i].resource_version;
    }
  }
} catch (const cluster::Refused&) {
  group.refused = true;
  if (group.job.attempt == 1) return;
  // A binding of another process cannot be stopped.
  group.waits = true;
  group.problem.clear();
  group.delay = options_.after_refusal;
}

}  // namespace fluxnetes::workers
