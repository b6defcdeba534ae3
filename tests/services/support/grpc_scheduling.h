// fluxnetes.v1.Scheduler on a database (a CommandDatabase), with a client on a
// socket.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "fluxnetes/v1/scheduler.grpc.pb.h"
#include "fluxnetes/v1/status_details.pb.h"
#include "services/config/config.h"
#include "services/feed/live_groups.h"
#include "services/serve/grpc_api.h"
#include "tests/services/support/command_database.h"
#include "tests/services/support/grpc_client.h"

namespace fluxnetes::services {

template <typename Database>
class GrpcScheduling : public Database {
 protected:
  GrpcScheduling() {
    config_.database.connection = this->database_.options().connection;
    config_.database.schema = this->database_.schema();
    config_.grpc.listen =
        "unix:" + ::testing::TempDir() + "grpc_scheduler.sock";
  }

  void Serve() {
    live_.emplace(config_, log_);
    live_->feed().Start();
    api_.emplace(config_, log_, live_->feed());
    api_->Start();
    stub_ = v1::Scheduler::NewStub(PlainChannel(api_->address()));
  }

  // Makes one call of a method of the stub, with enough time.
  template <typename Method, typename Request, typename Response>
  grpc::Status Call(Method method, const Request& request, Response* response) {
    grpc::ClientContext context;
    SetPatience(context);
    return ((*stub_).*method)(&context, request, response);
  }

  grpc::Status List(const v1::ListGroupsRequest& request,
                    v1::ListGroupsResponse* response) {
    return Call(&v1::Scheduler::Stub::ListGroups, request, response);
  }
  grpc::Status Cancel(const std::string& space, const std::string& name) {
    v1::CancelGroupRequest request;
    request.set_namespace_(space);
    request.set_name(name);
    v1::CancelGroupResponse response;
    return Call(&v1::Scheduler::Stub::CancelGroup, request, &response);
  }

  static std::vector<std::string> NamesOf(const auto& groups) {
    std::vector<std::string> names;
    for (const v1::Group& group : groups)
      names.push_back(group.namespace_() + "/" + group.name());
    return names;
  }

  std::string Audit() {
    return this->database_.Ask(
        "SELECT coalesce(string_agg(concat_ws(' ', caller, role, via, verb, "
        "object, detail, outcome), E'\\n' ORDER BY id), '') FROM audit");
  }

  Config config_;
  std::ostringstream lines_;
  const Log log_{{.format = LogFormat::kText, .out = &lines_}};
  std::optional<LiveGroups> live_;
  std::optional<GrpcApi> api_;
  std::unique_ptr<v1::Scheduler::Stub> stub_;
};

// Returns "DOMAIN REASON" from the status's details.
inline std::string ReasonIn(const grpc::Status& status) {
  v1::status_details::Status details;
  v1::status_details::ErrorInfo info;
  if (!details.ParseFromString(status.error_details()) ||
      details.details().empty() ||
      details.details(0).type_url() !=
          "type.googleapis.com/google.rpc.ErrorInfo" ||
      !info.ParseFromString(details.details(0).value()))
    return "(none)";
  return info.domain() + " " + info.reason();
}

// Returns the first invalid field from the status's details.
inline std::string WrongFieldIn(const grpc::Status& status) {
  v1::status_details::Status details;
  v1::status_details::BadRequest request;
  if (!details.ParseFromString(status.error_details()) ||
      details.details_size() < 2 ||
      !request.ParseFromString(details.details(1).value()))
    return "(none)";
  return request.field_violations(0).field();
}

}  // namespace fluxnetes::services
