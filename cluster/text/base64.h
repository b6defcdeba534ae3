// Base64 with padding (RFC 4648, section 4), as Kubernetes writes bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fluxnetes::cluster {

// Skips white space between the characters. Returns nothing if the text is not
// Base64.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace fluxnetes::cluster
