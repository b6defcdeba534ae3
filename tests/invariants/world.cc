#include "tests/invariants/world.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cluster/json/request_json.h"

namespace fluxnetes::testing {
namespace {

using cluster::Resources;

Resources AmountsOf(const sql::Row& row) {
  Resources amounts;
  amounts.cpu_milli = row.Get<std::int64_t>("cpu_milli");
  amounts.memory_bytes = row.Get<std::int64_t>("memory_bytes");
  amounts.pods = 1;
  const auto other =
      nlohmann::json::parse(row.Find<std::string>("other").value_or("{}"));
  for (const auto& [name, amount] : other.items()) {
    if (name == "ephemeral-storage") {
      amounts.ephemeral_bytes = amount.get<std::int64_t>();
    } else {
      amounts.SetExtended(name, amount.get<std::int64_t>());
    }
  }
  return amounts;
}

}  // namespace

bool Lives(const cluster::Pod& pod) {
  return pod.phase != cluster::PodPhase::kSucceeded &&
         pod.phase != cluster::PodPhase::kFailed;
}

std::map<std::string, std::int64_t> ByName(const Resources& resources) {
  std::map<std::string, std::int64_t> amounts = {
      {"cpu", resources.cpu_milli},
      {"memory", resources.memory_bytes},
      {"ephemeral-storage", resources.ephemeral_bytes},
      {"pods", resources.pods}};
  amounts.insert(resources.extended.begin(), resources.extended.end());
  return amounts;
}

std::int64_t AmountOf(const std::map<std::string, std::int64_t>& amounts,
                      const std::string& name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? 0 : found->second;
}

void World::Read() {
  truth = scene.Truth();
  const std::size_t earlier = before == nullptr ? 0 : before->bindings;
  fresh_bindings = scene.Bindings(earlier);
  bindings = earlier + fresh_bindings.size();
  for (const auto& pod : truth.pods) pods[pod->uid] = pod;
  for (const auto& node : truth.nodes) nodes[node->name] = node;
  for (const auto& claim : scene.DeviceClaims())
    device_claims[Key(*claim)] = claim;
  sql::Transaction transaction(scene.database(),
                               sql::Isolation::kRepeatableRead);
  ReadGroups(transaction);
  ReadHeld(transaction);
  ReadJobs(transaction);
  CountUse();
  CountPools();
}

void World::ReadGroups(sql::Transaction& transaction) {
  for (const sql::Row row : transaction.RunScript(
           "SELECT *, (extract(epoch FROM submitted_at) * 1000000)::bigint AS "
           "submitted, coalesce((extract(epoch FROM went_back_at) * 1000000)"
           "::bigint, 0) AS went_back, cancel_reason IS NOT NULL AS cancelled, "
           "(SELECT count(*) FROM pods p WHERE p.group_id = g.id AND "
           "p.replaced_by IS NULL)::integer AS whole, EXISTS (SELECT FROM "
           "pod_groups x WHERE x.extends = g.id) AS grown, EXISTS (SELECT "
           "FROM external_groups e WHERE e.group_id = g.id) AS external "
           "FROM pod_groups g")) {
    Group group;
    group.id = row.Get<Id>("id");
    group.name = row.Get<std::string>("namespace") + "/" +
                 row.Get<std::string>("group_name");
    group.queue = row.Get<std::string>("queue");
    group.state = row.Get<std::string>("state");
    group.phase = row.Find<std::string>("phase").value_or("");
    group.size = row.Get<std::int32_t>("group_size");
    group.whole = row.Get<std::int32_t>("whole");
    group.revision = row.Get<std::int32_t>("revision");
    group.priority = row.Get<std::int32_t>("priority");
    group.first_in_line = row.Get<bool>("first_in_line");
    group.cancelled = row.Get<bool>("cancelled");
    group.grown = row.Get<bool>("grown");
    group.external = row.Get<bool>("external");
    group.extends = row.Find<Id>("extends").value_or(0);
    group.match_job = row.Find<Id>("match_job");
    group.submitted = row.Get<std::int64_t>("submitted");
    group.went_back = row.Get<std::int64_t>("went_back");
    groups[group.id] = group;
  }
  for (const sql::Row row : transaction.RunScript(
           "SELECT uid, group_id, state, node_name, request #>> "
           "'{topology,required}' AS together, coalesce((request #>> "
           "'{topology,wholeNodes}')::boolean, false) AS whole, coalesce("
           "request ->> 'inside', '') AS inside, request ->> 'topology' AS "
           "topology FROM pods")) {
    members[row.Get<std::string>("uid")] = {
        row.Get<Id>("group_id"),
        row.Get<std::string>("state"),
        row.Find<std::string>("node_name").value_or(""),
        row.Find<std::string>("together").value_or(""),
        row.Get<bool>("whole"),
        row.Get<std::string>("inside"),
        cluster::TopologyFromJson(
            row.Find<std::string>("topology").value_or(""))};
  }
  for (const sql::Row row :
       transaction.RunScript("SELECT uid FROM pods_provisional")) {
    provisional.insert(row.Get<std::string>("uid"));
  }
}

void World::ReadHeld(sql::Transaction& transaction) {
  for (const sql::Row row : transaction.RunScript(
           "SELECT *, floor(extract(epoch FROM starts_at))::bigint AS start, "
           "ceil(extract(epoch FROM ends_at))::bigint AS stop "
           "FROM allocations")) {
    allocations[row.Get<Id>("fluxion_job")] = {row.Get<Id>("term"),
                                               row.Get<std::string>("queue"),
                                               row.Get<std::int64_t>("start"),
                                               row.Find<std::int64_t>("stop"),
                                               row.Get<bool>("whole_nodes"),
                                               row.Get<bool>("aside")};
  }
  for (const sql::Row row : transaction.RunScript(
           "SELECT fluxion_job, k.key, k.value::bigint AS amount "
           "FROM allocations, jsonb_each_text(pools) AS k"))
    allocations.at(row.Get<Id>("fluxion_job"))
        .pools[row.Get<std::string>("key")] = row.Get<std::int64_t>("amount");
  for (const sql::Row row : transaction.RunScript("SELECT * FROM pools"))
    pool_totals[row.Get<std::string>("name")] = row.Get<std::int64_t>("total");
  for (const sql::Row row : transaction.RunScript(
           "SELECT *, held_until IS NOT NULL AS held FROM placements")) {
    const auto uid = row.Get<std::string>("pod_uid");
    const Place place{row.Get<Id>("fluxion_job"),
                      uid,
                      row.Get<std::string>("node_name"),
                      AmountsOf(row),
                      row.Get<bool>("held"),
                      row.Find<std::string>("parts").value_or(""),
                      row.Find<std::string>("devices").value_or("")};
    if (!places.emplace(uid, place).second) {
      Say(2, "pod {} has two places", uid);
    }
  }
  for (const sql::Row row : transaction.RunScript(
           "SELECT group_id, extract(epoch FROM starts_at)::float8 AS start "
           "FROM reservations")) {
    const Id id = row.Get<Id>("group_id");
    reservations[id] = {row.Find<double>("start"), groups.at(id).revision};
  }
}

void World::ReadJobs(sql::Transaction& transaction) {
  for (const sql::Row row : transaction.RunScript(
           "SELECT id, kind, state, coalesce((args ->> 'group')::bigint, 0) AS "
           "group_id, client_id IS NULL OR client_id IN (SELECT id FROM "
           "clients WHERE heartbeat_at + time_to_live > now()) AS living "
           "FROM jobs")) {
    jobs.push_back({row.Get<Id>("id"), row.Get<std::string>("kind"),
                    row.Get<std::string>("state"), row.Get<Id>("group_id"),
                    row.Get<bool>("living")});
  }
  for (const sql::Row row : transaction.RunScript(
           "SELECT (SELECT string_agg(q::text, ' ' ORDER BY name) FROM queues "
           "q)"
           " AS queues, (SELECT string_agg(a::text, ' ' ORDER BY name) FROM "
           "accounts a) AS accounts, NOT EXISTS (SELECT FROM match_inbox) AS "
           "taken")) {
    queues = row.Find<std::string>("queues").value_or("");
    accounts = row.Find<std::string>("accounts").value_or("");
    settled = row.Get<bool>("taken");
  }
  for (const sql::Row row :
       transaction.RunScript("SELECT name, node_selector::text FROM queues")) {
    selectors[row.Get<std::string>("name")] =
        nlohmann::json::parse(row.Get<std::string>("node_selector"))
            .get<std::map<std::string, std::string>>();
  }
  for (const sql::Row row : transaction.RunScript(
           "SELECT substr(name, 7) AS queue, term FROM leaders "
           "WHERE name LIKE 'match:%'")) {
    terms[row.Get<std::string>("queue")] = row.Get<Id>("term");
  }
  for (const sql::Row row :
       transaction.RunScript("SELECT node_name, queue FROM component_nodes")) {
    claims[row.Get<std::string>("node_name")] = row.Get<std::string>("queue");
  }
  for (const sql::Row row : transaction.RunScript(
           "SELECT name, extract(epoch FROM assumed_duration)::bigint AS "
           "seconds FROM queues WHERE assumed_duration IS NOT NULL")) {
    assumed_durations[row.Get<std::string>("name")] =
        row.Get<std::int64_t>("seconds");
  }
  const auto processes = scene.Processes();
  synced = true;
  bool led = processes.empty();
  for (const SchedulerProcess* process : processes) {
    synced = synced && HasHeardAll(process->cache);
    led = led || process->intake.leads();
  }
  settled = settled && synced && led;
  for (const LiveJob& job : jobs) {
    settled = settled && (job.kind == "match" || job.state == "running");
  }
  for (const auto& [id, group] : groups) {
    settled = settled && group.phase != "recalled";
  }
}

bool World::HasHeardAll(const cluster::ClusterCache& cache) const {
  const auto cached_pods = cache.Pods();
  const auto cached_nodes = cache.Nodes();
  const auto cached_claims = cache.AllocatedClaims();
  const auto allocated = std::ranges::count_if(
      device_claims,
      [](const auto& known) { return known.second->allocation.has_value(); });
  const auto same = [](const auto& cached, const auto& known) {
    return known != nullptr &&
           known->resource_version == cached->resource_version;
  };
  return cached_pods.size() == pods.size() &&
         cached_nodes.size() == nodes.size() &&
         std::ssize(cached_claims) == allocated &&
         std::ranges::all_of(cached_claims,
                             [&](const auto& claim) {
                               const auto found =
                                   device_claims.find(Key(*claim));
                               return found != device_claims.end() &&
                                      same(claim, found->second);
                             }) &&
         std::ranges::all_of(cached_pods,
                             [&](const auto& pod) {
                               const auto found = pods.find(pod->uid);
                               return found != pods.end() &&
                                      same(pod, found->second);
                             }) &&
         std::ranges::all_of(cached_nodes, [&](const auto& node) {
           const auto found = nodes.find(node->name);
           return found != nodes.end() && same(node, found->second);
         });
}

// Finds running pods of others that use, by name, a placement of an external
// group.
void World::CoverPods() {
  for (const auto& held : places) {
    const auto& place = held.second;  // clang's lambdas capture no binding
    if (!IsExternal(place.group)) continue;
    const auto pod = std::ranges::find_if(pods, [&](const auto& entry) {
      const cluster::Pod& it = *entry.second;
      return Lives(it) && it.node_name == place.node &&
             it.namespace_name + "/" + it.name == groups.at(place.group).name &&
             place.amounts.Holds(it.request.resources) &&
             !covered.contains(entry.first);
    });
    if (pod == pods.end()) continue;
    covered.insert(pod->first);
  }
}

// A live pod counts on its node, and where it is placed.
void World::CountUse() {
  CoverPods();
  for (const auto& [uid, pod] : pods) {
    if (!Lives(*pod) || pod->node_name.empty()) continue;
    const auto place = places.find(uid);
    const bool ours =
        place != places.end() && place->second.node == pod->node_name;
    if (covered.contains(uid)) continue;
    use[pod->node_name].all += pod->request.resources;
    if (ours && scene.GivenByOthers(uid)) {
      use[pod->node_name].adopted += pod->request.resources;
    }
    if (!ours) use[pod->node_name].others += pod->request.resources;
  }
  for (const auto& [uid, place] : places) {
    const auto pod = pods.find(uid);
    const bool counted = pod != pods.end() && Lives(*pod->second) &&
                         pod->second->node_name == place.node;
    if (!counted) use[place.node].all += place.amounts;
  }
}

void World::Ask(int number, const std::string& what,
                const std::string& question) {
  sql::Transaction transaction(scene.database());
  const sql::Result result = transaction.RunScript(question);
  const std::string answer =
      result.empty() ? "" : result[0].Find<std::string>(0).value_or("");
  if (!answer.empty()) Say(number, "{}: {}", what, answer);
}
}  // namespace fluxnetes::testing
