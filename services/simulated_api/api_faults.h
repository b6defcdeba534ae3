// Injected faults for tests: the next `count` requests that match are answered
// with an error instead of being served. Thread-safe.
// Tests: tests/services/simulated_api/cluster_api_test.cc.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "services/http/http_server.h"
#include "sql/mutex.h"

namespace fluxnetes::services {

struct ApiFault {
  int status = 500;    // HTTP status of the answer
  int count = 1;       // requests to fail
  std::string method;  // empty: any
  std::string path;    // a part of the path; empty: any
  std::optional<std::chrono::seconds> retry_after;
};

class ApiFaults {
 public:
  void Add(ApiFault fault) EXCLUDES(mutex_);
  void Clear() EXCLUDES(mutex_);
  // Returns the error for this request and counts it; nullopt: serve it.
  std::optional<HttpAnswer> Take(const HttpQuestion& question) EXCLUDES(mutex_);

 private:
  sql::Mutex mutex_;
  std::vector<ApiFault> faults_ GUARDED_BY(mutex_);
};

}  // namespace fluxnetes::services
