#include "workers/gates/volume_claim_gate.h"

#include <algorithm>
#include <utility>

#include "cluster/json/request_json.h"
#include "cluster/text/quote.h"
#include "workers/pods/group_labels.h"
#include "workers/pods/pod_claims.h"
#include "workers/pods/volume_rules.h"

namespace fluxnetes::workers {
namespace {

// How the reasons begin that are said here.
constexpr const char* kWaitsForVolumes = "waits for its volumes: ";

bool IsMember(const PendingGroup& group, const std::string& uid) {
  return std::ranges::any_of(
      group.members, [&](const Member& member) { return member.uid == uid; });
}

}  // namespace

void VolumeClaimGate::Clear() {
  claims_of_.clear();
  groups_of_.clear();
  kept_.clear();
  matched_.clear();
  noted_.clear();
  verdicts_.clear();
}

void VolumeClaimGate::Remove(GroupId group) {
  const auto known = claims_of_.find(group);
  if (known == claims_of_.end()) return;
  for (const std::string& claim : known->second) {
    const auto groups = groups_of_.find(claim);
    groups->second.erase(group);
    if (groups->second.empty()) groups_of_.erase(groups);
  }
  NoteRivals(known->second);
  claims_of_.erase(known);
  kept_.erase(group);
  matched_.erase(group);
  noted_.erase(group);
  verdicts_.erase(group);
}

void VolumeClaimGate::Note(const std::vector<std::string>& claims) {
  for (const std::string& claim : claims) {
    const auto groups = groups_of_.find(claim);
    if (groups == groups_of_.end()) continue;
    noted_.insert(groups->second.begin(), groups->second.end());
  }
}

void VolumeClaimGate::NoteRivals(const std::vector<std::string>& claims) {
  for (const std::string& key : claims) {
    const auto slash = key.find('/');
    const auto claim =
        cache_.VolumeClaimByName(key.substr(0, slash), key.substr(slash + 1));
    if (claim != nullptr && cluster::IsForOnePod(*claim)) Note({key});
  }
}

std::optional<PendingGroup> VolumeClaimGate::Put(PendingGroup group,
                                                 Schedule& schedule) {
  std::set<std::string> claims;
  for (const Member& member : group.members) {
    const auto pod = cache_.PodByUid(member.uid);
    if (pod == nullptr) continue;
    for (const std::string& claim : pod->volume_claims)
      claims.insert(ClaimKey(*pod, claim));
  }
  if (claims.empty()) return group;
  Remove(group.id);
  auto& known = claims_of_[group.id];
  known.assign(claims.begin(), claims.end());
  for (const std::string& claim : known) groups_of_[claim].insert(group.id);
  const Obstacle obstacle = Look(group, schedule);
  if (!obstacle.why.empty()) {
    Keep(std::move(group), obstacle);
    return std::nullopt;
  }
  if (!group.unsatisfiable && group.reason.starts_with(kWaitsForVolumes))
    Say(group, obstacle);
  group.reason.clear();
  matched_[group.id] = group;
  return group;
}

// The requests of what is kept may have been forgotten by the schedule; those
// of pods that are known are made anew.
bool VolumeClaimGate::AllAreKnown(const PendingGroup& group) const {
  return std::ranges::all_of(group.members, [this](const Member& member) {
    return cache_.PodByUid(member.uid) != nullptr;
  });
}

VolumeClaimGate::Obstacle VolumeClaimGate::Look(PendingGroup& group,
                                                Schedule& schedule) const {
  std::map<std::string, std::string> alone;  // pods, by claims for one
  for (Member& member : group.members) {
    const auto pod = cache_.PodByUid(member.uid);
    if (pod == nullptr) continue;
    for (const PodClaim& claim : ClaimsOf(*pod, cache_)) {
      if (claim.state == PodClaim::State::kWaits)
        return {claim.why, member.uid};
      if (!cluster::IsForOnePod(*claim.claim)) continue;
      const auto [other, first] = alone.try_emplace(claim.name, pod->name);
      std::string user = first ? WhoUses(group, *pod, claim.name, schedule)
                               : other->second + " of the same group";
      if (user.empty()) continue;
      return {"claim " + cluster::Quote(claim.name) +
                  ", which one pod may use at a time, is in use by pod " + user,
              member.uid};
    }
    GroupLabels labels = ReadGroupLabels(*pod, cache_);
    labels.topology = member.request->rules->topology;
    member.request = schedule.Intern(cluster::ToJson(
        WithLabels(WithVolumes(pod->request, *pod, cache_), labels)));
  }
  return {};
}

std::string VolumeClaimGate::WhoUses(const PendingGroup& group,
                                     const cluster::Pod& pod,
                                     const std::string& claim,
                                     const Schedule& schedule) const {
  for (const auto& user : cache_.PodsOfClaim(ClaimKey(pod, claim))) {
    if (IsMember(group, user->uid)) continue;
    if (!user->node_name.empty() || schedule.NodeOf(user->uid))
      return user->name;
  }
  return "";
}

void VolumeClaimGate::Keep(PendingGroup group, const Obstacle& obstacle) {
  const std::string reason = kWaitsForVolumes + obstacle.why;
  // With the name of the member, in the database.
  if (group.unsatisfiable || !group.reason.starts_with(reason))
    Say(group, obstacle);
  group.unsatisfiable = false;
  group.reason = reason;
  matched_.erase(group.id);
  const GroupId id = group.id;
  kept_[id] = std::move(group);
}

void VolumeClaimGate::Say(const PendingGroup& group, const Obstacle& obstacle) {
  Verdict& verdict = verdicts_[group.id];
  verdict = {group.id, group.revision, false, "", obstacle.member};
  if (!obstacle.why.empty()) verdict.reason = kWaitsForVolumes + obstacle.why;
}

std::vector<PendingGroup> VolumeClaimGate::LookAgain(Schedule& schedule) {
  std::vector<PendingGroup> ready;
  for (const GroupId id : std::exchange(noted_, {})) {
    std::optional<PendingGroup> group;
    if (const auto kept = kept_.find(id); kept != kept_.end()) {
      if (!AllAreKnown(kept->second)) {
        noted_.insert(id);
        continue;
      }
      group = std::move(kept->second);
      kept_.erase(kept);
    } else {
      group = schedule.Take(id);
    }
    if (!group) continue;
    const bool was_kept = !group->reason.empty();
    const Obstacle obstacle = Look(*group, schedule);
    if (!obstacle.why.empty()) {
      Keep(*std::move(group), obstacle);
      continue;
    }
    if (was_kept) Say(*group, obstacle);
    group->reason.clear();
    matched_[id] = *group;
    ready.push_back(*std::move(group));
  }
  return ready;
}

// From the last one on: of several that want the same the first one has it.
void VolumeClaimGate::HoldBack(Decision& decision, Schedule& schedule) {
  for (std::size_t i = decision.placed.size(); i-- > 0;) {
    const Placed& placed = decision.placed[i];
    const auto matched = matched_.find(placed.group);
    if (matched == matched_.end()) continue;
    PendingGroup group = matched->second;
    const Obstacle obstacle = Look(group, schedule);
    if (obstacle.why.empty()) continue;
    schedule.Undo(placed);
    Keep(std::move(group), obstacle);
    decision.placed.erase(decision.placed.begin() +
                          static_cast<std::ptrdiff_t>(i));
  }
  for (const Placed& placed : decision.placed) Remove(placed.group);
}

void VolumeClaimGate::AddVerdicts(Decision& decision) {
  PutFirst(std::exchange(verdicts_, {}), decision);
}

}  // namespace fluxnetes::workers
