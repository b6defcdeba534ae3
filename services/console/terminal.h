// The console of the process: standard streams, the size of the terminal, the
// clock, and SIGINT or SIGTERM as the user's wish to stop. The terminal is as
// wide as the environment variable COLUMNS says, else as its driver does; a
// pipe or a file has no width.
#pragma once

#include "services/console/console.h"

namespace fluxnetes::services {

// Catches signals from the first wait() on; before that they end the process as
// usual.
Console ProcessConsole();

}  // namespace fluxnetes::services
