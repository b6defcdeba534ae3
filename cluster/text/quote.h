// Quotes text of unknown origin for an error message: in double quotes, on one
// line, with control characters and invalid UTF-8 escaped, long text cut.
#pragma once

#include <string>
#include <string_view>

namespace fluxnetes::cluster {

std::string Quote(std::string_view text);

}  // namespace fluxnetes::cluster
