// The unary calls of fluxnetes.v1.Scheduler in the JSON form of Connect
// (connectrpc.com/docs/protocol): a POST of the request as JSON, by protobuf's
// mapping, to "/fluxnetes.v1.Scheduler/ListGroups". The answer is the response
// as JSON, or an error {code, message, details}.
//
// Thread-safe.
// Tests: tests/services/web/web_api_pgtest.cc.
#pragma once

#include <string>
#include <string_view>

#include "services/grpc_v1/scheduler_calls.h"

namespace grpc {
class Status;
}

namespace fluxnetes::services {

struct JsonAnswer {
  int status = 200;
  std::string body = {};
};

// The path before the name of a method.
inline constexpr std::string_view kSchedulerPath = "/fluxnetes.v1.Scheduler/";

class JsonCalls {
 public:
  // `calls` must outlive it.
  explicit JsonCalls(SchedulerCalls& calls) : calls_(calls) {}

  // `method` is the last part of the path. Answers an unknown one with
  // "unimplemented".
  JsonAnswer Do(std::string_view method, const Call& call,
                const std::string& body) const;

 private:
  SchedulerCalls& calls_;
};

// Returns the error of a status that is not OK.
JsonAnswer ErrorOf(const grpc::Status& status);

// Returns an error in Connect's form; its code is one of Connect's.
JsonAnswer JsonError(int status, const std::string& code,
                     const std::string& message);

}  // namespace fluxnetes::services
