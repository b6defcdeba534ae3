// Writes the wire format of Protobuf, field by field
// (https://protobuf.dev/programming-guides/encoding/). A message is the texts
// of its fields, one after the other:
//
//   BytesField(1, "Pod") + BytesField(2, NumberField(1, 7))
//
// Tests: tests/cluster/protobuf/wire_reader_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fluxnetes::cluster {

// A number, or a flag as 0 or 1.
std::string NumberField(std::uint32_t field, std::uint64_t number);
// A text, bytes, or a nested message.
std::string BytesField(std::uint32_t field, std::string_view bytes);

}  // namespace fluxnetes::cluster
