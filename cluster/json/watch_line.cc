#include "cluster/json/watch_line.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "cluster/devices/claim_decoder.h"
#include "cluster/devices/device_decoder.h"
#include "cluster/json/objects.h"
#include "cluster/json/optional_objects.h"
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

std::shared_ptr<const Pod> ReadPod(const Json& json, CommonParts* common) {
  Pod pod = DecodePod(json);
  if (common != nullptr) common->Share(pod);
  return Share(std::move(pod));
}

// Reads an object; false if it has no name or, for kinds that need one, no UID.
bool ReadObject(WatchedKind kind, const Json& json, CommonParts* common,
                WatchEvent& event) {
  const Json& metadata = At(json, "metadata");
  if (Text(metadata, "name").empty()) return false;
  switch (kind) {
    case WatchedKind::kPods:
      if (Text(metadata, "uid").empty()) return false;
      event.object = ReadPod(json, common);
      break;
    case WatchedKind::kNodes:
      event.object = Share(DecodeNode(json));
      break;
    case WatchedKind::kNamespaces:
      event.object = Share(DecodeNamespace(json));
      break;
    case WatchedKind::kStorageClasses:
      event.object = Share(DecodeStorageClass(json));
      break;
    case WatchedKind::kVolumes:
      event.object = Share(DecodeVolume(json));
      break;
    case WatchedKind::kVolumeClaims:
      event.object = Share(DecodeVolumeClaim(json));
      break;
    case WatchedKind::kCoschedulingGroups:
      event.object = Share(DecodePodGroup(PodGroupApi::kCoscheduling, json));
      break;
    case WatchedKind::kNativeGroups:
      event.object = Share(DecodePodGroup(PodGroupApi::kNative, json));
      break;
    case WatchedKind::kJobs:
      if (Text(metadata, "uid").empty()) return false;
      event.object = Share(DecodeJobAnnotations(json));
      break;
    case WatchedKind::kNodeTopologies:
      event.object = Share(DecodeNodeTopology(json));
      break;
    case WatchedKind::kDeviceClasses:
      event.object = Share(DecodeDeviceClass(json));
      break;
    case WatchedKind::kResourceSlices:
      event.object = Share(DecodeResourceSlice(json));
      break;
    case WatchedKind::kClaimTemplates:
      event.object = Share(DecodeResourceClaimTemplate(json));
      break;
    case WatchedKind::kResourceClaims:
      if (Text(metadata, "uid").empty()) return false;
      event.object = Share(DecodeResourceClaim(json));
      break;
  }
  return true;
}

WatchLine ReadError(const Json& status) {
  WatchLine line;
  line.type = WatchLine::Type::kError;
  const Json& code = At(status, "code");
  if (code.is_number_integer()) line.code = code.get<int>();
  line.message = Text(status, "message");
  return line;
}

}  // namespace

WatchLine ReadWatchLine(WatchedKind kind, std::string_view text,
                        CommonParts* common) {
  const Json json = Parse(text);
  const std::string type = Text(json, "type");
  const Json& object = At(json, "object");
  if (type == "ERROR") return ReadError(object);
  WatchLine line;
  line.resource_version = Text(At(object, "metadata"), "resourceVersion");
  if (type == "BOOKMARK") {
    line.ends_list = Text(At(At(object, "metadata"), "annotations"),
                          kInitialEventsEnd) == "true";
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

ListPage ReadListPage(WatchedKind kind, std::string_view body,
                      CommonParts* common) {
  ListPage page;
  const Json json = Parse(body);
  const Json& metadata = At(json, "metadata");
  page.resource_version = Text(metadata, "resourceVersion");
  page.continuation = Text(metadata, "continue");
  for (const Json& item : List(At(json, "items"))) {
    WatchEvent event;
    if (ReadObject(kind, item, common, event))
      page.changes.push_back(std::move(event));
  }
  page.readable = !page.resource_version.empty();
  return page;
}

std::string ReadStatusMessage(std::string_view body) {
  std::string message = Text(Parse(body), "message");
  if (!message.empty()) return message;
  return body.empty() ? "" : Quote(body.substr(0, 200));
}

}  // namespace fluxnetes::cluster
