// The line in the log for each refused request: what was asked, and why it was
// refused; at most twenty in a second, since anybody can cause them.
//
// Thread-safe.
// Tests: tests/services/web/web_api_pgtest.cc.
#pragma once

#include <cstdint>
#include <string>

#include "services/config/log.h"
#include "services/web_http/web_message.h"
#include "sql/mutex.h"

namespace fluxnetes::services {

class RefusalLog {
 public:
  explicit RefusalLog(const Log& log) : log_(log) {}

  void Note(const WebRequest& request, int status, const std::string& why)
      EXCLUDES(mutex_);

 private:
  const Log& log_;
  sql::Mutex mutex_;
  std::int64_t second_ GUARDED_BY(mutex_) = 0;
  int lines_ GUARDED_BY(mutex_) = 0;
};

}  // namespace fluxnetes::services
