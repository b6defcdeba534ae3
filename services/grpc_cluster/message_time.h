// A time of the database as a message of Protobuf.
// Tests: tests/services/grpc_v1/grpc_scheduler_pgtest.cc.
#pragma once

#include <google/protobuf/timestamp.pb.h>

#include "sql/values/parameter.h"

namespace fluxnetes::services {

inline void Fill(google::protobuf::Timestamp& message, sql::Timestamp time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  message.set_seconds(seconds.time_since_epoch().count());
  message.set_nanos(
      static_cast<int>(std::chrono::nanoseconds(time - seconds).count()));
}

}  // namespace fluxnetes::services
