// What an API server was asked, for those who watch: requests by verb, resource
// and answer and how long they took, and how often each watched kind was listed
// and its stream opened. Each attempt counts, so that what was tried again
// shows.
//
// Verbs and resources are named as in a role: "patch" of "pods/status". Names
// of objects are left out, so there are few dozens of them.
//
// Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/objects/watched_kind.h"
#include "sql/durations.h"

namespace fluxnetes::cluster {

struct ApiCallCounts {
  std::string verb;
  std::string resource;
  std::map<int, std::uint64_t> answers;  // by status; 0: none came
  sql::Durations::Counts durations = {};
};

struct WatchCounts {
  WatchedKind kind{};
  std::uint64_t lists = 0;    // begun
  std::uint64_t streams = 0;  // opened: a watch goes on with a new one
};

// Of "GET" and "/api/v1/namespaces/a/pods/b?x=y": "get" and "pods".
std::pair<std::string_view, std::string> VerbAndResource(
    std::string_view method, std::string_view path);

class ApiTally {
 public:
  void Answered(std::string_view method, std::string_view path, int status,
                std::chrono::nanoseconds took);
  void Lists(WatchedKind kind) { ++watches_.at(Number(kind)).lists; }
  void Streams(WatchedKind kind) { ++watches_.at(Number(kind)).streams; }

  std::vector<ApiCallCounts> calls() const;
  std::vector<WatchCounts> watches() const;

 private:
  struct Call {
    std::map<int, std::uint64_t> answers;
    sql::Durations durations;
  };
  struct Watched {
    std::atomic<std::uint64_t> lists{0};
    std::atomic<std::uint64_t> streams{0};
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string_view, std::string>, Call> calls_;  // by mutex_
  std::array<Watched, kWatchedKinds> watches_;
};

}  // namespace fluxnetes::cluster
