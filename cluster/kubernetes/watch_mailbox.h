// Messages from the HTTP client's thread to the thread of a watch: pages of
// lists, lines or frames of streams and ends of streams, in order. Streams are
// paused while too many messages wait.
//
// Thread-safe.
// Tests: tests/cluster/kubernetes/kubernetes_cluster_test.cc.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <string>

#include "cluster/http/http_client.h"
#include "cluster/objects/watched_kind.h"
#include "sql/condition_variable.h"
#include "sql/mutex.h"

namespace fluxnetes::cluster {

struct WatchLetter {
  enum class Content { kPage, kLine, kFrame, kEnd };
  Content content = Content::kLine;
  WatchedKind kind = WatchedKind::kNodes;
  int epoch = 0;     // of the kind's list
  std::string line;  // or frame
  HttpResponse response;
};

class WatchMailbox {
 public:
  void Put(WatchLetter letter) EXCLUDES(mutex_);
  // Returns false to pause a stream until MayResume().
  bool HasRoom() EXCLUDES(mutex_);

  // Takes up to `limit` letters; waits for the first one.
  std::deque<WatchLetter> Take(int limit,
                               std::chrono::steady_clock::time_point until)
      EXCLUDES(mutex_);
  // True if streams were paused and there is room for them now.
  bool MayResume() EXCLUDES(mutex_);

 private:
  sql::Mutex mutex_;
  sql::ConditionVariable arrived_;
  std::deque<WatchLetter> letters_ GUARDED_BY(mutex_);
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
  bool held_back_ GUARDED_BY(mutex_) = false;
};

}  // namespace fluxnetes::cluster
