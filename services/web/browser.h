// Opens a page in the user's browser, as xdg-open finds it.
//
// The address is in a file that the user alone can read, because everybody on
// the machine can read the arguments of a program, and a link has a secret.
// Tests: tests/services/web/web_command_pgtest.cc.
#pragma once

#include <string>

#include "services/console/console.h"

namespace fluxnetes::services {

// Returns false if there is no browser to open it in: no xdg-open in PATH, no
// display, or no place for the file.
bool OpenInBrowser(const std::string& url, const Console& console);

}  // namespace fluxnetes::services
