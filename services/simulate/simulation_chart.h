// A simulated course as a chart of characters, for terminals: a line for each
// group, when it waited (.) and ran (#); of many groups instead a line for each
// node, or for some of them together, with how full they were.
//
// Pure.
#pragma once

#include <string>

#include "workers/simulation/simulation.h"

namespace fluxnetes::services {

// Lines of so many columns at most, from 40. Needs the nodes that groups had
// (SimulationOptions::keep_nodes).
std::string GanttChart(const workers::Scenario& scenario,
                       const workers::Course& course, int columns);

}  // namespace fluxnetes::services
