#include "services/monitoring/metrics.h"

namespace fluxnetes::services {
namespace {

constexpr const Metric* kAll[] = {
    &metrics::kBuildInfo,
    &metrics::kStartTime,
    &metrics::kCpu,
    &metrics::kMemory,
    &metrics::kOpenFiles,
    &metrics::kReady,
    &metrics::kLoopRun,
    &metrics::kLoopFailures,
    &metrics::kLoopLastSuccess,
    &metrics::kLoopRunning,
    &metrics::kLeader,
    &metrics::kReplicas,
    &metrics::kClusterSynced,
    &metrics::kPodsRecorded,
    &metrics::kPodsSetAside,
    &metrics::kDecision,
    &metrics::kCommit,
    &metrics::kGroupsAllocated,
    &metrics::kPodsAllocated,
    &metrics::kReservations,
    &metrics::kGroupsEvicted,
    &metrics::kGroupWait,
    &metrics::kEstimateError,
    &metrics::kGroupsBound,
    &metrics::kGroupsSentBack,
    &metrics::kEventsDropped,
    &metrics::kResyncs,
    &metrics::kDifferences,
    &metrics::kGroups,
    &metrics::kGroupsWaiting,
    &metrics::kOldestPending,
    &metrics::kJobs,
    &metrics::kOldestJob,
    &metrics::kUsage,
    &metrics::kSpansDropped,
    &metrics::kSampleAge,
    &metrics::kSampleDuration,
    &metrics::kApiRequests,
    &metrics::kApiRequest,
    &metrics::kWatchStreams,
    &metrics::kWatchLists,
    &metrics::kStatements,
    &metrics::kStatementFailures,
    &metrics::kSlowStatements,
    &metrics::kStatementSeconds,
    &metrics::kStatement,
    &metrics::kConnections,
    &metrics::kConnectionsMax,
    &metrics::kConnectionsOpened,
    &metrics::kConnectionsBroken,
    &metrics::kConnectionWait,
};

}  // namespace

std::span<const Metric* const> AllMetrics() { return kAll; }

}  // namespace fluxnetes::services
