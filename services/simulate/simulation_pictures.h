// Pictures of a simulated course in SVG: the nodes of each group over time, the
// cpu in use, and the waiting times. For large runs the first one shows the
// utilisation of nodes instead of each group.
//
// Pure.
#pragma once

#include <string>

#include "workers/simulation/simulation.h"

namespace fluxnetes::services {

// Needs the groups' nodes (SimulationOptions::keep_nodes).
std::string GanttPicture(const workers::Scenario& scenario,
                         const workers::Course& course);
std::string UtilisationPicture(const workers::Scenario& scenario,
                               const workers::Course& course);
std::string WaitsPicture(const workers::Scenario& scenario,
                         const workers::Course& course);

}  // namespace fluxnetes::services
