// `fluxnetes man`: prints the manual page of the program or of a command,
// writes all pages into a folder, or prints the reference in Markdown.
// Tests: tests/services/manual/command_reference_test.cc,
// tests/services/manual/man_pages_test.cc.
#pragma once

#include "services/console/console.h"
#include "services/console/exit_code.h"
#include "services/grammar/command_tree.h"
#include "services/grammar/options.h"

namespace fluxnetes::services {

// Throws Failure: kUsage for an unknown command, kFailed for files that cannot
// be written.
ExitCode RunMan(const ManOptions& options, const CommandTree& tree,
                Console& console);

}  // namespace fluxnetes::services
