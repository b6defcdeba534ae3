// The watch of groups as server-sent events (the HTML standard, section 9.2):
//
//   event: changes
//   id: RESUME_TOKEN
//   data: {"groups": [...], "gone": [...], "reset": true, "current": true}
//
// The data is a WatchGroupsResponse in protobuf's JSON. A browser that comes
// back names the last id (Last-Event-ID), and gets the changes since; if the
// server no longer has them, `reset` says that all must be read again. A
// comment each 15 s shows that the connection is alive. The stream ends with
// its session.
//
// No thread waits for a stream: the feed rings, and a thread of `threads` makes
// the next piece when the reader has taken the last one. A piece is made into
// JSON once for all readers at the same place.
//
// Thread-safe.
// Tests: tests/services/web/web_api_pgtest.cc.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "services/feed/group_feed.h"
#include "services/web_http/call_threads.h"
#include "services/web_http/web_stream.h"
#include "sql/mutex.h"

namespace fluxnetes::v1 {
class WatchGroupsRequest;
}

namespace fluxnetes::services {

struct WebRequest;

// What a GET asks in its query: namespace, queue, states, search, node,
// account; "after", a token; "ids", a window; "present=false" for changes
// alone. Lists are parted by commas. Throws GrpcRefusal.
v1::WatchGroupsRequest WatchIn(const WebRequest& request);

class GroupEvents {
 public:
  // Both must outlive it and its streams.
  GroupEvents(GroupFeed& feed, CallThreads& threads)
      : feed_(feed), threads_(threads) {}

  // Returns a stream from this place on; null if there are too many already.
  // `is_let_in` is asked now and then, on a thread that may wait, whether the
  // session still exists.
  std::shared_ptr<WebStream> Watch(GroupFeed::Place place,
                                   std::function<bool()> is_let_in);

 private:
  class Reader;
  using Text = std::shared_ptr<const std::string>;  // shared by its readers

  Text TextOf(const GroupFeed::Piece& piece) EXCLUDES(mutex_);

  GroupFeed& feed_;
  CallThreads& threads_;
  sql::Mutex mutex_;
  // The last pieces and their texts.
  std::deque<std::pair<GroupFeed::Piece, Text>> made_ GUARDED_BY(mutex_);
};

}  // namespace fluxnetes::services
