// The console of the real process: standard streams, the size of the terminal,
// the clock, and SIGINT or SIGTERM as the wish to stop.
#pragma once

#include "services/console/console.h"

namespace fluxnetes::services {

// Signals are caught from the first wait() on; before that they end the
// process as usual.
Console ProcessConsole();

}  // namespace fluxnetes::services
