#include "tests/services/support/random_groups.h"

#include <fmt/format.h>

#include <functional>

#include "services/console/time_text.h"

namespace fluxnetes::services {
namespace {

constexpr int kGroups = 24;

std::string Quoted(const std::string& text) { return "'" + text + "'"; }

}  // namespace

RandomGroups::RandomGroups(std::uint64_t seed, sql::Timestamp now)
    : random_(seed),
      now_(now),
      accounts_(seed % 3 == 0),
      next_id_(static_cast<std::int64_t>(seed) * 1'000) {
  sql_ =
      "DELETE FROM pod_groups; DELETE FROM groups_provisional;"
      "DELETE FROM pods_provisional; DELETE FROM group_history;"
      "DELETE FROM allocations; DELETE FROM wait_reasons;"
      "DELETE FROM maintenance; DELETE FROM accounts; DELETE FROM nodes;"
      "DELETE FROM jobs; DELETE FROM clients WHERE name = 'random';"
      "DELETE FROM queues WHERE name <> 'default';"
      "DELETE FROM match_inbox; DELETE FROM growth_inbox;";
  AddCluster();
  AddReasons();
  const std::vector<std::function<void()>> kinds = {
      [this] { AddIncomplete(); },
      [this] { AddRefused(); },
      [this] { AddFinished(); },
      [this] { AddWaiting("queued"); },
      [this] { AddWaiting("reserved"); },
      [this] { AddWaiting("deferred"); },
      [this] { AddWaiting("held"); },
      [this] { AddWaiting("recalled"); },
      [this] { AddUnsatisfiable(); },
      [this] { AddPlaced(/*bound=*/false); },
      [this] { AddPlaced(/*bound=*/true); },
      [this] { AddBoundInPart(); },
      [this] { AddSentBack(); },
      [this] { AddExternal(); }};
  for (int i = 0; i < kGroups; ++i)
    kinds[static_cast<std::size_t>(
        Pick(0, static_cast<int>(kinds.size()) - 1))]();
}

int RandomGroups::Pick(int from, int to) {
  return std::uniform_int_distribution<int>(from, to)(random_);
}

bool RandomGroups::Chance(double chance) {
  return std::bernoulli_distribution(chance)(random_);
}

std::string RandomGroups::Any(const std::vector<std::string>& of) {
  return of[static_cast<std::size_t>(Pick(0, static_cast<int>(of.size()) - 1))];
}

std::string RandomGroups::At(int seconds) const {
  return Quoted(Rfc3339(now_ + std::chrono::seconds(seconds)));
}

ExpectedGroup& RandomGroups::Expect(const std::string& state) {
  ExpectedGroup& group = groups_.emplace_back();
  group.id = ++next_id_;
  group.state = state;
  group.name = fmt::format("{}/g{}", Any({"a", "b"}), group.id);
  group.size = Pick(1, 4);
  return group;
}

void RandomGroups::AddIncomplete() {
  ExpectedGroup& group = Expect("provisional");
  group.active = false;
  group.size += 2;
  const int members = Pick(1, group.size - 1);
  const bool held = Chance(0.3);
  group.reason =
      fmt::format("{}{} of {} pods have arrived", held ? "held: by hand; " : "",
                  members, group.size);
  const std::string space = group.name.substr(0, 1);
  const std::string name = group.name.substr(2);
  sql_ += fmt::format(
      "INSERT INTO groups_provisional (namespace, group_name, group_id,"
      " group_size, queue, members, first_seen_at, news_due, held_at,"
      " held_reason) VALUES ('{}', '{}', {}, {}, 'default', {}, {}, {}, {},"
      " {});",
      space, name, group.id, group.size, members, At(kLongAgo), At(-60),
      held ? At(-600) : kNull, held ? "'by hand'" : kNull);
  for (int i = 0; i < members; ++i)
    sql_ += fmt::format(
        "INSERT INTO pods_provisional (uid, namespace, pod_name, group_name,"
        " group_size, queue, request, resource_version, created_at) VALUES"
        " ('{1}-{2}', '{0}', '{1}-{2}', '{1}', {3}, 'default',"
        " '{{\"resources\": {{\"cpu\": \"1\", \"pods\": \"1\"}}}}', '1', {4});",
        space, name, i, group.size, At(kLongAgo));
}

void RandomGroups::AddRefused() {
  ExpectedGroup& group = Expect("refused");
  const std::string name = group.name.substr(2);
  group.id = 0;
  group.active = false;
  group.size = 0;
  group.reason = fmt::format("pod {}-0 is refused: no size", name);
  sql_ += fmt::format(
      "INSERT INTO pods_provisional (uid, namespace, pod_name, group_name,"
      " queue, request, resource_version, created_at, refused) VALUES"
      " ('{1}-0', '{0}', '{1}-0', '{1}', 'default',"
      " '{{\"resources\": {{}}}}', '1', {2}, 'no size');",
      group.name.substr(0, 1), name, At(kLongAgo));
}

void RandomGroups::AddFinished() {
  const std::string result =
      Any({"succeeded", "failed", "timed out", "preempted", "cancelled"});
  ExpectedGroup& group = Expect(result);
  group.active = false;
  if (Chance(0.5)) group.reason = "that is how it was";
  if (result != "cancelled") group.bound_at = now_ - std::chrono::seconds(900);
  sql_ += fmt::format(
      "INSERT INTO group_history (group_id, namespace, group_name, group_size,"
      " queue, priority, result, reason, submitted_at, bound_at, ended_at)"
      " VALUES ({}, '{}', '{}', {}, 'default', 0, '{}', {}, {}, {}, {});",
      group.id, group.name.substr(0, 1), group.name.substr(2), group.size,
      result, group.reason.empty() ? kNull : Quoted(group.reason), At(kLongAgo),
      group.bound_at ? At(-900) : kNull, At(-30));
}

// Adds a group of a phase, whole and never started.
void RandomGroups::AddWaiting(const std::string& phase) {
  ExpectedGroup& group = Expect(phase);
  Row row;
  row.phase = phase == "reserved" ? Any({"reserved", "queued"}) : phase;
  group.waits = true;
  group.ranked = phase == "queued" || phase == "reserved";
  if (phase == "queued") group.state = "pending";
  if (phase == "held") {
    row.held_at = At(-600);
    row.own = "held";
  } else if (phase == "deferred") {
    row.start_after = At(3'600);
    row.own = "does not start before its time";
  } else if (phase == "recalled") {
    row.own = "a pod of the group is gone";
    row.allocated_at = At(-60);
  } else if (Chance(0.2)) {
    row.own = "waits for a claim";
  }
  Write(row);
  for (int i = 0; i < group.size; ++i) AddPod(row, "waiting", "", false);
  if (phase == "reserved") MayReserve(row, true);
  AddEstimate(row);
  MayEnd(row);
  sql_ += row.others;
}

void RandomGroups::AddUnsatisfiable() {
  ExpectedGroup& group = Expect("unsatisfiable");
  Row row;
  row.state = "unsatisfiable";
  if (Chance(0.8)) row.own = "no node has 64 cpu";
  group.waits = true;
  Write(row);
  for (int i = 0; i < group.size; ++i) AddPod(row, "waiting", "", false);
  AddEstimate(row);
  MayEnd(row);
  sql_ += row.others;
}

// Adds a group that is allocated or bound, perhaps an elastic one.
void RandomGroups::AddPlaced(bool bound) {
  ExpectedGroup& group = Expect(bound ? "bound" : "allocated");
  Row row;
  row.state = group.state;
  row.allocated_at = At(-600);
  // An allocated group may have been bound before its members were replaced.
  const bool before = bound || Chance(0.3);
  if (before) row.bound_at = At(bound ? -590 : -1'200);
  if (before) group.bound_at = now_ - std::chrono::seconds(bound ? 590 : 1'200);
  if (before && !bound) row.went_back_at = At(-900);
  if (Chance(0.2)) row.max_size = std::to_string(group.size + 2);
  group.holds = true;
  const bool awaits = !bound && Chance(0.5);
  if (awaits) row.own = "claim \"data\" waits for its volume, until noon";
  Write(row);
  if (!bound) group.reason = awaits ? row.own : "is being bound";
  int ended = 0;
  for (int i = 0; i < group.size; ++i) {
    const bool ends = bound && i > 0 && Chance(0.3);
    if (ends) ++ended;
    if (!ends && bound) ++group.bound;
    AddPod(row, ends ? "succeeded" : bound ? "bound" : "waiting", "", !ends);
  }
  if (ended > 0) group.reason = fmt::format("{} succeeded, 0 failed", ended);
  AddEstimate(row);
  MayEnd(row);
  sql_ += row.others;
}

// Adds a group of which some members are bound and the others wait: members
// were replaced, or it was never bound whole.
void RandomGroups::AddBoundInPart() {
  ExpectedGroup& group = Expect("bound in part");
  group.size += 1;
  Row row;
  row.phase = "queued";
  row.first_in_line = true;
  row.allocated_at = At(-1'000);
  row.went_back_at = At(-300);
  const bool whole = Chance(0.7);
  if (whole) row.bound_at = At(-900);
  if (whole) group.bound_at = now_ - std::chrono::seconds(900);
  const bool never = Chance(0.2);
  if (never) {
    row.state = group.state = "unsatisfiable";
    row.phase.clear();
    row.own = "no node has it";
  } else if (Chance(0.3)) {
    row.own = "the node n1 was closed: matched again";
  }
  group.waits = group.holds = true;
  group.ranked = !never;
  Write(row);
  const int bound = Pick(1, group.size - 1);
  group.bound = bound;
  for (int i = 0; i < group.size; ++i) {
    if (i < bound) {
      AddPod(row, "bound", "", true);
      continue;
    }
    const std::string next = fmt::format("{}-{}", row.name, row.pods + 1);
    if (whole) AddPod(row, "failed", next, false);
    AddPod(row, "waiting", "", false);
  }
  if (!never) MayReserve(row, false);
  AddEstimate(row);
  MayEnd(row);
  sql_ += row.others;
}

// Adds a group that had nodes and lost them all.
void RandomGroups::AddSentBack() {
  ExpectedGroup& group = Expect("pending");
  Row row;
  row.phase = "queued";
  row.first_in_line = true;
  row.allocated_at = At(-1'000);
  row.went_back_at = At(-300);
  row.own = "the cluster refused a binding: matched again";
  group.waits = group.ranked = true;
  Write(row);
  for (int i = 0; i < group.size; ++i) AddPod(row, "waiting", "", false);
  MayReserve(row, false);
  AddEstimate(row);
  MayEnd(row);
  sql_ += row.others;
}

void RandomGroups::AddExternal() {
  const bool placed = Chance(0.5);
  ExpectedGroup& group = Expect(placed ? "allocated" : "pending");
  Row row;
  row.external = true;
  row.state = group.state;
  if (placed) {
    row.allocated_at = At(-60);
    group.holds = true;
  } else {
    row.phase = "queued";
    group.waits = group.ranked = true;
  }
  Write(row);
  if (placed) group.reason = "its caller (gRPC) starts its pods";
  row.others += fmt::format(
      "INSERT INTO external_groups (group_id, request, reserve, promised)"
      " VALUES ({}, '{{\"resources\": {{\"cpu\": \"1\", \"pods\": \"1\"}}}}',"
      " true, true);",
      row.id);
  if (!placed) group.waiting = group.size;
  AddEstimate(row);
  MayEnd(row);
  sql_ += row.others;
}

}  // namespace fluxnetes::services
