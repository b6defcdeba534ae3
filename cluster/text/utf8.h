// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates.
#pragma once

#include <cstddef>
#include <string_view>

namespace fluxnetes::cluster {

// The length in bytes of the character that the text begins with; 0 if it
// begins with none, or is empty.
std::size_t Utf8Length(std::string_view text);

}  // namespace fluxnetes::cluster
