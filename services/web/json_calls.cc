#include "services/web/json_calls.h"

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>
#include <grpcpp/grpcpp.h>
#include <openssl/evp.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "fluxnetes/v1/status_details.pb.h"
#include "services/grpc/grpc_calls.h"

namespace fluxnetes::services {
namespace {

using nlohmann::json;

struct ConnectCode {
  grpc::StatusCode code;
  const char* name;
  int status;
};

// As Connect's protocol has them.
constexpr ConnectCode kConnectCodes[] = {
    {grpc::StatusCode::CANCELLED, "canceled", 499},
    {grpc::StatusCode::UNKNOWN, "unknown", 500},
    {grpc::StatusCode::INVALID_ARGUMENT, "invalid_argument", 400},
    {grpc::StatusCode::DEADLINE_EXCEEDED, "deadline_exceeded", 504},
    {grpc::StatusCode::NOT_FOUND, "not_found", 404},
    {grpc::StatusCode::ALREADY_EXISTS, "already_exists", 409},
    {grpc::StatusCode::PERMISSION_DENIED, "permission_denied", 403},
    {grpc::StatusCode::RESOURCE_EXHAUSTED, "resource_exhausted", 429},
    {grpc::StatusCode::FAILED_PRECONDITION, "failed_precondition", 400},
    {grpc::StatusCode::ABORTED, "aborted", 409},
    {grpc::StatusCode::OUT_OF_RANGE, "out_of_range", 400},
    {grpc::StatusCode::UNIMPLEMENTED, "unimplemented", 501},
    {grpc::StatusCode::INTERNAL, "internal", 500},
    {grpc::StatusCode::UNAVAILABLE, "unavailable", 503},
    {grpc::StatusCode::DATA_LOSS, "data_loss", 500},
    {grpc::StatusCode::UNAUTHENTICATED, "unauthenticated", 401}};

std::string Base64WithoutPadding(const std::string& bytes) {
  std::string text(4 * (bytes.size() / 3 + 1) + 1, '\0');
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()),
                      static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  while (text.ends_with('=')) text.pop_back();
  return text;
}

json DetailsOf(const grpc::Status& status) {
  json details = json::array();
  v1::status_details::Status parsed;
  if (!parsed.ParseFromString(status.error_details())) return details;
  for (const auto& any : parsed.details()) {
    const std::string& url = any.type_url();
    details.push_back({{"type", url.substr(url.rfind('/') + 1)},
                       {"value", Base64WithoutPadding(any.value())}});
  }
  return details;
}

// Reads the request, calls, and writes the response.
template <typename Request, typename Response>
std::string CallOne(SchedulerCalls& calls, const Call& call,
                    const std::string& body,
                    void (SchedulerCalls::*method)(const Call&, const Request&,
                                                   Response&)) {
  namespace util = google::protobuf::util;
  Request request;
  if (const auto read = util::JsonStringToMessage(body, &request); !read.ok())
    throw GrpcRefusal(
        GrpcCode::kInvalidArgument,
        fmt::format("the body is no {} in JSON: {}",
                    Request::descriptor()->name(),
                    std::string(read.message().data(), read.message().size())));
  Response response;
  (calls.*method)(call, request, response);
  std::string text;
  if (const auto written = util::MessageToJsonString(response, &text);
      !written.ok())
    throw std::runtime_error("the response cannot be written as JSON: " +
                             written.ToString());
  return text;
}

using Method = std::string (*)(SchedulerCalls&, const Call&,
                               const std::string&);

template <auto kMethod>
std::string Through(SchedulerCalls& calls, const Call& call,
                    const std::string& body) {
  return CallOne(calls, call, body, kMethod);
}

// Every unary call of the service. WatchGroups is at events/groups.
constexpr std::pair<std::string_view, Method> kMethods[] = {
    {"GetCaller", Through<&SchedulerCalls::GetCaller>},
    {"Submit", Through<&SchedulerCalls::Submit>},
    {"ListGroups", Through<&SchedulerCalls::ListGroups>},
    {"GetGroup", Through<&SchedulerCalls::GetGroup>},
    {"ExplainGroup", Through<&SchedulerCalls::ExplainGroup>},
    {"GetTimeline", Through<&SchedulerCalls::GetTimeline>},
    {"GetTimelineChart", Through<&SchedulerCalls::GetTimelineChart>},
    {"CancelGroup", Through<&SchedulerCalls::CancelGroup>},
    {"HoldGroup", Through<&SchedulerCalls::HoldGroup>},
    {"ReleaseGroup", Through<&SchedulerCalls::ReleaseGroup>},
    {"CountGroups", Through<&SchedulerCalls::CountGroups>},
    {"SetPriority", Through<&SchedulerCalls::SetPriority>},
    {"ChangeGroups", Through<&SchedulerCalls::ChangeGroups>},
    {"ListHistory", Through<&SchedulerCalls::ListHistory>},
    {"SummarizeHistory", Through<&SchedulerCalls::SummarizeHistory>},
    {"ListEstimateErrors", Through<&SchedulerCalls::ListEstimateErrors>},
    {"ListJobs", Through<&SchedulerCalls::ListJobs>},
    {"CountJobs", Through<&SchedulerCalls::CountJobs>},
    {"ChangeJobs", Through<&SchedulerCalls::ChangeJobs>},
    {"ListAudit", Through<&SchedulerCalls::ListAudit>},
    {"ListQueues", Through<&SchedulerCalls::ListQueues>},
    {"SetQueue", Through<&SchedulerCalls::SetQueue>},
    {"GetOverview", Through<&SchedulerCalls::GetOverview>},
    {"GetSystem", Through<&SchedulerCalls::GetSystem>},
    {"ListAccounts", Through<&SchedulerCalls::ListAccounts>},
    {"SetAccount", Through<&SchedulerCalls::SetAccount>},
    {"ListPools", Through<&SchedulerCalls::ListPools>},
    {"SetPool", Through<&SchedulerCalls::SetPool>},
    {"DeletePool", Through<&SchedulerCalls::DeletePool>},
    {"ListNodes", Through<&SchedulerCalls::ListNodes>},
    {"GetNode", Through<&SchedulerCalls::GetNode>},
    {"GetNodeMap", Through<&SchedulerCalls::GetNodeMap>},
    {"ListMaintenance", Through<&SchedulerCalls::ListMaintenance>},
    {"DrainNodes", Through<&SchedulerCalls::DrainNodes>},
    {"UndrainNodes", Through<&SchedulerCalls::UndrainNodes>},
    {"Simulate", Through<&SchedulerCalls::Simulate>},
    {"Match", Through<&SchedulerCalls::Match>}};

}  // namespace

JsonAnswer ErrorOf(const grpc::Status& status) {
  ConnectCode found = kConnectCodes[1];
  for (const ConnectCode& each : kConnectCodes)
    if (each.code == status.error_code()) found = each;
  JsonAnswer answer =
      JsonError(found.status, found.name, status.error_message());
  if (const json details = DetailsOf(status); !details.empty()) {
    json body = json::parse(answer.body);
    body["details"] = details;
    answer.body = body.dump();
  }
  return answer;
}

JsonAnswer JsonError(int status, const std::string& code,
                     const std::string& message) {
  return {.status = status,
          .body = json{{"code", code}, {"message", message}}.dump(
              -1, ' ', false, json::error_handler_t::replace)};
}

JsonAnswer JsonCalls::Do(std::string_view method, const Call& call,
                         const std::string& body) const {
  for (const auto& [name, run] : kMethods) {
    if (name != method) continue;
    try {
      return {.body = run(calls_, call, body)};
    } catch (const std::exception& error) {
      return ErrorOf(StatusOf(error));
    }
  }
  return JsonError(501, "unimplemented",
                   fmt::format("there is no method {}", method));
}

}  // namespace fluxnetes::services
