// Validates text that PostgreSQL is to store as text or jsonb. One pass,
// without allocation or recursion. Pure.
#pragma once

#include <string_view>

namespace fluxnetes::queue {

// UTF-8 without zero bytes.
bool IsText(std::string_view text);

// True for a JSON object (RFC 8259) that jsonb accepts: no \u0000, no unpaired
// surrogate, numbers with an exponent of at most four digits, at most 256
// levels.
bool IsJsonObject(std::string_view text);

// Returns the longest prefix of at most `bytes` bytes that ends between
// characters.
std::string_view CutText(std::string_view text, std::size_t bytes);

}  // namespace fluxnetes::queue
