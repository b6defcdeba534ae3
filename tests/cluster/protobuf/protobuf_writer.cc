#include "tests/cluster/protobuf/protobuf_writer.h"

#include <nlohmann/json.hpp>

#include "cluster/text/timestamp.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using Shape = MessageField::Shape;
using Type = MessageField::Type;

// A number, a fixed64, bytes and a fixed32 of fields that no message has.
std::string Unread() {
  return NumberField(900, 1U << 31U) +
         "\xA9\x38"
         "12345678" +
         BytesField(902, "managed") +
         "\xBD\x38"
         "1234";
}

std::string WriteTime(const std::string& text) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
      ParseTimestamp(text).value().time_since_epoch());
  return NumberField(1, static_cast<std::uint64_t>(seconds.count())) +
         NumberField(2, 0);
}

// The bytes of one value of a field that is no number.
std::string WriteOne(const MessageField& field, const Json& value) {
  switch (field.type) {
    case Type::kMessage:
      return WriteMessage(*field.message, value);
    case Type::kTime:
      return value.is_null() ? "" : WriteTime(value);
    case Type::kQuantity:
      return BytesField(1, value.get<std::string>());
    case Type::kRaw:
      return BytesField(1, value.dump());
    default:
      return value.get<std::string>();
  }
}

// `between` the elements of a list.
std::string WriteMember(const MessageField& field, const Json& value,
                        const std::string& between) {
  std::string bytes;
  if (field.shape == Shape::kMap) {
    for (const auto& [key, each] : value.items()) {
      bytes +=
          BytesField(field.number,
                     BytesField(1, key) + BytesField(2, WriteOne(field, each)));
    }
  } else if (field.shape == Shape::kList) {
    for (const Json& each : value)
      bytes += BytesField(field.number, WriteOne(field, each)) + between;
  } else if (field.type == Type::kFlag) {
    bytes = NumberField(field.number, value.get<bool>() ? 1 : 0);
  } else if (field.type == Type::kInteger) {
    bytes = NumberField(field.number,
                        static_cast<std::uint64_t>(value.get<std::int64_t>()));
  } else {
    bytes = BytesField(field.number, WriteOne(field, value));
  }
  return bytes;
}

}  // namespace

std::string WriteMessage(const MessageFields& fields, const Json& object) {
  const std::string unread = fields.whole ? "" : Unread();
  std::string message = unread;
  std::string inside;
  std::uint32_t inside_number = 0;
  for (const MessageField& field : fields.fields) {
    const auto member = object.find(field.name);
    std::string bytes;
    if (member != object.end()) {
      bytes = WriteMember(field, *member, unread) + unread;
    } else if (field.shape == Shape::kOne && field.type == Type::kText &&
               !field.optional) {
      bytes = BytesField(field.number, "");
    }
    if (field.inside == 0) {
      message += bytes;
    } else {
      inside += bytes;
      inside_number = field.inside;
    }
  }
  if (inside_number != 0) message += BytesField(inside_number, inside);
  return message;
}

std::string WriteEnveloped(const std::string& kind, const Json& object) {
  return std::string("k8s\0", 4) +
         BytesField(1, BytesField(1, "v1") + BytesField(2, kind)) +
         BytesField(2, WriteMessage(*FieldsOfKind(kind), object)) +
         BytesField(3, "") + BytesField(4, "");
}

std::string WriteFrame(const std::string& type, std::string_view enveloped) {
  return BytesField(1, type) + BytesField(2, BytesField(1, enveloped));
}

}  // namespace fluxnetes::cluster
