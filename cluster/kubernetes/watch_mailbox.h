// Messages from the HTTP client's thread to the thread of a watch: pages of
// lists, lines of streams and ends of streams, in order. Streams are paused
// while too many messages wait.
//
// Thread-safe.
// Tests: tests/cluster/kubernetes/kubernetes_cluster_test.cc.
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
  // Returns false to pause a stream until MayResume().
  bool HasRoom();

  // Takes up to `limit` letters; waits for the first one.
  std::deque<WatchLetter> Take(int limit,
                               std::chrono::steady_clock::time_point until);
  // True if streams were paused and there is room for them now.
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
