// Passwords in the connection strings of libpq, in both of their forms
// ("host=… password=…", "postgresql://user:password@host/…?password=…"): what
// is shown to anyone has "***" in their place.
#pragma once

#include <string>
#include <string_view>

namespace fluxnetes::services {

// The text with every password masked; other text comes back as it is.
std::string MaskPasswords(std::string_view text);

}  // namespace fluxnetes::services
