// Reads what the API server sends about objects of one kind: one line of a
// watch (in Protobuf: one frame), one page of a list. (Kubernetes API concepts:
// "Efficient detection of changes", "Retrieving large results sets in chunks",
// "Protobuf encoding".)
//
// Pure functions that do not throw: unreadable text is a value too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/json/common_parts.h"

namespace fluxnetes::cluster {

struct WatchLine {
  enum class Type {
    kEvent,       // `event` is a change or a deletion
    kBookmark,    // only a newer version
    kError,       // the watch is over: `code`, `message`
    kUnreadable,  // neither JSON nor Protobuf, or not a watch event
  };
  Type type = Type::kUnreadable;
  WatchEvent event;
  std::string resource_version;
  bool ends_list = false;  // a bookmark: every existing object has been sent
  int code = 0;
  std::string message;
};

// `common`, if given, shares the parts that pods have in common.
WatchLine ReadWatchLine(WatchedKind kind, std::string_view line,
                        CommonParts* common = nullptr);
WatchLine ReadWatchFrame(WatchedKind kind, std::string_view frame,
                         CommonParts* common = nullptr);

// Whether objects of this kind can be read in Protobuf too.
bool IsReadInProtobuf(WatchedKind kind);

struct ListPage {
  bool readable = false;
  std::vector<WatchEvent> changes;
  std::string resource_version;  // of the list
  std::string continuation;      // empty: this is the last page
};

// In JSON or Protobuf.
ListPage ReadListPage(WatchedKind kind, std::string_view body,
                      CommonParts* common = nullptr);

// Returns the message of a Status object, else the beginning of the body.
std::string ReadStatusMessage(std::string_view body);

}  // namespace fluxnetes::cluster
