// Requests that are to fail, for tests: the next so many that match are
// answered with an error instead of being served. Thread-safe.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "services/http/http_server.h"

namespace fluxnetes::services {

struct ApiFault {
  int status = 500;    // of the answer
  int count = 1;       // requests
  std::string method;  // empty: all
  std::string path;    // a part of it; empty: all
  std::optional<std::chrono::seconds> retry_after;
};

class ApiFaults {
 public:
  void Add(ApiFault fault);
  void Clear();
  // The error with which this request is to be answered.
  std::optional<HttpAnswer> Take(const HttpQuestion& question);

 private:
  std::mutex mutex_;
  std::vector<ApiFault> faults_;  // protected by mutex_
};

}  // namespace fluxnetes::services
