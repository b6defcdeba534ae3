// Reads a message in the wire format of Protobuf, one field after the other
// (https://protobuf.dev/programming-guides/encoding/). A field that is not
// asked for is passed over unread, however large it is.
//
//   WireReader reader(bytes);
//   while (reader.Next())
//     if (reader.field() == 1) name = reader.Bytes();
//
// A nested message is the bytes of its field, which another reader reads: there
// is no recursion. Groups, which Kubernetes does not use, are an error.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace fluxnetes::cluster {

// The bytes are no message, or not the one that is expected.
class WireError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class WireReader {
 public:
  // The text outlives the reader and what it returns.
  explicit WireReader(std::string_view message) : left_(message) {}

  // Moves to the next field; false at the end. Throws WireError.
  bool Next();

  std::uint32_t field() const { return field_; }
  // The value of the field. Throw WireError if it is of another type.
  std::uint64_t Number() const;
  std::string_view Bytes() const;
  // This field and all that follow it.
  std::string_view FromHere() const { return from_here_; }

 private:
  enum class Type { kNumber = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  std::uint64_t TakeNumber();
  std::string_view Take(std::uint64_t length);
  [[noreturn]] void Fail(const char* what) const;

  std::string_view left_;
  std::string_view from_here_;
  std::uint32_t field_ = 0;
  Type type_ = Type::kNumber;
  std::uint64_t number_ = 0;
  std::string_view bytes_;
};

// The bytes of a field of the message: the last ones count, as in Protobuf;
// empty if there are none. Throws WireError.
std::string_view BytesOf(std::string_view message, std::uint32_t field);

}  // namespace fluxnetes::cluster
