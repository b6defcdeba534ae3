// Writes sets of numbers and lists of hosts in Flux's notation (RFC 22, RFC
// 29): "0-3,7" and "node[0-3,7],login1". Functions named Append... append to a
// text.
// Tests: tests/matcher/writers/match_writer_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fluxnetes::matcher {

// The ids are in order, each once.
void AppendIdSet(std::span<const std::int64_t> ids, std::string& text);

// Keeps the given order; neighbours that differ only in their number share
// brackets.
void AppendHostList(std::span<const std::string_view> hosts, std::string& text);

// Writes a JSON string, quotes included.
void AppendJsonQuoted(std::string_view plain, std::string& text);
std::string JsonQuoted(std::string_view plain);

void AppendNumber(std::int64_t number, std::string& text);

}  // namespace fluxnetes::matcher
