// Whether text is what PostgreSQL stores as text or jsonb. One pass, nothing is
// kept, nothing recurses. Pure.
#pragma once

#include <string_view>

namespace fluxnetes::queue {

// UTF-8 without zero bytes.
bool IsText(std::string_view text);

// A JSON object (RFC 8259) that jsonb takes: no \u0000, no half of a surrogate
// pair, numbers with an exponent of at most four digits, 256 levels at most.
bool IsJsonObject(std::string_view text);

// The longest beginning of at most so many bytes that ends between characters.
std::string_view CutText(std::string_view text, std::size_t bytes);

}  // namespace fluxnetes::queue
