#include "services/grpc/grpc_calls.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <utility>

#include "fluxnetes/v1/status_details.pb.h"
#include "services/console/exit_code.h"
#include "services/console/secret.h"
#include "sql/error.h"

namespace fluxnetes::services {
namespace {

constexpr std::size_t kLongestMessage = 2'000;

grpc::StatusCode CodeOf(const Failure& failure) {
  switch (failure.code()) {
    case ExitCode::kUsage:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case ExitCode::kNotFound:
      return grpc::StatusCode::NOT_FOUND;
    case ExitCode::kNoDatabase:
    case ExitCode::kNoCluster:
      return grpc::StatusCode::UNAVAILABLE;
    default:
      return grpc::StatusCode::FAILED_PRECONDITION;
  }
}

grpc::StatusCode CodeOf(const sql::Error& error) {
  // SQLSTATE of statement_timeout.
  constexpr const char* kQueryCancelled = "57014";
  if (error.sqlstate() == kQueryCancelled) {
    return grpc::StatusCode::DEADLINE_EXCEEDED;
  }
  switch (error.kind()) {
    case sql::Error::Kind::kStatement:
      return grpc::StatusCode::INTERNAL;
    case sql::Error::Kind::kInDoubt:
      return grpc::StatusCode::UNKNOWN;
    case sql::Error::Kind::kRolledBack:
      return grpc::StatusCode::ABORTED;
    default:
      return grpc::StatusCode::UNAVAILABLE;
  }
}

// Returns the reason for ErrorInfo.
const char* ReasonOf(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::INVALID_ARGUMENT:
      return "INVALID_REQUEST";
    case grpc::StatusCode::NOT_FOUND:
      return "NOT_FOUND";
    case grpc::StatusCode::ALREADY_EXISTS:
      return "ALREADY_EXISTS";
    case grpc::StatusCode::PERMISSION_DENIED:
      return "ROLE_NOT_SUFFICIENT";
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return "LIMIT_REACHED";
    case grpc::StatusCode::UNAVAILABLE:
      return "DATABASE_OR_CLUSTER_AWAY";
    case grpc::StatusCode::UNKNOWN:
      return "COMMIT_IN_DOUBT";
    default:
      return "NOT_DONE";
  }
}

template <typename Detail>
void AddDetail(v1::status_details::Status& status, const char* type,
               const Detail& detail) {
  google::protobuf::Any& any = *status.add_details();
  any.set_type_url(std::string("type.googleapis.com/google.rpc.") + type);
  any.set_value(detail.SerializeAsString());
}

// Cuts the message to a length that fits into trailers.
grpc::Status WithDetails(grpc::StatusCode code, const std::string& whole,
                         const std::string& field = {}) {
  const std::string what = whole.substr(0, kLongestMessage);
  v1::status_details::Status status;
  status.set_code(code);
  status.set_message(what);
  v1::status_details::ErrorInfo info;
  info.set_reason(ReasonOf(code));
  info.set_domain("fluxnetes");
  AddDetail(status, "ErrorInfo", info);
  if (!field.empty()) {
    v1::status_details::BadRequest request;
    auto& violation = *request.add_field_violations();
    violation.set_field(field);
    violation.set_description(what);
    AddDetail(status, "BadRequest", request);
  }
  return {code, what, status.SerializeAsString()};
}

}  // namespace

void Require(bool allowed, const std::string& what) {
  if (!allowed) throw GrpcRefusal(GrpcCode::kPermissionDenied, what);
}

grpc::Status StatusOf(const std::exception& error) {
  const std::string what = MaskPasswords(error.what());
  if (const auto* refusal = dynamic_cast<const GrpcRefusal*>(&error)) {
    return WithDetails(static_cast<grpc::StatusCode>(refusal->code()), what,
                       refusal->field());
  }
  if (const auto* failure = dynamic_cast<const Failure*>(&error)) {
    const std::string next =
        failure->next().empty() ? "" : ". " + failure->next();
    return WithDetails(CodeOf(*failure), what + next);
  }
  if (const auto* failed = dynamic_cast<const sql::Error*>(&error)) {
    return WithDetails(CodeOf(*failed), what);
  }
  // A string with a zero byte, which PostgreSQL does not accept
  // (sql/connection/connection.cc).
  if (dynamic_cast<const std::invalid_argument*>(&error) != nullptr) {
    return WithDetails(grpc::StatusCode::INVALID_ARGUMENT, what);
  }
  return WithDetails(grpc::StatusCode::INTERNAL, what);
}

GrpcCalls::GrpcCalls(GrpcCallsOptions options, const GrpcAccess& access,
                     const Log& log)
    : options_(options), access_(access), log_(log) {
  for (int i = 0; i < options_.threads; ++i) {
    threads_.emplace_back([this] { Run(); });
  }
}

GrpcCalls::~GrpcCalls() { Stop(); }

void GrpcCalls::Stop() {
  {
    const sql::MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.NotifyAll();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

bool GrpcCalls::Post(std::function<void()> task) {
  {
    const sql::MutexLock lock(mutex_);
    if (stopping_ || tasks_.size() >= options_.waiting) return false;
    tasks_.push_back(std::move(task));
  }
  changed_.NotifyOne();
  return true;
}

void GrpcCalls::Run() {
  sql::MutexLock lock(mutex_);
  while (true) {
    while (!stopping_ && tasks_.empty()) changed_.Wait(mutex_);
    if (tasks_.empty()) return;
    const auto task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.Unlock();
    task();
    lock.Lock();
  }
}

grpc::ServerUnaryReactor* GrpcCalls::Answer(
    grpc::CallbackServerContext& context, Work work) {
  grpc::ServerUnaryReactor* reactor = context.DefaultReactor();
  const bool posted = Post([this, &context, reactor, work = std::move(work)] {
    reactor->Finish(Do(context, work));
  });
  if (!posted) {
    reactor->Finish({grpc::StatusCode::RESOURCE_EXHAUSTED,
                     "too many calls wait already; try again later"});
  }
  return reactor;
}

grpc::Status GrpcCalls::Do(grpc::CallbackServerContext& context,
                           const Work& work) const {
  if (context.IsCancelled()) return grpc::Status::CANCELLED;
  if (context.deadline() <= std::chrono::system_clock::now()) {
    return {grpc::StatusCode::DEADLINE_EXCEEDED, "its turn came too late"};
  }
  try {
    work(access_.Identify(context));
    return grpc::Status::OK;
  } catch (const std::exception& error) {
    grpc::Status status = StatusOf(error);
    if (status.error_code() == grpc::StatusCode::INTERNAL) {
      log_.Error("a call failed", {{"why", error.what()}});
    }
    return status;
  }
}

}  // namespace fluxnetes::services
