// Any frame of a watch and any page of a list in Protobuf is either read or
// reported as unreadable. An object that is read gives the same value once it
// is written in JSON field by field; and it can be written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "cluster/devices/claim_decoder.h"
#include "cluster/devices/device_decoder.h"
#include "cluster/json/controller_json.h"
#include "cluster/json/object_writer.h"
#include "cluster/json/objects.h"
#include "cluster/json/optional_objects.h"
#include "cluster/json/watch_line.h"
#include "cluster/protobuf/envelope.h"
#include "cluster/protobuf/wire_reader.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

// An object gives the same value in its own encoding and as JSON.
template <typename Decode>
auto Decoded(const EnvelopedObject& object, const Decode& decode) {
  const Json json = object.value.ToJson();
  auto value = decode(object.value);
  if (!(value == decode(EncodedValue(json)))) std::abort();
  return value;
}

void Compare(const EnvelopedObject& object) {
  const std::string& kind = object.kind;
  if (kind.ends_with("List")) {
    for (const EncodedValue& item : object.value.At("items").List())
      Compare({kind.substr(0, kind.size() - 4), item});
  } else if (kind == "Pod") {
    const Pod pod = Decoded(object, DecodePod);
    static_cast<void>(DecodePod(Json::parse(WritePod(pod))));
  } else if (kind == "Node") {
    const Node node = Decoded(object, DecodeNode);
    static_cast<void>(DecodeNode(Json::parse(WriteNode(node))));
  } else if (kind == "Namespace") {
    Decoded(object, DecodeNamespace);
  } else if (kind == "StorageClass") {
    Decoded(object, DecodeStorageClass);
  } else if (kind == "PersistentVolume") {
    Decoded(object, DecodeVolume);
  } else if (kind == "PersistentVolumeClaim") {
    Decoded(object, DecodeVolumeClaim);
  } else if (kind == "PodGroup") {
    Decoded(object, [](const EncodedValue& value) {
      return DecodePodGroup(PodGroupApi::kNative, value);
    });
  } else if (kind == "DeviceClass") {
    Decoded(object, DecodeDeviceClass);
  } else if (kind == "ResourceSlice") {
    Decoded(object, DecodeResourceSlice);
  } else if (kind == "ResourceClaim") {
    Decoded(object, DecodeResourceClaim);
  } else {
    if (kind == "Job") Decoded(object, DecodeJobAnnotations);
    Decoded(object, [&kind](const EncodedValue& value) {
      return DecodeControllerState(kind, value);
    });
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
  for (const WatchedKind kind : cluster::WatchedKindsInOrder()) {
    static_cast<void>(cluster::ReadWatchFrame(kind, bytes));
    static_cast<void>(cluster::ReadListPage(kind, bytes));
  }
  static_cast<void>(cluster::ReadStatusMessage(bytes));
  cluster::CompareFrame(bytes);
  cluster::CompareObject(bytes);
  return 0;
}
