// 6: no pod is lost and nothing leaks.
#include <algorithm>

#include "tests/invariants/world.h"

namespace fluxnetes::testing {

void World::CheckNothingLost() {
  if (!settled) return;
  for (const auto& [uid, pod] : pods) {
    if (pod->scheduler_name != kOurs || pod->terminating) continue;
    const auto member = members.find(uid);
    const std::string name = cluster::Key(*pod);
    if (!Lives(*pod)) {
      if (member != members.end() && (member->second.state == "waiting" ||
                                      member->second.state == "bound")) {
        Say(6, "pod {} has ended, but is {}", name, member->second.state);
      }
    } else if (member == members.end()) {
      const bool others = !pod->node_name.empty() && scene.GivenByOthers(uid);
      if (!others && (!pod->node_name.empty() || !provisional.contains(uid))) {
        Say(6, "pod {} is recorded nowhere", name);
      }
    } else if (member->second.node != pod->node_name) {
      Say(6, "pod {} is on node '{}', but '{}' is recorded", name,
          pod->node_name, member->second.node);
    } else if (!pod->node_name.empty() && !places.contains(uid)) {
      Say(6, "pod {} runs, but has no place", name);
    }
  }
  for (const auto& [uid, member] : members) {
    if ((member.state == "waiting" || member.state == "bound") &&
        !pods.contains(uid)) {
      Say(6, "pod {} is gone, but is {}", uid, member.state);
    }
  }
  CheckPlaces();
}

void World::CheckPlaces() {
  std::set<Id> with_places;
  for (const auto& [uid, place] : places) {
    with_places.insert(place.group);
    const auto pod = pods.find(uid);
    const bool lives = pod != pods.end() && Lives(*pod->second);
    if (!lives && !place.held && !IsExternal(place.group)) {
      Say(6, "the place of pod {} on {} was never given back", uid, place.node);
    }
  }
  for (const auto& [id, allocation] : allocations) {
    // A group to be placed again keeps its row, and so does an elastic group
    // that has grown.
    const auto group = groups.find(id);
    if (with_places.contains(id)) continue;
    if (group == groups.end() ||
        !(group->second.Waits() || group->second.grown)) {
      Say(6, "allocation {} holds nothing", id);
    }
  }
  for (const std::string& uid : provisional) {
    if (!pods.contains(uid)) Say(6, "pod {} is gone, but waits", uid);
  }
}

// Each group has exactly the job that its state requires.
void World::CheckWork() {
  std::map<std::pair<std::string, Id>, std::vector<Id>> work;
  for (const LiveJob& job : jobs) {
    work[{job.kind, job.group}].push_back(job.id);
    if (settled && job.kind != "match" && job.state == "running") {
      Say(6, "{} job {} was never finished", job.kind, job.id);
    }
  }
  for (const auto& [id, group] : groups) {
    const auto& match = work[{"match", id}];
    if (group.Waits() && group.phase != "recalled" && !group.cancelled &&
        (!group.match_job ||
         std::ranges::find(match, *group.match_job) == match.end())) {
      Say(6, "group {} is {}, but nobody is to place it", group.name,
          group.state);
    }
    if (group.state == "allocated" && !group.cancelled && !group.external &&
        work[{"bind", id}].empty()) {
      Say(6, "group {} has its nodes, but nobody is to bind it", group.name);
    }
    if (group.external && !work[{"bind", id}].empty()) {
      Say(6, "group {} is to be bound by others", group.name);
    }
    if (settled && group.Waits() && match.size() > 1) {
      Say(6, "group {} has {} match jobs", group.name, match.size());
    }
  }
  for (const auto& [key, ids] : work) {
    if (settled && key.first == "match" && !groups.contains(key.second)) {
      Say(6, "match job {} is for a group that is gone", ids.front());
    }
  }
}
}  // namespace fluxnetes::testing
