// Counts the requests to an API server for metrics: requests by verb, resource
// and status with their durations, and lists and streams by watched kind. Each
// attempt counts, so that retries show.
//
// Verbs and resources are named as in an RBAC role: "patch" of "pods/status".
// Object names are left out, so the number of series stays in the dozens.
//
// Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/objects/watched_kind.h"
#include "sql/durations.h"
#include "sql/mutex.h"

namespace fluxnetes::cluster {

struct ApiCallCounts {
  std::string verb;
  std::string resource;
  std::map<int, std::uint64_t> answers;  // by status; 0: no answer
  sql::Durations::Counts durations = {};
};

struct WatchCounts {
  WatchedKind kind{};
  std::uint64_t lists = 0;    // begun
  std::uint64_t streams = 0;  // opened; a watch reopens them
};

// Returns the verb and the resource without names: "get" and "pods" for "GET"
// and "/api/v1/namespaces/a/pods/b?x=y".
std::pair<std::string_view, std::string> VerbAndResource(
    std::string_view method, std::string_view path);

class ApiTally {
 public:
  void Answered(std::string_view method, std::string_view path, int status,
                std::chrono::nanoseconds took) EXCLUDES(mutex_);
  void Lists(WatchedKind kind) { ++watches_.at(Number(kind)).lists; }
  void Streams(WatchedKind kind) { ++watches_.at(Number(kind)).streams; }

  std::vector<ApiCallCounts> calls() const EXCLUDES(mutex_);
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

  mutable sql::Mutex mutex_;
  std::map<std::pair<std::string_view, std::string>, Call> calls_
      GUARDED_BY(mutex_);

  std::array<Watched, kWatchedKinds> watches_;  // of atomic numbers
};

}  // namespace fluxnetes::cluster
