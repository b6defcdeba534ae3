#include "cluster/json/watch_line.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "cluster/devices/claim_decoder.h"
#include "cluster/devices/device_decoder.h"
#include "cluster/json/objects.h"
#include "cluster/json/optional_objects.h"
#include "cluster/protobuf/encoded_value.h"
#include "cluster/protobuf/envelope.h"
#include "cluster/protobuf/wire_reader.h"
#include "cluster/text/json_field.h"
#include "cluster/text/quote.h"

namespace fluxnetes::cluster {

namespace {

using Json = nlohmann::json;

constexpr const char* kInitialEventsEnd = "k8s.io/initial-events-end";

Json Parse(std::string_view text) {
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

template <typename Object>
std::shared_ptr<const Object> Share(Object object) {
  return std::make_shared<const Object>(std::move(object));
}

std::shared_ptr<const Pod> ReadPod(const EncodedValue& value,
                                   CommonParts* common) {
  Pod pod = DecodePod(value);
  if (common != nullptr) common->Share(pod);
  return Share(std::move(pod));
}

// Reads an object; false if it has no name or, for kinds that need one, no UID.
bool ReadObject(WatchedKind kind, const EncodedValue& value,
                CommonParts* common, WatchEvent& event) {
  const EncodedValue metadata = At(value, "metadata");
  if (Text(metadata, "name").empty()) return false;
  switch (kind) {
    case WatchedKind::kPods:
      if (Text(metadata, "uid").empty()) return false;
      event.object = ReadPod(value, common);
      break;
    case WatchedKind::kNodes:
      event.object = Share(DecodeNode(value));
      break;
    case WatchedKind::kNamespaces:
      event.object = Share(DecodeNamespace(value));
      break;
    case WatchedKind::kStorageClasses:
      event.object = Share(DecodeStorageClass(value));
      break;
    case WatchedKind::kVolumes:
      event.object = Share(DecodeVolume(value));
      break;
    case WatchedKind::kVolumeClaims:
      event.object = Share(DecodeVolumeClaim(value));
      break;
    case WatchedKind::kCoschedulingGroups:
      event.object = Share(DecodePodGroup(PodGroupApi::kCoscheduling, value));
      break;
    case WatchedKind::kNativeGroups:
      event.object = Share(DecodePodGroup(PodGroupApi::kNative, value));
      break;
    case WatchedKind::kJobs:
      if (Text(metadata, "uid").empty()) return false;
      event.object = Share(DecodeJobAnnotations(value));
      break;
    case WatchedKind::kNodeTopologies:
      event.object = Share(DecodeNodeTopology(value.Json()));
      break;
    case WatchedKind::kDeviceClasses:
      event.object = Share(DecodeDeviceClass(value));
      break;
    case WatchedKind::kResourceSlices:
      event.object = Share(DecodeResourceSlice(value));
      break;
    case WatchedKind::kClaimTemplates:
      event.object = Share(DecodeResourceClaimTemplate(value));
      break;
    case WatchedKind::kResourceClaims:
      if (Text(metadata, "uid").empty()) return false;
      event.object = Share(DecodeResourceClaim(value));
      break;
  }
  return true;
}

WatchLine ReadError(const EncodedValue& status) {
  WatchLine line;
  line.type = WatchLine::Type::kError;
  line.code = DecodeInteger32(status, "code").value_or(0);
  line.message = Text(status, "message");
  return line;
}

WatchLine ReadEvent(WatchedKind kind, const std::string& type,
                    const EncodedValue& object, CommonParts* common) {
  if (type == "ERROR") return ReadError(object);
  const EncodedValue metadata = At(object, "metadata");
  WatchLine line;
  line.resource_version = Text(metadata, "resourceVersion");
  if (type == "BOOKMARK") {
    line.ends_list =
        Text(At(metadata, "annotations"), kInitialEventsEnd) == "true";
    if (!line.resource_version.empty()) line.type = WatchLine::Type::kBookmark;
    return line;
  }
  if (type == "DELETED") {
    line.event.kind = WatchEvent::Kind::kDeleted;
  } else if (type != "ADDED" && type != "MODIFIED") {
    return line;
  }
  if (ReadObject(kind, object, common, line.event)) {
    line.type = WatchLine::Type::kEvent;
  }
  return line;
}

ListPage ReadList(WatchedKind kind, const EncodedValue& list,
                  CommonParts* common) {
  ListPage page;
  const EncodedValue metadata = At(list, "metadata");
  page.resource_version = Text(metadata, "resourceVersion");
  page.continuation = Text(metadata, "continue");
  for (const EncodedValue& item : List(At(list, "items"))) {
    WatchEvent event;
    if (ReadObject(kind, item, common, event))
      page.changes.push_back(std::move(event));
  }
  page.readable = !page.resource_version.empty();
  return page;
}

// The name of a kind that is read in Protobuf; else empty, as of custom
// resources, which the API server has in JSON only.
std::string ProtobufKind(WatchedKind kind) {
  switch (kind) {
    case WatchedKind::kPods:
      return "Pod";
    case WatchedKind::kNodes:
      return "Node";
    case WatchedKind::kNamespaces:
      return "Namespace";
    case WatchedKind::kStorageClasses:
      return "StorageClass";
    case WatchedKind::kVolumes:
      return "PersistentVolume";
    case WatchedKind::kVolumeClaims:
      return "PersistentVolumeClaim";
    case WatchedKind::kNativeGroups:
      return "PodGroup";
    case WatchedKind::kJobs:
      return "Job";
    case WatchedKind::kDeviceClasses:
      return "DeviceClass";
    case WatchedKind::kResourceSlices:
      return "ResourceSlice";
    case WatchedKind::kResourceClaims:
      return "ResourceClaim";
    case WatchedKind::kCoschedulingGroups:
    case WatchedKind::kNodeTopologies:
    case WatchedKind::kClaimTemplates:
      return "";
  }
  return "";
}

}  // namespace

bool IsReadInProtobuf(WatchedKind kind) { return !ProtobufKind(kind).empty(); }

WatchLine ReadWatchLine(WatchedKind kind, std::string_view text,
                        CommonParts* common) {
  const Json json = Parse(text);
  return ReadEvent(kind, Text(json, "type"), At(json, "object"), common);
}

WatchLine ReadWatchFrame(WatchedKind kind, std::string_view frame,
                         CommonParts* common) {
  try {
    const WatchFrame read = OpenWatchFrame(frame);
    const bool fits = read.type == "ERROR"
                          ? read.object.kind == "Status"
                          : read.object.kind == ProtobufKind(kind);
    if (fits) return ReadEvent(kind, read.type, read.object.value, common);
  } catch (const WireError&) {
  }
  return {};
}

ListPage ReadListPage(WatchedKind kind, std::string_view body,
                      CommonParts* common) {
  if (!IsProtobuf(body)) return ReadList(kind, Parse(body), common);
  try {
    const EnvelopedObject list = OpenEnvelope(body);
    if (list.kind == ProtobufKind(kind) + "List")
      return ReadList(kind, list.value, common);
  } catch (const WireError&) {
  }
  return {};
}

std::string ReadStatusMessage(std::string_view body) {
  std::string message;
  if (IsProtobuf(body)) {
    try {
      message = Text(OpenEnvelope(body).value, "message");
    } catch (const WireError&) {
    }
  } else {
    message = Text(Parse(body), "message");
  }
  if (!message.empty()) return message;
  return body.empty() ? "" : Quote(body.substr(0, 200));
}

}  // namespace fluxnetes::cluster
