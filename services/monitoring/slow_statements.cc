#include "services/monitoring/slow_statements.h"

#include <chrono>

namespace fluxnetes::services {

sql::OnSlowStatement LogSlowStatements(const Log& log) {
  return [&log](std::string_view name, std::chrono::nanoseconds took) {
    const auto ms = std::chrono::floor<std::chrono::milliseconds>(took);
    log.Warn("a database statement took longer than a second",
             {{"statement", name}, {"ms", ms.count()}});
  };
}

}  // namespace fluxnetes::services
