// What the API server says of objects of one kind, read: one line of a watch,
// one page of a list. (Kubernetes API concepts: "Efficient detection of
// changes", "Retrieving large results sets in chunks".)
//
// Pure functions that throw nothing: what cannot be read is a value too.
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
    kBookmark,    // nothing but a newer version
    kError,       // the watch is over: `code`, `message`
    kUnreadable,  // not JSON, or nothing that a watch says
  };
  Type type = Type::kUnreadable;
  WatchEvent event;
  std::string resource_version;
  bool ends_list = false;  // a bookmark: all that there was has been told
  int code = 0;
  std::string message;
};

// What pods have in common is shared, as far as `common` knows it.
WatchLine ReadWatchLine(WatchedKind kind, std::string_view line,
                        CommonParts* common = nullptr);

struct ListPage {
  bool readable = false;
  std::vector<WatchEvent> changes;
  std::string resource_version;  // of the list
  std::string continuation;      // empty: it was the last page
};

ListPage ReadListPage(WatchedKind kind, std::string_view body,
                      CommonParts* common = nullptr);

// The message of a Status object, else the beginning of the body.
std::string ReadStatusMessage(std::string_view body);

}  // namespace fluxnetes::cluster
