// Answers unary calls of gRPC's callback API on threads of their own, since
// what they ask of the database blocks and gRPC's threads must not. Who calls
// is known before; what is thrown becomes the status, in one place:
//
//   grpc::ServerUnaryReactor* Cancel(grpc::CallbackServerContext* context,
//                                    const CancelRequest* request,
//                                    CancelResponse* response) override {
//     return calls_.Answer(*context, [=, this](const Caller& caller) {
//       Require(caller.MayOperate(), "only an operator may cancel it");
//       ...
//     });
//   }
//
// A call that nobody waits for any more (cancelled, past its deadline) when its
// turn comes is not begun; one that finds too many waiting is refused
// (RESOURCE_EXHAUSTED).
//
// Thread-safe. Stop() after the server's; it finishes what was begun.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "services/config/log.h"
#include "services/database/caller.h"
#include "services/grpc/grpc_access.h"

namespace grpc {
class CallbackServerContext;
class ServerUnaryReactor;
class Status;
}  // namespace grpc

namespace fluxnetes::services {

// Canonical codes (google.rpc.Code) that a call may end with by itself.
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

// Ends a call with that code. `field` is what is wrong in the request, by its
// path ("queue.name"), if it is one.
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

// Refuses with PERMISSION_DENIED unless it is allowed.
void Require(bool allowed, const std::string& what);

// The status of an exception: of GrpcRefusal, Failure and sql::Error what they
// say, of others INTERNAL.
grpc::Status StatusOf(const std::exception& error);

struct GrpcCallsOptions {
  int threads = 4;
  std::size_t waiting = 1024;
};

class GrpcCalls {
 public:
  using Work = std::function<void(const Caller& caller)>;

  GrpcCalls(GrpcCallsOptions options, const GrpcAccess& access, const Log& log);
  ~GrpcCalls();  // Stop()
  GrpcCalls(const GrpcCalls&) = delete;
  GrpcCalls& operator=(const GrpcCalls&) = delete;

  // `work` may use the request and the response until it returns.
  grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext& context,
                                   Work work);

  // Runs something on one of the threads; false: too much is waiting.
  [[nodiscard]] bool Post(std::function<void()> task);

  void Stop();

 private:
  void Run();
  grpc::Status Do(grpc::CallbackServerContext& context, const Work& work) const;

  const GrpcCallsOptions options_;
  const GrpcAccess& access_;
  const Log& log_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Protected by mutex_.
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;

  std::vector<std::thread> threads_;  // the last: they use the others
};

}  // namespace fluxnetes::services
