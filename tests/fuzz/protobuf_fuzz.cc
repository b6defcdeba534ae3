// Any frame of a watch and any page of a list in Protobuf is either read or
// reported as unreadable. An object that is read gives the same value once it
// is written in JSON field by field; and it can be written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "cluster/json/object_writer.h"
#include "cluster/json/objects.h"
#include "cluster/json/watch_line.h"
#include "cluster/protobuf/envelope.h"
#include "cluster/protobuf/wire_reader.h"
#include "cluster/text/timestamp.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using Shape = MessageField::Shape;
using Type = MessageField::Type;

Json JsonOf(const MessageFields& fields, const EncodedValue& message);

Json JsonOfOne(const MessageField& field, const EncodedValue& value) {
  switch (field.type) {
    case Type::kText:
    case Type::kQuantity:
      return value.Text().value();
    case Type::kFlag:
      return value.Flag();
    case Type::kInteger:
      return value.Integer().value();
    case Type::kTime:
      if (const auto time = value.ReadTime()) return FormatTimestamp(*time);
      return "in no year";
    case Type::kMessage:
      return JsonOf(*field.message, value);
  }
  std::abort();
}

Json JsonOf(const MessageFields& fields, const EncodedValue& message) {
  Json json = Json::object();
  for (const MessageField& field : fields.fields) {
    const EncodedValue value = message.At(field.name);
    if (value.IsNull()) continue;
    Json& member = json[std::string(field.name)];
    if (field.shape == Shape::kList) {
      for (const EncodedValue& each : value.List())
        member.push_back(JsonOfOne(field, each));
    } else if (field.shape == Shape::kMap) {
      for (const auto& [key, each] : value.Entries())
        member[key] = JsonOfOne(field, each);
    } else {
      member = JsonOfOne(field, value);
    }
  }
  return json;
}

void Compare(const EnvelopedObject& object) {
  const MessageFields& fields = *FieldsOfKind(object.kind);
  if (object.kind == "Pod") {
    const Pod pod = DecodePod(object.value);
    if (!(pod == DecodePod(JsonOf(fields, object.value)))) std::abort();
    static_cast<void>(DecodePod(Json::parse(WritePod(pod))));
  } else if (object.kind == "Node") {
    const Node node = DecodeNode(object.value);
    if (!(node == DecodeNode(JsonOf(fields, object.value)))) std::abort();
    static_cast<void>(DecodeNode(Json::parse(WriteNode(node))));
  }
}

void CompareFrame(std::string_view bytes) {
  try {
    Compare(OpenWatchFrame(bytes).object);
  } catch (const WireError&) {
  }
}

void CompareObject(std::string_view bytes) {
  try {
    Compare(OpenEnvelope(bytes));
  } catch (const WireError&) {
  }
}

}  // namespace
}  // namespace fluxnetes::cluster

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  namespace cluster = fluxnetes::cluster;
  using cluster::WatchedKind;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const WatchedKind kind : {WatchedKind::kPods, WatchedKind::kNodes}) {
    static_cast<void>(cluster::ReadWatchFrame(kind, bytes));
    static_cast<void>(cluster::ReadListPage(kind, bytes));
  }
  static_cast<void>(cluster::ReadStatusMessage(bytes));
  cluster::CompareFrame(bytes);
  cluster::CompareObject(bytes);
  return 0;
}
