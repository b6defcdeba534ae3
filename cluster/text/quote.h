// Text of unknown origin as it may stand in an error message: in double quotes,
// on one line, control characters and invalid UTF-8 escaped, long ones cut.
#pragma once

#include <string>
#include <string_view>

namespace fluxnetes::cluster {

std::string Quote(std::string_view text);

}  // namespace fluxnetes::cluster
