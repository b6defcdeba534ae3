#include "services/grpc_log.h"

#include <grpc/support/log.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace fluxnetes::services {
namespace {

constexpr int kLinesPerSecond = 10;

// gRPC takes a function without a context, so this is one for the process.
std::mutex grpc_log_mutex;
const Log* grpc_log = nullptr;  // the rest is protected by grpc_log_mutex
std::int64_t grpc_log_second = 0;
int grpc_log_lines = 0;

void WriteGrpcLine(gpr_log_func_args* line) {
  if (line->severity != GPR_LOG_SEVERITY_ERROR) return;
  const auto second = std::chrono::duration_cast<std::chrono::seconds>(
                          std::chrono::steady_clock::now().time_since_epoch())
                          .count();
  const std::lock_guard lock(grpc_log_mutex);
  if (grpc_log == nullptr) return;
  if (second != grpc_log_second) {
    grpc_log_second = second;
    grpc_log_lines = 0;
  }
  if (++grpc_log_lines > kLinesPerSecond) return;
  grpc_log->Warn("grpc", {{"what", line->message}});
}

}  // namespace

GrpcLog::GrpcLog(const Log& log) {
  const std::lock_guard lock(grpc_log_mutex);
  grpc_log = &log;
  grpc_log_lines = 0;
  gpr_set_log_function(WriteGrpcLine);
}

GrpcLog::~GrpcLog() {
  const std::lock_guard lock(grpc_log_mutex);
  grpc_log = nullptr;
}

}  // namespace fluxnetes::services
