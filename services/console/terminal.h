// The console of the process: standard streams, the size of the terminal, the
// clock, and SIGINT or SIGTERM as the user's wish to stop.
#pragma once

#include "services/console/console.h"

namespace fluxnetes::services {

// Catches signals from the first wait() on; before that they end the process as
// usual.
Console ProcessConsole();

}  // namespace fluxnetes::services
