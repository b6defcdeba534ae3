#include <fmt/format.h>

#include "services/console/time_text.h"
#include "tests/services/support/random_groups.h"

namespace fluxnetes::services {
namespace {

std::string QuotedOrNull(const std::string& text) {
  return text.empty() ? "NULL" : "'" + text + "'";
}

}  // namespace

void RandomGroups::AddCluster() {
  sql_ += fmt::format(
      "INSERT INTO queues (name, queue_order, paused) VALUES"
      " ('fair', 'fair_share', false), ('shut', 'arrival', {});"
      "INSERT INTO clients (name) VALUES ('random');",
      Chance(0.8));
  for (int i = 0; i < 5; ++i) {
    const std::string name = fmt::format("n{}", i);
    pools_[name] = Any({"a", "b"});
    sql_ += fmt::format(
        "INSERT INTO nodes (node_name, cpu_milli, memory_bytes, pods,"
        " unschedulable, labels, seen_at) VALUES ('{}', {}, 1000, 110, {},"
        " '{{\"pool\": \"{}\"}}', now());",
        name, Pick(1, 8) * 1'000, Chance(0.2) ? "'cordoned'" : kNull,
        pools_[name]);
  }
  if (Chance(0.4))
    sql_ += fmt::format(
        "INSERT INTO maintenance (nodes, starts_at, ends_at, made_at) VALUES"
        " ('{{n1}}', {}, {}, now());",
        At(Pick(-600, 600)), Chance(0.5) ? At(3'600) : kNull);
  if (accounts_)
    sql_ +=
        "INSERT INTO accounts (name, namespace, quota) VALUES"
        " ('one', 'a', '{\"cpu\": \"4\"}'), ('two', 'b', '{}');";
}

// The match writes them by namespace if there are accounts.
void RandomGroups::AddReasons() {
  const std::vector<std::string> spaces =
      accounts_ ? std::vector<std::string>{"a", "b"}
                : std::vector<std::string>{""};
  for (const std::string queue : {"default", "fair", "shut"}) {
    for (int shape = 1; shape <= 3; ++shape) {
      for (const std::string& space : spaces) {
        if (Chance(0.3)) continue;
        const std::string kind =
            Any({"room", "order", "depth", "paused", "quota"});
        const std::string reason = fmt::format("{} keeps shape {} of {} {}",
                                               kind, shape, queue, space);
        reasons_[fmt::format("{} {} {}", queue, shape, space)] = reason;
        sql_ += fmt::format(
            "INSERT INTO wait_reasons (queue, shape, reason, since, kind,"
            " namespace) VALUES ('{}', {}, '{}', now(), '{}', '{}');",
            queue, shape, reason, kind, space);
      }
    }
  }
}

// Cancels or evicts the group, perhaps.
void RandomGroups::MayEnd(Row& row) {
  if (!Chance(0.15)) return;
  ExpectedGroup& group = groups_.back();
  row.evicted = group.holds && Chance(0.5);
  const std::string why =
      row.evicted ? "preempted by group a/other" : "by hand";
  group.reason = (row.evicted ? "being " : "being cancelled: ") + why;
  group.state = "ending";
  group.waits = group.ranked = false;
  group.start.reset();
  group.reservation.clear();
  row.others += fmt::format(
      "UPDATE pod_groups SET cancel_reason = '{}', preempted_for = {},"
      " comes_again = {} WHERE id = {};",
      why, row.evicted ? "1" : kNull, row.evicted, row.id);
}

void RandomGroups::MayReserve(Row& row, bool surely) {
  if (!surely && !Chance(0.4)) return;
  ExpectedGroup& group = groups_.back();
  const bool drain = Chance(0.3);
  const int start = Chance(0.2) ? Pick(-300, -1) : Pick(1, 5'000);
  group.reservation = drain ? "drain" : "reservation";
  if (!drain) group.start = now_ + std::chrono::seconds(start);
  if (group.state == "pending" || group.state == "reserved")
    group.state = drain ? "draining" : "reserved";
  row.others += fmt::format(
      "INSERT INTO reservations (group_id, queue, kind, starts_at, nodes,"
      " made_at) VALUES ({}, '{}', '{}', {}, '{{n0}}', now());",
      row.id, row.queue, group.reservation, drain ? kNull : At(start));
}

// Adds an estimate, perhaps, as the forecast or one before it has left it: also
// for groups that have started since, and with times that are over.
void RandomGroups::AddEstimate(Row& row) {
  if (Chance(0.3)) return;
  ExpectedGroup& group = groups_.back();
  const bool known = Chance(0.7);
  const int start = Chance(0.2) ? Pick(-300, -1) : Pick(1, 50'000);
  if (known && !group.start && (group.ranked || group.state == "deferred"))
    group.start = now_ + std::chrono::seconds(start);
  row.others += fmt::format(
      "INSERT INTO estimates (group_id, starts_at, approximate, rests_on,"
      " made_at, position) VALUES ({}, {}, {}, '{}', now(), {});",
      row.id, known ? At(start) : kNull, known && Chance(0.3),
      Any({"", "a/other ends by its deadline"}),
      row.queue == "fair" ? std::to_string(Pick(1, 900)) : kNull);
}

// Writes the group itself, and for one that waits or holds nodes what is to be
// said of its reason, its pods' nodes and its job.
void RandomGroups::Write(Row& row) {
  ExpectedGroup& group = groups_.back();
  row.id = group.id;
  row.name_space = group.name.substr(0, 1);
  row.name = group.name.substr(2);
  row.size = group.size;
  row.queue = Any({"default", "default", "fair", "shut"});
  row.shape = Pick(1, 3);
  if (!row.external && Chance(0.5)) row.pool = group.pool = Any({"a", "b"});
  group.reason = row.own;
  if (group.waits && row.own.empty()) {
    const auto known = reasons_.find(fmt::format(
        "{} {} {}", row.queue, row.shape, accounts_ ? row.name_space : ""));
    const bool pending = row.state == "pending";
    group.considered = known != reasons_.end() || !pending;
    group.reason = known != reasons_.end() ? known->second
                   : pending               ? "queued"
                             : "can never fit the cluster as it is";
  }
  sql_ += fmt::format(
      "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,"
      " priority, state, phase, reason, first_in_line, shape, submitted_at,"
      " promoted_at, allocated_at, went_back_at, bound_at, news_due,"
      " start_after, held_at, max_size) VALUES ({}, '{}', '{}', {}, '{}', {},"
      " '{}', {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});",
      row.id, row.name_space, row.name, row.size, row.queue, Pick(0, 2),
      row.state, QuotedOrNull(row.phase), QuotedOrNull(row.own),
      row.first_in_line, row.shape, At(kLongAgo + Pick(0, 600)),
      At(kLongAgo + 600), row.allocated_at, row.went_back_at, row.bound_at,
      At(-60), row.start_after, row.held_at, row.max_size);
  if (group.holds)
    sql_ += fmt::format(
        "INSERT INTO allocations (fluxion_job, group_id, queue, nodes,"
        " starts_at, ends_at, term) VALUES ({0}, {0}, '{1}', '{{n0,n1}}', {2},"
        " {3}, 1);",
        row.id, row.queue, At(-900), Chance(0.5) ? At(9'000) : kNull);
  if (group.waits)
    sql_ += fmt::format(
        "INSERT INTO jobs (kind, queue, args, state, client_id) SELECT 'match',"
        " 'match:{}', '{{\"group\": {}}}', {} FROM clients"
        " WHERE name = 'random';",
        row.queue, row.id, Chance(0.5) ? "'running', id" : "'available', NULL");
}

void RandomGroups::AddPod(Row& row, const std::string& state,
                          const std::string& replaced_by, bool placed) {
  const std::string uid = fmt::format("{}-{}", row.name, row.pods++);
  const std::string node = fmt::format("n{}", Pick(0, 1));
  if (state == "waiting" && !placed) ++groups_.back().waiting;
  const std::string selector =
      row.pool.empty()
          ? ""
          : fmt::format(R"(, "nodeSelector": {{"pool": "{}"}})", row.pool);
  sql_ += fmt::format(
      "INSERT INTO pods (uid, group_id, namespace, pod_name, asked_name, state,"
      " node_name, request, resource_version, created_at, replaced_by) VALUES"
      " ('{0}', {1}, '{2}', '{0}', '{3}', '{4}', {5}, '{{\"resources\":"
      " {{\"cpu\": \"1\", \"pods\": \"1\"}}{6}}}', '1', {7}, {8});",
      uid, row.id, row.name_space, row.name, state,
      QuotedOrNull(state == "waiting" ? "" : node), selector, At(kLongAgo),
      QuotedOrNull(replaced_by));
  if (placed)
    sql_ += fmt::format(
        "INSERT INTO placements (fluxion_job, pod_uid, node_name, cpu_milli,"
        " memory_bytes) VALUES ({}, '{}', '{}', 1000, 0);",
        row.id, uid, node);
}

}  // namespace fluxnetes::services
