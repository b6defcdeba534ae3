// Base64 with padding (RFC 4648, section 4), as Kubernetes writes bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fluxnetes::cluster {

// White space between the characters is passed over. Nothing if it is none.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace fluxnetes::cluster
