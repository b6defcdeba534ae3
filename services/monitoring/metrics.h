// Every metric of /metrics with its type, labels and help text. The page is
// made from this list, and the manual (docs/monitoring.md), the dashboard and
// the alerts (deploy/monitoring) are checked against it.
//
// Prometheus' conventions apply: base units, `_total` for counters, few values
// per label (queues, kinds, verbs; never a group, a pod or a node).
// Tests: tests/services/monitoring/metrics_page_test.cc.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace fluxnetes::services {

enum class MetricType { kCounter, kGauge, kHistogram };

struct Metric {
  std::string_view name;
  MetricType type = MetricType::kGauge;
  std::array<std::string_view, 3> labels = {};  // unused ones are empty
  std::string_view help = {};
};

namespace metrics {

// The process.
inline constexpr Metric kBuildInfo = {
    "fluxnetes_build_info", MetricType::kGauge, {"version"}, "Always 1."};
inline constexpr Metric kStartTime = {"process_start_time_seconds",
                                      MetricType::kGauge,
                                      {},
                                      "When the process began, in Unix time."};
inline constexpr Metric kCpu = {"process_cpu_seconds_total",
                                MetricType::kCounter,
                                {},
                                "CPU time that the process has used."};
inline constexpr Metric kMemory = {"process_resident_memory_bytes",
                                   MetricType::kGauge,
                                   {},
                                   "Memory that the process has."};
inline constexpr Metric kOpenFiles = {"process_open_fds",
                                      MetricType::kGauge,
                                      {},
                                      "Files and sockets it has open."};
inline constexpr Metric kReady = {
    "fluxnetes_ready",
    MetricType::kGauge,
    {"check"},
    "1 if this check of /readyz is well, else 0."};

// Loops.
inline constexpr Metric kLoopRun = {
    "fluxnetes_loop_run_seconds",
    MetricType::kHistogram,
    {"loop"},
    "How long the steps of a loop took, failed ones too; that of intake waits "
    "for news of the cluster."};
inline constexpr Metric kLoopFailures = {"fluxnetes_loop_failures_total",
                                         MetricType::kCounter,
                                         {"loop"},
                                         "Steps that failed."};
inline constexpr Metric kLoopLastSuccess = {
    "fluxnetes_loop_last_success_timestamp_seconds",
    MetricType::kGauge,
    {"loop"},
    "When a step last came to its end, in Unix time; 0: never."};
inline constexpr Metric kLoopRunning = {
    "fluxnetes_loop_running_seconds",
    MetricType::kGauge,
    {"loop"},
    "How long the step has been going on that is under way; 0: none is."};

// Leadership.
inline constexpr Metric kLeader = {
    "fluxnetes_leader",
    MetricType::kGauge,
    {"name"},
    "1 for what this replica leads: intake, maintenance, match:QUEUE."};
inline constexpr Metric kReplicas = {
    "fluxnetes_replicas",
    MetricType::kGauge,
    {},
    "Replicas whose heartbeat is younger than their time to live."};

// Intake.
inline constexpr Metric kClusterSynced = {
    "fluxnetes_cluster_synced",
    MetricType::kGauge,
    {},
    "1 once the cluster has been listed to its end, else 0."};
inline constexpr Metric kPodsRecorded = {
    "fluxnetes_pods_recorded_total",
    MetricType::kCounter,
    {},
    "Pods that intake recorded, new or changed."};
inline constexpr Metric kPodsSetAside = {
    "fluxnetes_pods_set_aside_total",
    MetricType::kCounter,
    {},
    "Pods that the database does not take as they are; the log names them."};

// Match.
inline constexpr Metric kDecision = {
    "fluxnetes_cycle_decision_seconds",
    MetricType::kHistogram,
    {},
    "How long scheduling cycles took to decide: the time of the match."};
inline constexpr Metric kCommit = {
    "fluxnetes_cycle_commit_seconds",
    MetricType::kHistogram,
    {},
    "How long decisions that had something to say took to be committed."};
inline constexpr Metric kGroupsAllocated = {"fluxnetes_groups_allocated_total",
                                            MetricType::kCounter,
                                            {"queue"},
                                            "Groups that were given nodes."};
inline constexpr Metric kPodsAllocated = {"fluxnetes_pods_allocated_total",
                                          MetricType::kCounter,
                                          {"queue"},
                                          "Pods that were given a node."};
inline constexpr Metric kReservations = {
    "fluxnetes_reservations_total",
    MetricType::kCounter,
    {"queue"},
    "Reservations that were made or changed."};
inline constexpr Metric kGroupsEvicted = {
    "fluxnetes_groups_evicted_total",
    MetricType::kCounter,
    {},
    "Groups that had to go for others (preemption)."};
inline constexpr Metric kGroupWait = {
    "fluxnetes_group_wait_seconds",
    MetricType::kHistogram,
    {"queue"},
    "From the creation of a group's first pod until it was given nodes."};
inline constexpr Metric kEstimateError = {
    "fluxnetes_estimate_error_seconds",
    MetricType::kHistogram,
    {"queue", "estimate", "direction"},
    "By how much an estimated start was wrong, of groups that were given "
    "nodes; "
    "estimate: first or last, as it was said; direction: late or early, as the "
    "group was."};

// Binder.
inline constexpr Metric kGroupsBound = {"fluxnetes_groups_bound_total",
                                        MetricType::kCounter,
                                        {},
                                        "Groups whose pods were all bound."};
inline constexpr Metric kGroupsSentBack = {
    "fluxnetes_groups_sent_back_total",
    MetricType::kCounter,
    {},
    "Groups that could not be bound as they were placed and are matched "
    "again."};
inline constexpr Metric kEventsDropped = {
    "fluxnetes_events_dropped_total",
    MetricType::kCounter,
    {},
    "Events of bindings that were not told because too many waited."};

// Resync.
inline constexpr Metric kResyncs = {
    "fluxnetes_resyncs_total",
    MetricType::kCounter,
    {},
    "Full comparisons of pods with their rows."};
inline constexpr Metric kDifferences = {
    "fluxnetes_resync_differences_total",
    MetricType::kCounter,
    {"kind"},
    "Differences that the full comparison found and healed; should be 0 for "
    "ever."};

// Rows of the tables; the same from each replica.
inline constexpr Metric kGroups = {
    "fluxnetes_groups",
    MetricType::kGauge,
    {"queue", "state"},
    "Groups by state: provisional, pending, unsatisfiable, allocated, bound."};
inline constexpr Metric kGroupsWaiting = {
    "fluxnetes_groups_waiting",
    MetricType::kGauge,
    {"queue", "reason"},
    "Groups that wait, by reason: room, order, depth, paused, no_queue, quota, "
    "held, deferred, recalled, own (one that it has alone), unsatisfiable, "
    "queued (not looked at yet)."};
inline constexpr Metric kOldestPending = {
    "fluxnetes_group_oldest_pending_seconds",
    MetricType::kGauge,
    {"queue"},
    "How long ago the first pod of the longest pending group was created."};
inline constexpr Metric kJobs = {"fluxnetes_jobs",
                                 MetricType::kGauge,
                                 {"kind", "state"},
                                 "Rows of the work queue that have not ended."};
inline constexpr Metric kSpansDropped = {
    "fluxnetes_spans_dropped_total",
    MetricType::kCounter,
    {},
    "Spans that the collector of traces did not take, or not soon enough."};
inline constexpr Metric kUsage = {
    "fluxnetes_usage_today_seconds",
    MetricType::kGauge,
    {"queue", "resource"},
    "What groups have held since midnight (UTC), amount times seconds: "
    "core-seconds, byte-seconds, device-seconds; as of the last roll-up."};
inline constexpr Metric kOldestJob = {
    "fluxnetes_job_oldest_available_seconds",
    MetricType::kGauge,
    {"kind"},
    "Since when the oldest job might have run that nobody has leased."};
inline constexpr Metric kSampleAge = {"fluxnetes_sample_age_seconds",
                                      MetricType::kGauge,
                                      {},
                                      "How old the figures of groups and jobs "
                                      "are; they are counted seldom enough "
                                      "to take a hundredth of the time."};
inline constexpr Metric kSampleDuration = {"fluxnetes_sample_duration_seconds",
                                           MetricType::kGauge,
                                           {},
                                           "How long it took to count them."};

// The API server.
inline constexpr Metric kApiRequests = {
    "fluxnetes_api_requests_total",
    MetricType::kCounter,
    {"verb", "resource", "code"},
    "Requests to the API server, each attempt; code 0: no answer came."};
inline constexpr Metric kApiRequest = {"fluxnetes_api_request_seconds",
                                       MetricType::kHistogram,
                                       {"verb", "resource"},
                                       "How long they took."};
inline constexpr Metric kWatchStreams = {
    "fluxnetes_watch_streams_total",
    MetricType::kCounter,
    {"kind"},
    "Watches that were opened: a watch that has ended goes on with a new one."};
inline constexpr Metric kWatchLists = {
    "fluxnetes_watch_lists_total",
    MetricType::kCounter,
    {"kind"},
    "Lists that were begun: each but the first because a watch could not go "
    "on."};

// The database.
inline constexpr Metric kStatements = {"fluxnetes_database_statements_total",
                                       MetricType::kCounter,
                                       {"statement"},
                                       "Statements that were run, by name."};
inline constexpr Metric kStatementFailures = {
    "fluxnetes_database_statement_failures_total",
    MetricType::kCounter,
    {"statement"},
    "Statements that failed."};
inline constexpr Metric kSlowStatements = {
    "fluxnetes_database_slow_statements_total",
    MetricType::kCounter,
    {"statement"},
    "Statements that took longer than a second."};
inline constexpr Metric kStatementSeconds = {
    "fluxnetes_database_statement_seconds_total",
    MetricType::kCounter,
    {"statement"},
    "How long they took, in sum."};
inline constexpr Metric kStatement = {
    "fluxnetes_database_statement_seconds",
    MetricType::kHistogram,
    {"pool"},
    "How long the statements of a pool took."};
inline constexpr Metric kConnections = {"fluxnetes_database_connections",
                                        MetricType::kGauge,
                                        {"pool", "state"},
                                        "Connections: in_use or idle."};
inline constexpr Metric kConnectionsMax = {"fluxnetes_database_connections_max",
                                           MetricType::kGauge,
                                           {"pool"},
                                           "Most connections that it opens."};
inline constexpr Metric kConnectionsOpened = {
    "fluxnetes_database_connections_opened_total",
    MetricType::kCounter,
    {"pool"},
    "Connections that were opened."};
inline constexpr Metric kConnectionsBroken = {
    "fluxnetes_database_connections_broken_total",
    MetricType::kCounter,
    {"pool"},
    "Connections that broke."};
inline constexpr Metric kConnectionWait = {
    "fluxnetes_database_connection_wait_seconds",
    MetricType::kHistogram,
    {"pool"},
    "How long those waited for a connection who found none free."};

}  // namespace metrics

// All metrics in the order of the page.
std::span<const Metric* const> AllMetrics();

}  // namespace fluxnetes::services
