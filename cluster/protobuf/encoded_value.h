// A value inside of an object as the API server sent it, in JSON or in
// Protobuf. The decoders of objects read this, so that one decoder serves both
// encodings and finds the same in them.
//
//   pod.name = Text(At(object, "metadata"), "name");
//
// Fields have their names in JSON. As in json_field.h, a value that is missing,
// or of another type, is null, empty, or the given default. Protobuf is read
// where it lies: what is not asked for costs nothing, and nothing is copied but
// the texts that are returned. So damage is noticed only where it is read; then
// the functions throw WireError.
//
// The encodings differ in these, which are evened out here:
// - Protobuf writes a text that is not set as an empty one: both are null,
//   unless the field is optional.
// - A Time that is zero is null, and one of a message is without fractions.
// - Invalid UTF-8, which Protobuf carries as it is, becomes U+FFFD, as the API
//   server does for JSON.
//
// A view: the JSON, or the bytes, outlive it. Its depth is bounded by that of
// message_fields.h.
//
// Tests: tests/cluster/protobuf/both_encodings_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/protobuf/message_fields.h"
#include "cluster/text/timestamp.h"

namespace fluxnetes::cluster {

class EncodedValue {
 public:
  using Entry = std::pair<std::string, EncodedValue>;

  // Null.
  EncodedValue() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a decoder is called with null
  EncodedValue(std::nullptr_t) {}
  // NOLINTNEXTLINE(google-explicit-constructor): or with JSON
  EncodedValue(const nlohmann::json& json) : form_(Form::kJson), json_(&json) {}
  // A message in Protobuf.
  EncodedValue(const MessageFields& fields, std::string_view bytes)
      : form_(Form::kMessage), fields_(&fields), bytes_(bytes) {}

  bool IsNull() const;
  // An object of JSON; a message or a map.
  bool IsObject() const;

  // A member of an object, or an entry of a map.
  EncodedValue At(std::string_view key) const;
  std::vector<EncodedValue> List() const;
  std::vector<Entry> Entries() const;

  std::optional<std::string> Text() const;
  // One above the range of int64 is its largest.
  std::optional<std::int64_t> Integer() const;
  bool IsFlag() const;
  bool Flag() const;
  // Whether it is a time, readable or not.
  bool IsTime() const;
  std::optional<Time> ReadTime() const;
  // A text, else the JSON of the value. Throws if that is not UTF-8.
  std::string Written() const;

  bool IsJson() const { return form_ == Form::kJson; }
  // Null if it is not JSON.
  const nlohmann::json& Json() const;
  // All of it that is read, as JSON; of a message that is read whole also each
  // field that is not known, as "field 17". A time of no year is another text.
  nlohmann::json ToJson() const;

 private:
  enum class Form {
    kNull,
    kJson,
    kText,
    kNumber,
    kFlag,
    kTime,
    kRaw,
    kMessage,
    kList,
    kMap
  };

  EncodedValue Member(const MessageField& field) const;
  nlohmann::json MessageToJson() const;
  // One value of a field that is in `bytes`.
  static EncodedValue One(const MessageField& field, std::string_view bytes);

  Form form_ = Form::kNull;
  const nlohmann::json* json_ = nullptr;
  const MessageFields* fields_ = nullptr;  // of a message
  const MessageField* field_ = nullptr;    // of a list, a map
  // Of a list and a map: the message that they are in, from their first element
  // on.
  std::string_view bytes_;
  std::uint64_t number_ = 0;
};

EncodedValue At(const EncodedValue& object, std::string_view key);
std::string Text(const EncodedValue& object, std::string_view key,
                 const char* otherwise = "");
bool Flag(const EncodedValue& object, std::string_view key);
std::vector<EncodedValue> List(const EncodedValue& value);
std::vector<std::string> Texts(const EncodedValue& list);

}  // namespace fluxnetes::cluster
