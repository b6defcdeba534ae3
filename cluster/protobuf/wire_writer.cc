#include "cluster/protobuf/wire_writer.h"

namespace fluxnetes::cluster {
namespace {

constexpr unsigned kNumberType = 0;
constexpr unsigned kBytesType = 2;

std::string Varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7U)
    bytes += static_cast<char>((number & 0x7FU) | 0x80U);
  bytes += static_cast<char>(number);
  return bytes;
}

std::string Tag(std::uint32_t field, unsigned type) {
  return Varint(std::uint64_t{field} << 3U | type);
}

}  // namespace

std::string NumberField(std::uint32_t field, std::uint64_t number) {
  return Tag(field, kNumberType) + Varint(number);
}

std::string BytesField(std::uint32_t field, std::string_view bytes) {
  std::string written = Tag(field, kBytesType) + Varint(bytes.size());
  written += bytes;
  return written;
}

}  // namespace fluxnetes::cluster
