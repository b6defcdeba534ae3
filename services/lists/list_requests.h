// What requests for lists have in common, checked. Invalid input throws
// GrpcRefusal with the field's name.
// Tests: tests/services/lists/lists_pgtest.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "sql/connection/transaction.h"

namespace fluxnetes::services {

// Nothing for an empty text.
std::optional<std::string> TextIfAny(const std::string& text);

// What a search looks for, in lower case; nothing for an empty one.
std::optional<std::string> SearchIfAny(const std::string& text);

// The start of the last `seconds` (0: `otherwise`) before `now`, which is
// field `field` of a request.
sql::Timestamp SinceOf(std::int64_t seconds, std::int64_t otherwise,
                       sql::Timestamp now, const char* field);

// A page token of one number; nothing for an empty one.
std::optional<std::int64_t> NumberToken(const std::string& token);

// A page token of two numbers, "A/B"; nothing for an empty one.
std::optional<std::pair<std::int64_t, std::int64_t>> PairToken(
    const std::string& token);

}  // namespace fluxnetes::services
