//
// 1: a pod is recorded once; a group is promoted once, and only when complete.
// 2: either all pods of a group have a node or none has.
#include <cstdlib>

#include "tests/invariants/world.h"

namespace fluxnetes::testing {

void World::CheckRecordedOnce() {
  for (const std::string& uid : provisional) {
    if (members.contains(uid)) Say(1, "pod {} waits and is a member", uid);
  }
  for (const auto& [id, group] : groups) {
    if (group.whole != (group.external ? 0 : group.size)) {
      Say(1, "group {} of {} is active with {} members", group.name, group.size,
          group.whole);
    }
  }
  Ask(1, "groups that are over and live, or are over twice",
      "SELECT string_agg(group_id::text, ' ') FROM (SELECT group_id FROM "
      "group_history GROUP BY group_id HAVING count(*) > 1 UNION SELECT "
      "group_id FROM group_history WHERE group_id IN (SELECT id FROM "
      "pod_groups)) g");
  Ask(1, "groups whose members are miscounted",
      "SELECT string_agg(group_name || ' has ' || n || ', says ' || members, "
      "', ') FROM (SELECT g.group_name, g.members, (SELECT count(*) FROM "
      "pods_provisional p WHERE p.namespace = g.namespace AND p.group_name = "
      "g.group_name AND p.refused IS NULL AND NOT p.gated) AS n FROM "
      "groups_provisional g) c WHERE n <> members");
}

void World::CheckAllOrNone(bool calm) {
  for (const auto& [uid, member] : members) {
    const Group& group = groups.at(member.group);
    const bool alive = member.state == "waiting" || member.state == "bound";
    const auto place = places.find(uid);
    if (!group.Waits() && alive && place == places.end()) {
      Say(2, "group {} is {}, but pod {} has no place", group.name, group.state,
          uid);
    }
    if (place != places.end() && group.phase == "queued" &&
        !group.first_in_line) {
      Say(2, "group {} waits, but pod {} has a place", group.name, uid);
    }
    if (settled && group.state == "bound" && member.state == "waiting") {
      Say(2, "group {} is bound, but not pod {}", group.name, uid);
    }
  }
  for (const auto& [uid, place] : places) {
    const auto member = members.find(uid);
    if (IsExternal(place.group)) continue;
    if (member == members.end() || member->second.group != place.group) {
      Say(2, "group {} holds a place of pod {}, which is none of its members",
          place.group, uid);
    }
  }
  CheckExternal();
  if (calm) CheckTogether();
  CheckTopology();
  CheckWholeNodes();
  CheckLevels();
}

// An external group has placements only: for all of its pods or for none.
void World::CheckExternal() {
  std::map<Id, int> held;
  for (const auto& [uid, place] : places) ++held[place.group];
  for (const auto& [id, group] : groups) {
    if (!group.external) continue;
    const int wanted = group.Waits() ? 0 : group.size;
    if (held[id] != wanted) {
      Say(2, "external group {} is {} and has {} places of {}", group.name,
          group.state, held[id], wanted);
    }
    if (group.state == "bound")
      Say(2, "external group {} is bound", group.name);
  }
}

// Holds unless someone relabels nodes under pods or binds pods.
void World::CheckTopology() {
  std::map<Id, std::set<std::string>> values;
  std::set<Id> bound_by_others;
  for (const auto& [uid, place] : places) {
    const auto member = members.find(uid);
    if (member == members.end() || member->second.together.empty()) continue;
    if (scene.GivenByOthers(uid)) bound_by_others.insert(place.group);
    const auto node = nodes.find(place.node);
    if (node == nodes.end()) continue;
    const auto label = node->second->labels.find(member->second.together);
    values[place.group].insert(
        label == node->second->labels.end() ? "none" : label->second);
  }
  for (const auto& [group, domains] : values) {
    if (domains.size() > 1 && !bound_by_others.contains(group))
      Say(2, "group {} is split over {} values of what must be the same",
          groups.at(group).name, domains.size());
  }
}

// Holds unless someone binds pods. Pods by which a group has grown are its own.
void World::CheckWholeNodes() {
  const auto family_of = [&](Id group) {
    const auto found = groups.find(group);
    return found == groups.end() || found->second.extends == 0
               ? group
               : found->second.extends;
  };
  std::map<std::string, std::set<Id>> on;     // families by node
  std::map<std::string, std::set<Id>> whole;  // of these, with the node whole
  std::set<Id> bound_by_others;
  for (const auto& [uid, place] : places) {
    const Id family = family_of(place.group);
    if (scene.GivenByOthers(uid)) bound_by_others.insert(family);
    on[place.node].insert(family);
    const auto member = members.find(uid);
    if (member != members.end() && member->second.whole_nodes)
      whole[place.node].insert(family);
  }
  for (const auto& [node, families] : whole) {
    for (const Id group : families) {
      for (const Id other : on.at(node)) {
        if (group == other || bound_by_others.contains(group) ||
            bound_by_others.contains(other))
          continue;
        Say(2, "group {} has node {} for itself, but group {} is there", group,
            node, other);
      }
    }
  }
}

// Holds unless someone relabels nodes under pods or binds pods. Of a group that
// lacks places the numbers of pods say nothing. Pods that do not count are left
// out.
void World::CheckLevels() {
  std::map<Id, int> placed;
  std::map<Id, std::vector<std::string>> on;  // the nodes of a group's pods
  std::map<Id, cluster::GroupTopology> asked;
  std::set<Id> bound_by_others;
  for (const auto& [uid, place] : places) {
    const auto member = members.find(uid);
    if (member == members.end()) continue;
    if (scene.GivenByOthers(uid)) bound_by_others.insert(place.group);
    ++placed[place.group];
    asked[place.group] = member->second.topology;
    if (!member->second.topology.uncounted)
      on[place.group].push_back(place.node);
  }
  const auto check = [&](const Group& group, const char* what, int pods,
                         const std::map<std::string, int>& counts) {
    for (const auto& [where, here] : counts) {
      if (here % pods != 0)
        Say(2, "group {} has {} pods in {} {}, no multiple of {}", group.name,
            here, what, where, pods);
    }
  };
  for (const auto& [id, there] : on) {
    const auto found = groups.find(id);
    if (found == groups.end() || bound_by_others.contains(id)) continue;
    const Group& group = found->second;
    if (placed.at(id) != group.size) continue;
    const auto size = static_cast<int>(there.size());
    const cluster::GroupTopology& topology = asked.at(id);
    std::map<std::string, int> by_node;
    for (const std::string& node : there) ++by_node[node];
    const cluster::PodsPerNode& per_node = topology.per_node;
    if (per_node.pods > 0 && !per_node.at_most && size % per_node.pods == 0)
      check(group, "node", per_node.pods, by_node);
    for (const auto& [node, here] : by_node) {
      if (per_node.pods > 0 && here > per_node.pods)
        Say(2, "group {} has {} pods on node {}, more than {}", group.name,
            here, node, per_node.pods);
    }
    for (const cluster::TopologyLevel& level : topology.required_parts) {
      if (size % level.pods != 0) continue;  // a surplus pod
      std::map<std::string, int> by_value;
      for (const auto& [name, here] : by_node) {
        const auto node = nodes.find(name);
        if (node == nodes.end()) continue;
        const auto label = node->second->labels.find(level.key);
        by_value[label == node->second->labels.end() ? "none"
                                                     : label->second] += here;
      }
      const bool known = std::ranges::all_of(by_node, [&](const auto& each) {
        return nodes.contains(each.first);
      });
      if (known) check(group, "one value", level.pods, by_value);
    }
  }
}

// By the labels alone: of a complete gang all pods have a node or none has.
void World::CheckTogether() {
  std::map<std::string, std::pair<int, int>>
      gangs;  // pods, of them with a node
  std::map<std::string, int> sizes;
  for (const auto& [uid, pod] : pods) {
    const auto size = pod->labels.find("fluxnetes.group-size");
    if (pod->scheduler_name != kOurs || size == pod->labels.end()) continue;
    const std::string name =
        pod->namespace_name + "/" + pod->labels.at("fluxnetes.group-name");
    ++gangs[name].first;
    gangs[name].second += pod->node_name.empty() ? 0 : 1;
    sizes[name] = std::atoi(size->second.c_str());
  }
  for (const auto& [name, counts] : gangs) {
    if (counts.first > sizes[name]) continue;
    if (counts.second != 0 && counts.second != sizes[name]) {
      Say(2, "{} of {} pods of gang {} have a node", counts.second, sizes[name],
          name);
    }
  }
}
}  // namespace fluxnetes::testing
