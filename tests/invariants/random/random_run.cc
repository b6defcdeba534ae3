#include "tests/invariants/random/random_run.h"

#include <gtest/gtest.h>

namespace fluxnetes::testing {
namespace {

using std::chrono::seconds;

constexpr const char* kNodes = R"(
nodes:
- {name: node0, cpu: 16, memory: 64Gi, rack: r0, labels: {pool: red}}
- {name: node1, cpu: 16, memory: 64Gi, rack: r1, labels: {pool: red}}
- {name: node2, cpu: 16, memory: 64Gi, labels: {pool: red}}
- {name: node3, cpu: 16, memory: 64Gi, rack: r0, labels: {pool: blue}}
- {name: node4, cpu: 16, memory: 64Gi, rack: r1, labels: {pool: blue}}
- {name: node5, cpu: 16, memory: 64Gi, labels: {pool: blue}})";

}  // namespace

RandomRun::RandomRun(std::uint64_t seed)
    : queues_(static_cast<int>(seed % 3)),
      replicas_(seed % 2 == 0),
      accounts_(seed % 4 == 1 || seed % 4 == 2),
      pools_(seed % 5 < 3),
      random_(seed),
      system_(kNodes, seed) {
  if (queues_ > 0) {
    system_.database.Execute(
        "INSERT INTO queues (name, node_selector) VALUES "
        "('red', '{\"pool\": \"red\"}'), ('blue', '{\"pool\": \"blue\"}')");
  }
  if (queues_ == 2) {
    // Otherwise it would join their component.
    system_.database.Execute(
        "UPDATE queues SET node_selector = '{\"pool\": \"grey\"}' "
        "WHERE name = 'default'");
  }
  static constexpr const char* kPreemption[] = {"never", "reclaim", "both",
                                                "lower_priority"};
  system_.database.Execute(fmt::format("UPDATE queues SET preemption = '{}'",
                                       kPreemption[seed % 4]));
  if (accounts_) AddAccounts();
  if (pools_) AddPools();
  if (replicas_) {
    system_.standby = std::make_unique<SchedulerProcess>(
        system_.database.options(), system_.cluster);
  }
  system_.check = [this](WholeSystem& system) {
    const auto found = invariants_.Check(system);
    violations_.insert(violations_.end(), found.begin(), found.end());
    const std::string differences = system.Ask(
        "SELECT coalesce(string_agg(kind || ' ' || found || ' ' || "
        "names::text, '; '), '') FROM resync_differences");
    if (!differences.empty())
      violations_.push_back("6: a full comparison found: " + differences);
  };
}

int RandomRun::Pick(int from, int to) {
  return from + static_cast<int>(random_() % (to - from + 1));
}

bool RandomRun::Chance(double chance) {
  return static_cast<double>(random_() % 1'000'000) < chance * 1'000'000;
}

void RandomRun::Note(std::string what) {
  const auto since = system_.cluster.Now().time_since_epoch();
  notes_.push_back(fmt::format("{:5}  {}s  {}", steps_,
                               since / seconds(1) % 1'000'000, what));
  if (notes_.size() > 25) notes_.pop_front();
}

bool RandomRun::Holds() {
  return violations_.empty() && !::testing::Test::HasFailure();
}

std::string RandomRun::Report() const {
  std::string text =
      fmt::format("after {} steps, {} jobs:\n", steps_, submitted_);
  for (const std::string& violation : violations_) text += violation + "\n";
  text += "what happened before:\n";
  for (const std::string& note : notes_) text += note + "\n";
  return text;
}

bool RandomRun::Run(int steps) {
  // A process that has never listed the cluster cannot settle while it is away.
  system_.Settle();
  for (int i = 0; i < steps && Holds(); ++i) {
    ++steps_;
    Step();
    system_.Settle();
  }
  if (Holds()) Finish();
  return Holds();
}

void RandomRun::Step() {
  static constexpr std::pair<int, Act> kActs[] = {
      {24, &RandomRun::Submit},        {6, &RandomRun::SubmitPods},
      {3, &RandomRun::SubmitLauncher}, {2, &RandomRun::SubmitAgain},
      {30, &RandomRun::Pass},          {4, &RandomRun::DeleteJob},
      {4, &RandomRun::DeletePod},      {4, &RandomRun::EndPod},
      {3, &RandomRun::Cancel},         {4, &RandomRun::Relabel},
      {2, &RandomRun::Suspend},        {2, &RandomRun::Scale},
      {4, &RandomRun::LiftGates},      {2, &RandomRun::AddNode},
      {1, &RandomRun::RemoveNode},     {2, &RandomRun::CloseNode},
      {3, &RandomRun::OpenNode},       {2, &RandomRun::ResizeNode},
      {2, &RandomRun::RelabelNode},    {3, &RandomRun::AddOther},
      {3, &RandomRun::RemoveOther},    {1, &RandomRun::BindForUs},
      {2, &RandomRun::DisturbWatches}, {1, &RandomRun::DropWatches},
      {4, &RandomRun::FailBinds},      {1, &RandomRun::LoseApi},
      {2, &RandomRun::Crash},          {4, &RandomRun::CrashBetweenSteps},
      {4, &RandomRun::FallAsleep},     {4, &RandomRun::WakeUp},
      {1, &RandomRun::HandOver},       {2, &RandomRun::EditQueue},
      {2, &RandomRun::EditAccount},    {2, &RandomRun::EditPool},
      {3, &RandomRun::Compare},        {8, &RandomRun::AskFromOutside},
      {3, &RandomRun::LeaveOutside},   {4, &RandomRun::StartOutside},
  };
  int sum = 0;
  for (const auto& [weight, act] : kActs) sum += weight;
  int at = Pick(1, sum);
  for (const auto& [weight, act] : kActs) {
    at -= weight;
    if (at <= 0) return (this->*act)();
  }
}

