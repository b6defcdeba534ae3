#include "services/simulated_api/api_faults.h"

#include <utility>

#include "services/simulated_api/api_status.h"

namespace fluxnetes::services {

void ApiFaults::Add(ApiFault fault) {
  const sql::MutexLock lock(mutex_);
  if (fault.count > 0) faults_.push_back(std::move(fault));
}

void ApiFaults::Clear() {
  const sql::MutexLock lock(mutex_);
  faults_.clear();
}

std::optional<HttpAnswer> ApiFaults::Take(const HttpQuestion& question) {
  const sql::MutexLock lock(mutex_);
  for (auto fault = faults_.begin(); fault != faults_.end(); ++fault) {
    if ((!fault->method.empty() && fault->method != question.method) ||
        question.path.find(fault->path) == std::string::npos) {
      continue;
    }
    HttpAnswer answer =
        Answer(fault->status, WriteStatus(fault->status, "a fault on demand"));
    answer.retry_after = fault->retry_after;
    if (--fault->count == 0) faults_.erase(fault);
    return answer;
  }
  return std::nullopt;
}

}  // namespace fluxnetes::services
