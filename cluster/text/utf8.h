// UTF-8 as defined by RFC 3629: no overlong forms, no surrogates.
// Tests: tests/cluster/text/quote_test.cc,
// tests/cluster/protobuf/both_encodings_test.cc,
// tests/cluster/text/yaml_document_test.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fluxnetes::cluster {

// Returns the length in bytes of the first character of the text; 0 if the text
// is empty or does not begin with a valid character.
std::size_t Utf8Length(std::string_view text);

// The bytes as they are, but U+FFFD for each that is in no valid character.
std::string ToUtf8(std::string_view bytes);

}  // namespace fluxnetes::cluster
