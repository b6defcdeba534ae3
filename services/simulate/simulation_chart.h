// A simulated course as a text chart for terminals: a row for each group, with
// when it waited (.) and ran (#). With many groups there is instead a row for
// each node, or for several nodes together, with their utilisation.
//
// Pure.
#pragma once

#include <string>

#include "workers/simulation/simulation.h"

namespace fluxnetes::services {

// Lines have at most `columns` columns, at least 40. Needs the groups' nodes
// (SimulationOptions::keep_nodes).
std::string GanttChart(const workers::Scenario& scenario,
                       const workers::Course& course, int columns);

}  // namespace fluxnetes::services
