// What the HTTP client's thread has brought for the thread of a watch: pages of
// lists, lines of streams and their ends, in order. Streams are held back while
// too much waits.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>

#include "cluster/http/http_client.h"
#include "cluster/objects/watched_kind.h"

namespace fluxnetes::cluster {

struct WatchLetter {
  enum class Content { kPage, kLine, kEnd };
  Content content = Content::kLine;
  WatchedKind kind = WatchedKind::kNodes;
  int epoch = 0;  // of the kind's list
  std::string line;
  HttpResponse response;
};

class WatchMailbox {
 public:
  void Put(WatchLetter letter);
  // False holds a stream back until MayResume().
  bool HasRoom();

  // Up to `limit` letters; waits for the first one.
  std::deque<WatchLetter> Take(int limit,
                               std::chrono::steady_clock::time_point until);
  // Whether streams have been held back and there is room for them now.
  bool MayResume();

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  // Protected by mutex_.
  std::deque<WatchLetter> letters_;
  std::size_t bytes_ = 0;
  bool held_back_ = false;
};

}  // namespace fluxnetes::cluster
