// Scenarios for tests of forecasts, what a snapshot has of them, and the starts
// that a forecast or a simulation gives.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/workers/schedule_reference/simulated_groups.h"
#include "workers/forecast/forecast.h"

namespace fluxnetes::workers {

using Starts = std::map<GroupId, std::int64_t>;

// Fills the cache with these nodes and pods.
void Show(const std::vector<cluster::Node>& nodes,
          const std::vector<cluster::Pod>& pods, cluster::ClusterCache& cache);

// The beginning of a scenario whose groups have all been submitted, as the
// records would show it. Groups are numbered from 1, as in a simulation.
ComponentSnapshot SnapshotOf(const Scenario& scenario);

// Nodes with these numbers of cpus; all groups are submitted at 1,000.
Scenario OnTheseNodes(const std::vector<std::int64_t>& cpus,
                      QueuePolicy policy = QueuePolicy::kEasy);

// Adds a waiting group of `pods` with `cpu` each; returns its number.
GroupId AddWaiting(Scenario& scenario, int pods, std::int64_t cpu,
                   std::optional<std::int64_t> duration);

// Adds a group with an allocation that started at 900.
GroupId AddRunning(Scenario& scenario, const std::vector<std::string>& nodes,
                   std::int64_t cpu, std::optional<std::int64_t> duration);

Forecast ForecastOf(const Scenario& scenario, ComponentSnapshot snapshot,
                    const std::vector<cluster::Pod>& pods = {},
                    int depth = 1'000);

Forecast ForecastOf(const Scenario& scenario, int depth = 1'000,
                    const std::vector<cluster::Pod>& pods = {});

Estimate EstimateOf(const Forecast& forecast, GroupId group);

Starts ExactStarts(const Forecast& forecast);

Starts SimulatedStarts(const Scenario& scenario);

}  // namespace fluxnetes::workers
