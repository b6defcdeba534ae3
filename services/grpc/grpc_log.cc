#include "services/grpc/grpc_log.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "sql/mutex.h"

namespace fluxnetes::services {
namespace {

constexpr int kLinesPerSecond = 10;

// The callbacks of gRPC and protobuf have no context, so this state is global.
sql::Mutex grpc_log_mutex;
const Log* grpc_log GUARDED_BY(grpc_log_mutex) = nullptr;
std::int64_t grpc_log_second GUARDED_BY(grpc_log_mutex) = 0;
int grpc_log_lines GUARDED_BY(grpc_log_mutex) = 0;

void WriteLine(const char* of, const std::string& line) {
  const auto second = std::chrono::duration_cast<std::chrono::seconds>(
                          std::chrono::steady_clock::now().time_since_epoch())
                          .count();
  const sql::MutexLock lock(grpc_log_mutex);
  if (grpc_log == nullptr) return;
  if (second != grpc_log_second) {
    grpc_log_second = second;
    grpc_log_lines = 0;
  }
  if (++grpc_log_lines > kLinesPerSecond) return;
  grpc_log->Warn(of, {{"what", line}});
}

void WriteGrpcLine(gpr_log_func_args* line) {
  if (line->severity == GPR_LOG_SEVERITY_ERROR)
    WriteLine("grpc", line->message);
}

void WriteProtobufLine(google::protobuf::LogLevel level, const char* /*file*/,
                       int /*line*/, const std::string& message) {
  if (level >= google::protobuf::LOGLEVEL_ERROR) WriteLine("protobuf", message);
}

}  // namespace

GrpcLog::GrpcLog(const Log& log) {
  static std::once_flag once;
  std::call_once(once,
                 [] { google::protobuf::SetLogHandler(WriteProtobufLine); });
  const sql::MutexLock lock(grpc_log_mutex);
  grpc_log = &log;
  grpc_log_lines = 0;
  gpr_set_log_function(WriteGrpcLine);
}

GrpcLog::~GrpcLog() {
  const sql::MutexLock lock(grpc_log_mutex);
  grpc_log = nullptr;
}

}  // namespace fluxnetes::services
