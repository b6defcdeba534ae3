#include "cluster/watch_line.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "cluster/json_field.h"
#include "cluster/objects.h"
#include "cluster/quote.h"

namespace fluxnetes::cluster {

namespace {

using Json = nlohmann::json;

Json Parse(std::string_view text) {
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

// Without a name it is no object.
bool ReadObject(WatchedKind kind, const Json& json, WatchEvent& event) {
  if (kind == WatchedKind::kPods) {
    auto pod = std::make_shared<Pod>(DecodePod(json));
    if (pod->name.empty() || pod->uid.empty()) return false;
    event.object = std::shared_ptr<const Pod>(std::move(pod));
    return true;
  }
  auto node = std::make_shared<Node>(DecodeNode(json));
  if (node->name.empty()) return false;
  event.object = std::shared_ptr<const Node>(std::move(node));
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

WatchLine ReadWatchLine(WatchedKind kind, std::string_view text) {
  const Json json = Parse(text);
  const std::string type = Text(json, "type");
  const Json& object = At(json, "object");
  if (type == "ERROR") return ReadError(object);
  WatchLine line;
  line.resource_version = Text(At(object, "metadata"), "resourceVersion");
  if (type == "BOOKMARK") {
    if (!line.resource_version.empty()) line.type = WatchLine::Type::kBookmark;
    return line;
  }
  if (type == "DELETED") {
    line.event.kind = WatchEvent::Kind::kDeleted;
  } else if (type != "ADDED" && type != "MODIFIED") {
    return line;
  }
  if (ReadObject(kind, object, line.event)) {
    line.type = WatchLine::Type::kEvent;
  }
  return line;
}

ListPage ReadListPage(WatchedKind kind, std::string_view body) {
  ListPage page;
  const Json json = Parse(body);
  const Json& metadata = At(json, "metadata");
  page.resource_version = Text(metadata, "resourceVersion");
  page.continuation = Text(metadata, "continue");
  for (const Json& item : List(At(json, "items"))) {
    WatchEvent event;
    if (ReadObject(kind, item, event)) page.changes.push_back(std::move(event));
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
