// Answers unary calls of gRPC's callback API on separate threads, because their
// database queries block and gRPC's own threads must not. The work gets the
// identified caller; an exception becomes the call's status, in one place:
//
//   grpc::ServerUnaryReactor* Cancel(grpc::CallbackServerContext* context,
//                                    const CancelRequest* request,
//                                    CancelResponse* response) override {
//     return calls_.Answer(*context, [=, this](const Principal& caller) {
//       Require(caller.MayChange(name), "only a user of the namespace may");
//       ...
//     });
//   }
//
// A call whose client is gone (cancelled, past its deadline) when its turn
// comes is not begun. A call that finds too many waiting is refused
// (RESOURCE_EXHAUSTED).
//
// Thread-safe. Call Stop() after that of the server; it finishes the calls that
// were begun.
// Tests: tests/services/grpc/grpc_server_test.cc,
// tests/services/grpc_v1/grpc_scheduler_pgtest.cc.
#pragma once

#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "services/config/log.h"
#include "services/database/principal.h"
#include "services/grpc/grpc_access.h"
#include "sql/condition_variable.h"
#include "sql/mutex.h"

namespace grpc {
class CallbackServerContext;
class ServerUnaryReactor;
class Status;
}  // namespace grpc

namespace fluxnetes::services {

// Canonical codes (google.rpc.Code) with which a call itself may end.
enum class GrpcCode {
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kUnavailable = 14
};

// Ends a call with that code. `field` is the path of the invalid request field
// ("queue.name"), if there is one.
class GrpcRefusal : public std::runtime_error {
 public:
  GrpcRefusal(GrpcCode code, const std::string& what, std::string field = {})
      : std::runtime_error(what), code_(code), field_(std::move(field)) {}
  GrpcCode code() const { return code_; }
  const std::string& field() const { return field_; }

 private:
  GrpcCode code_;
  std::string field_;
};

// Throws PERMISSION_DENIED unless `allowed`.
void Require(bool allowed, const std::string& what);

// Returns the status for an exception: that of a GrpcRefusal, Failure or
// sql::Error, else INTERNAL.
grpc::Status StatusOf(const std::exception& error);

struct GrpcCallsOptions {
  int threads = 4;
  std::size_t waiting = 1024;
};

class GrpcCalls {
 public:
  using Work = std::function<void(const Principal& caller)>;

  GrpcCalls(GrpcCallsOptions options, const GrpcAccess& access, const Log& log);
  ~GrpcCalls();  // Stop()
  GrpcCalls(const GrpcCalls&) = delete;
  GrpcCalls& operator=(const GrpcCalls&) = delete;

  // `work` may use the request and the response until it returns.
  grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext& context,
                                   Work work);

  // Runs a task on one of the threads; returns false if too many are waiting.
  [[nodiscard]] bool Post(std::function<void()> task) EXCLUDES(mutex_);

  void Stop() EXCLUDES(mutex_);

 private:
  void Run() EXCLUDES(mutex_);
  grpc::Status Do(grpc::CallbackServerContext& context, const Work& work) const;

  const GrpcCallsOptions options_;
  const GrpcAccess& access_;
  const Log& log_;

  sql::Mutex mutex_;
  sql::ConditionVariable changed_;
  std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;

  std::vector<std::thread> threads_;  // last: they use the others
};

}  // namespace fluxnetes::services
