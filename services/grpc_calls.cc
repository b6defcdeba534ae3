#include "services/grpc_calls.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <utility>

#include "services/exit_code.h"
#include "services/secret.h"
#include "sql/error.h"

namespace fluxnetes::services {
namespace {

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
  constexpr const char* kQueryCancelled = "57014";  // statement_timeout
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

}  // namespace

void Require(bool allowed, const std::string& what) {
  if (!allowed) throw GrpcRefusal(GrpcCode::kPermissionDenied, what);
}

grpc::Status StatusOf(const std::exception& error) {
  const std::string what = MaskPasswords(error.what());
  if (const auto* refusal = dynamic_cast<const GrpcRefusal*>(&error)) {
    return {static_cast<grpc::StatusCode>(refusal->code()), what};
  }
  if (const auto* failure = dynamic_cast<const Failure*>(&error)) {
    const std::string next =
        failure->next().empty() ? "" : ". " + failure->next();
    return {CodeOf(*failure), what + next};
  }
  if (const auto* failed = dynamic_cast<const sql::Error*>(&error)) {
    return {CodeOf(*failed), what};
  }
  return {grpc::StatusCode::INTERNAL, what};
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
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

bool GrpcCalls::Post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || tasks_.size() >= options_.waiting) return false;
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
  return true;
}

void GrpcCalls::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const auto task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
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