void RandomRun::Pass() {
  const std::chrono::milliseconds time(Chance(0.5) ? Pick(1, 2'000)
                                                   : Pick(2'000, 60'000));
  Note(fmt::format("{} ms pass", time.count()));
  system_.Advance(time);
}

void RandomRun::EndDisturbances() {
  Note("the disturbances end");
  if (asleep_ != nullptr) WakeUp();
  system_.cluster.FailBinds(cluster::BindFault::kRefused, 0);
  system_.database.Execute("UPDATE queues SET paused = false");
  if (pools_) AddPools();
  for (const auto& node : system_.cluster.TakeSnapshot().nodes) {
    system_.cluster.Cordon(node->name, false);
    system_.cluster.SetReady(node->name, true);
    system_.cluster.RemoveTaint(node->name, "team");
    system_.cluster.RemoveTaint(node->name, "down");
  }
}

void RandomRun::Finish() {
  EndDisturbances();
  system_.RunToEnd();
  // Controllers re-create gated pods.
  for (int i = 0; i < 12 && Holds(); ++i) {
    for (const auto& pod : system_.cluster.TakeSnapshot().pods) {
      if (pod->gated) {
        system_.cluster.LiftGates(pod->namespace_name, pod->name);
      }
    }
    system_.Advance(std::chrono::minutes(10));
    system_.RunToEnd();
  }
  if (Holds()) CheckNothingWaits();
  Note("the users delete the rest");
  for (const JobName& job : jobs_) {
    system_.cluster.Delete({"Job", job.name_space, job.name, ""});
  }
  for (const auto& pod : system_.cluster.TakeSnapshot().pods) {
    system_.cluster.Delete({"Pod", pod->namespace_name, pod->name, ""});
  }
  system_.Advance(std::chrono::minutes(10));
  if (!Holds()) return;
  violations_ = invariants_.CheckNothingLeft(system_);
}

// Nothing runs any more, so every group that could be placed should have been.
// Exceptions: a group of which others bound a pod keeps the placement that the
// pod's replacement has taken, though the rest may never fit beside it; a group
// that needs more than the rest of a quota that it may not exceed waits for
// ever; so do the extra pods of an elastic group that has not started; and an
// elastic group does not end before its extra pods.
void RandomRun::CheckNothingWaits() {
  const std::string may_start =
      "g.state <> 'unsatisfiable' AND NOT EXISTS (SELECT FROM pod_groups e "
      "WHERE e.id = g.extends AND e.state NOT IN ('allocated', 'bound')) "
      "AND NOT (g.state = 'bound' AND EXISTS (SELECT FROM pod_groups e "
      "WHERE e.extends = g.id)) "
      "AND NOT EXISTS (SELECT FROM accounts a WHERE "
      "(a.namespace IS NULL OR (a.namespace = g.namespace AND NOT a.borrows)) "
      "AND (SELECT sum(CASE WHEN c LIKE '%m' THEN rtrim(c, 'm')::bigint "
      "ELSE c::bigint * 1000 END) FROM (SELECT p.request #>> "
      "'{resources,cpu}' AS c FROM pods p WHERE p.group_id = g.id AND "
      "p.state = 'waiting' AND NOT EXISTS (SELECT FROM placements s "
      "WHERE s.pod_uid = p.uid)) AS wants) > (a.quota ->> 'cpu')::bigint * "
      "1000 - (SELECT "
      "coalesce(sum(l.cpu_milli), 0) FROM placements l JOIN pod_groups h "
      "ON h.id = l.fluxion_job WHERE h.namespace = "
      "coalesce(a.namespace, h.namespace)))";
  for (const std::string& question :
       {"SELECT count(*) FROM pod_groups g WHERE " + may_start,
        "SELECT count(*) FROM placements JOIN pods ON uid = pod_uid JOIN "
        "pod_groups g ON g.id = group_id WHERE pods.state <> 'waiting' OR (" +
            may_start + ") OR NOT g.first_in_line",
        std::string("SELECT count(*) FROM groups_provisional WHERE members >= "
                    "group_size")}) {
    const std::string answer = system_.Ask(question);
    if (answer == "0") continue;
    violations_.push_back(fmt::format(
        "6: {}: {} when all should be over\n{}\n{}", question, answer,
        system_.database.AskAll(
            "SELECT id, group_name, group_size, queue, state, "
            "phase, reason, first_in_line, match_job, (SELECT "
            "string_agg(p.state || '@' || coalesce(p.node_name, "
            "''), ' ') FROM pods p WHERE p.group_id = g.id) "
            "FROM pod_groups g"),
        system_.database.AskAll("SELECT l.fluxion_job, p.pod_name, p.state, "
                                "p.replaced_by, l.node_name, l.held_until "
                                "FROM placements l LEFT JOIN pods p "
                                "ON p.uid = l.pod_uid")));
  }
}

}  // namespace fluxnetes::testing
