#include "cluster/protobuf/wire_reader.h"

#include <fmt/format.h>

namespace fluxnetes::cluster {
namespace {

constexpr std::uint64_t kHighestField = (1U << 29U) - 1;

}  // namespace

bool WireReader::Next() {
  if (left_.empty()) return false;
  from_here_ = left_;
  const std::uint64_t tag = TakeNumber();
  if (tag >> 3U == 0 || tag >> 3U > kHighestField)
    Fail("a number that no field can have");
  field_ = static_cast<std::uint32_t>(tag >> 3U);
  type_ = static_cast<Type>(tag & 7U);
  switch (type_) {
    case Type::kNumber:
      number_ = TakeNumber();
      return true;
    case Type::kFixed64:
      Take(8);
      return true;
    case Type::kBytes:
      bytes_ = Take(TakeNumber());
      return true;
    case Type::kFixed32:
      Take(4);
      return true;
  }
  Fail("a type that Kubernetes does not use");
}

std::uint64_t WireReader::Number() const {
  if (type_ != Type::kNumber) Fail("not a number");
  return number_;
}

std::string_view WireReader::Bytes() const {
  if (type_ != Type::kBytes) Fail("a number, or of fixed length");
  return bytes_;
}

std::uint64_t WireReader::TakeNumber() {
  std::uint64_t number = 0;
  for (std::size_t at = 0; at < left_.size() && at < 10; ++at) {
    const auto byte = static_cast<unsigned char>(left_[at]);
    if (at == 9 && byte > 1) break;  // beyond 64 bits
    number |= std::uint64_t{byte & 0x7FU} << (7 * at);
    if (byte < 0x80) {
      left_.remove_prefix(at + 1);
      return number;
    }
  }
  Fail("a number without an end");
}

std::string_view WireReader::Take(std::uint64_t length) {
  if (length > left_.size()) Fail("longer than its message");
  const std::string_view taken = left_.substr(0, length);
  left_.remove_prefix(length);
  return taken;
}

void WireReader::Fail(const char* what) const {
  throw WireError(fmt::format("protobuf: field {} is {}", field_, what));
}

std::string_view BytesOf(std::string_view message, std::uint32_t field) {
  std::string_view bytes;
  for (WireReader reader(message); reader.Next();)
    if (reader.field() == field) bytes = reader.Bytes();
  return bytes;
}

}  // namespace fluxnetes::cluster
