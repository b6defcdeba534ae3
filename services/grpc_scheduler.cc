#include "services/grpc_scheduler.h"

#include <grpcpp/grpcpp.h>

#include "fluxnetes/v1/scheduler.grpc.pb.h"
#include "services/version.h"

namespace fluxnetes::services {

using grpc::CallbackServerContext;
using grpc::ServerUnaryReactor;

class GrpcScheduler::Calls : public v1::Scheduler::CallbackService {
 public:
  explicit Calls(GrpcCalls& calls) : calls_(calls) {}

  ServerUnaryReactor* GetCaller(CallbackServerContext* context,
                                const v1::GetCallerRequest* /*request*/,
                                v1::GetCallerResponse* response) override {
    return calls_.Answer(*context, [response](const Caller& caller) {
      response->set_name(caller.name);
      response->set_role(caller.role == Role::kOperator ? v1::ROLE_OPERATOR
                         : caller.role == Role::kUser   ? v1::ROLE_USER
                                                        : v1::ROLE_VIEWER);
      for (const std::string& name : caller.namespaces) {
        response->add_namespaces(name);
      }
      response->set_server_version(std::string(Version()));
    });
  }

 private:
  GrpcCalls& calls_;
};

GrpcScheduler::GrpcScheduler(GrpcCalls& calls)
    : service_(std::make_unique<Calls>(calls)) {}
GrpcScheduler::~GrpcScheduler() = default;
grpc::Service& GrpcScheduler::service() { return *service_; }

}  // namespace fluxnetes::services
