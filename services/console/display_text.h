// Text as a terminal shows it: how many columns it takes, cut to a width, and
// nothing in it that a terminal would take for a command. Text is UTF-8; bytes
// that are not, and control characters, are shown as "?", line ends and
// tabulators as a blank.
#pragma once

#include <string>
#include <string_view>

namespace fluxnetes::services {

// The text with every control character and invalid byte replaced.
std::string Printable(std::string_view text);

// Columns that printable text takes: 0 for combining characters, 2 for wide
// ones (East Asian, emoji), else 1.
int DisplayWidth(std::string_view text);

// Printable text, cut to `columns`; "…" stands for what was cut off.
std::string Cut(std::string_view text, int columns);

// The same, cut at its beginning.
std::string CutFront(std::string_view text, int columns);

}  // namespace fluxnetes::services
