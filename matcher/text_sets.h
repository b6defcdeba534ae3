// Numbers and host names written the way Flux does (RFC 22, RFC 29): "0-3,7"
// and "node[0-3,7],login1".
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace fluxnetes::matcher {

std::string WriteIdSet(const std::set<std::int64_t>& ids);

// In the order given; neighbours that differ only in their number share
// brackets.
std::string WriteHostList(std::span<const std::string> hosts);

// A text as JSON has it, quotes included.
std::string JsonQuoted(std::string_view text);

}  // namespace fluxnetes::matcher
