// Masks passwords in libpq's connection strings, in both forms ("host=...
// password=...", "postgresql://user:password@host/...?password=..."): the text
// for people has "***" in their place.
// Tests: tests/services/config/log_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace fluxnetes::services {

// Returns the text with every password masked; other text is unchanged.
std::string MaskPasswords(std::string_view text);

}  // namespace fluxnetes::services
