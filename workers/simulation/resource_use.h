// Which resources the groups of a simulation ask for, by name ("cpu", "memory",
// "ephemeral-storage", "pods", "nvidia.com/gpu", ...), in the unit of
// cluster::Resources, and how much nodes and groups have of each.
//
// Pure.
// Tests: tests/workers/simulation/simulation_summary_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workers/simulation/scenario.h"

namespace fluxnetes::workers {

std::int64_t AmountOf(const cluster::Resources& resources,
                      const std::string& name);

// Those that some node has and some group asks for, cpu first if it is one.
std::vector<std::string> ResourcesAsked(const Scenario& scenario);

// The sums over all nodes, and over the pods of each shape.
double AmountOfNodes(const std::vector<cluster::Node>& nodes,
                     const std::string& resource);
std::vector<double> AmountOfShapes(const Scenario& scenario,
                                   const std::string& resource);

// Thousandths of a core of all nodes.
std::int64_t CpuOf(const std::vector<cluster::Node>& nodes);

}  // namespace fluxnetes::workers
