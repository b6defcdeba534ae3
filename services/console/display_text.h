// Text for a terminal: its width in columns, cut to a width, and without
// control sequences. Text is UTF-8; invalid bytes and control characters are
// shown as "?", line ends and tabs as a blank.
// Tests: tests/services/console/table_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace fluxnetes::services {

// Returns the text with each control character and invalid byte replaced.
std::string Printable(std::string_view text);

// Returns the columns that printable text takes: 0 for a combining character, 2
// for a wide one (East Asian, emoji), else 1.
int DisplayWidth(std::string_view text);

// Returns printable text cut to `columns`; "…" marks the cut.
std::string Cut(std::string_view text, int columns);

// As Cut(), but cuts in the middle: both ends of a name tell it from others.
std::string CutMiddle(std::string_view text, int columns);

}  // namespace fluxnetes::services
