// 5: writes that rely on a lease or term happen only while it is held.
// 8: times that are compared come from one clock.
#include "tests/invariants/world.h"

namespace fluxnetes::testing {

void World::CheckFencing() {
  const auto term_in = [](const World& world, const std::string& queue) {
    const auto found = world.terms.find(queue);
    return found == world.terms.end() ? 0 : found->second;
  };
  for (const auto& [id, allocation] : allocations) {
    if (allocation.term > term_in(*this, allocation.queue)) {
      Say(5, "group {} was placed in term {}, which is yet to come", id,
          allocation.term);
    }
    if (before == nullptr || before->allocations.contains(id)) continue;
    const Id begun = term_in(*before, allocation.queue);
    if (allocation.term < begun) {
      Say(5, "group {} was placed in term {}, but {} had begun", id,
          allocation.term, begun);
    }
  }
  for (const LiveJob& job : jobs) {
    if (!job.of_living_client && settled) {
      Say(5, "{} job {} is leased to a dead client", job.kind, job.id);
    }
  }
  CheckBindings();
}

// Each binding agrees with the records: the pod's node and its placement.
void World::CheckBindings() {
  if (!settled) return;
  for (const auto& binding : fresh_bindings) {
    const auto member = members.find(binding.uid);
    if (member == members.end()) continue;
    const auto place = places.find(binding.uid);
    if (member->second.node != binding.node ||
        (place != places.end() && place->second.node != binding.node)) {
      Say(5, "pod {} was bound to {}, but {} is recorded", binding.uid,
          binding.node, member->second.node);
    }
  }
}

void World::CheckClocks() {
  const std::string now =
      fmt::format("to_timestamp({}::float8 / 1000000) + interval '1 second'",
                  truth.now.time_since_epoch().count());
  Ask(8, "scheduling times that are yet to come",
      "SELECT string_agg(DISTINCT what, ' ') FROM ("
      "SELECT 'submitted' AS what, submitted_at AS at FROM pod_groups UNION "
      "ALL "
      "SELECT 'promoted', promoted_at FROM pod_groups UNION ALL "
      "SELECT 'allocated', allocated_at FROM pod_groups UNION ALL "
      "SELECT 'bound', bound_at FROM pod_groups UNION ALL "
      "SELECT 'first seen', first_seen_at FROM groups_provisional UNION ALL "
      "SELECT 'pod bound', bound_at FROM pods UNION ALL "
      "SELECT 'pod ended', ended_at FROM pods UNION ALL "
      "SELECT 'started', starts_at FROM allocations UNION ALL "
      "SELECT 'reserved', made_at FROM reservations UNION ALL "
      "SELECT 'reason', since FROM wait_reasons UNION ALL "
      "SELECT 'ended', ended_at FROM group_history) t WHERE at > " +
          now);
  Ask(8, "leases that are not of the database's clock",
      "SELECT string_agg(DISTINCT what, ' ') FROM ("
      "SELECT 'job' AS what, attempted_at AS at FROM jobs UNION ALL "
      "SELECT 'client', started_at FROM clients UNION ALL "
      "SELECT 'leader', acquired_at FROM leaders) t "
      "WHERE abs(extract(epoch FROM at - now())) > 36000");
}
}  // namespace fluxnetes::testing
