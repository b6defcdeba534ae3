// Numbers and host names written the way Flux does (RFC 22, RFC 29): "0-3,7"
// and "node[0-3,7],login1". All append to a text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fluxnetes::matcher {

// Ids in order, each once.
void AppendIdSet(std::span<const std::int64_t> ids, std::string& text);

// In the order given; neighbours that differ only in their number share
// brackets.
void AppendHostList(std::span<const std::string_view> hosts, std::string& text);

// A text as JSON has it, quotes included.
void AppendJsonQuoted(std::string_view plain, std::string& text);
std::string JsonQuoted(std::string_view plain);

void AppendNumber(std::int64_t number, std::string& text);

}  // namespace fluxnetes::matcher
