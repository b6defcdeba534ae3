#include "cluster/protobuf/envelope.h"

#include "cluster/protobuf/wire_reader.h"
#include "cluster/protobuf/wire_writer.h"
#include "cluster/text/quote.h"

namespace fluxnetes::cluster {
namespace {

constexpr std::string_view kMagic("k8s\0", 4);
// Fields of an Unknown, of a TypeMeta and of a RawExtension.
constexpr std::uint32_t kTypeMeta = 1;
constexpr std::uint32_t kRaw = 2;
constexpr std::uint32_t kContentEncoding = 3;
constexpr std::uint32_t kApiVersion = 1;
constexpr std::uint32_t kKind = 2;
constexpr std::uint32_t kRawBytes = 1;

}  // namespace

bool IsProtobuf(std::string_view body) { return body.starts_with(kMagic); }

EnvelopedObject OpenEnvelope(std::string_view body) {
  if (!IsProtobuf(body))
    throw WireError("protobuf: an object does not begin with \"k8s\"");
  EnvelopedObject object;
  std::string_view raw;
  for (WireReader reader(body.substr(kMagic.size())); reader.Next();) {
    if (reader.field() == kTypeMeta)
      object.kind = BytesOf(reader.Bytes(), kKind);
    if (reader.field() == kRaw) raw = reader.Bytes();
    if (reader.field() == kContentEncoding && !reader.Bytes().empty())
      throw WireError("protobuf: an object is encoded once more");
  }
  const MessageFields* const fields = FieldsOfKind(object.kind);
  if (fields == nullptr)
    throw WireError("protobuf: objects of kind " + Quote(object.kind) +
                    " are not read");
  object.value = EncodedValue(*fields, raw);
  return object;
}

std::string WriteEnvelope(std::string_view api_version, std::string_view kind,
                          std::string_view message) {
  return std::string(kMagic) +
         BytesField(kTypeMeta, BytesField(kApiVersion, api_version) +
                                   BytesField(kKind, kind)) +
         BytesField(kRaw, message);
}

WatchFrame OpenWatchFrame(std::string_view frame) {
  constexpr std::uint32_t kType = 1;
  constexpr std::uint32_t kObject = 2;
  std::string type;
  std::string_view object;
  for (WireReader reader(frame); reader.Next();) {
    if (reader.field() == kType) type = reader.Bytes();
    if (reader.field() == kObject) object = BytesOf(reader.Bytes(), kRawBytes);
  }
  return {std::move(type), OpenEnvelope(object)};
}

}  // namespace fluxnetes::cluster
