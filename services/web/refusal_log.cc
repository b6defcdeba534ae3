#include "services/web/refusal_log.h"

#include <chrono>

namespace fluxnetes::services {
namespace {

constexpr int kLinesASecond = 20;
constexpr std::size_t kLongestPath = 100;

}  // namespace

void RefusalLog::Note(const WebRequest& request, int status,
                      const std::string& why) {
  const auto second = std::chrono::duration_cast<std::chrono::seconds>(
                          std::chrono::steady_clock::now().time_since_epoch())
                          .count();
  {
    const sql::MutexLock lock(mutex_);
    if (second != second_) {
      second_ = second;
      lines_ = 0;
    }
    if (++lines_ > kLinesASecond) return;
  }
  log_.Warn("a request of a browser is refused",
            {{"why", why},
             {"status", status},
             {"method", request.method},
             {"path", request.path.substr(0, kLongestPath)}});
}

}  // namespace fluxnetes::services
