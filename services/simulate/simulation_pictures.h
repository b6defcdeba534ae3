// Pictures of a simulated course, in SVG: which group had which nodes when, how
// much of the cpu was in use, how long groups waited. Of large runs the first
// shows how full nodes were instead of each group.
//
// Pure.
#pragma once

#include <string>

#include "workers/simulation/simulation.h"

namespace fluxnetes::services {

// Needs the nodes that groups had (SimulationOptions::keep_nodes).
std::string GanttPicture(const workers::Scenario& scenario,
                         const workers::Course& course);
std::string UtilisationPicture(const workers::Scenario& scenario,
                               const workers::Course& course);
std::string WaitsPicture(const workers::Scenario& scenario,
                         const workers::Course& course);

}  // namespace fluxnetes::services
