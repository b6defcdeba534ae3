// The services of the forerunners, as services/proto/forerunners describes
// them: fluxion.FluxionService, fluxcli.FluxcliService and, if it is asked for,
// service.ExternalPluginService. Their calls wait for the match, on threads of
// their own (GrpcCalls), so that they keep no others back.
//
// Thread-safe.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "services/forerunners/forerunner_match.h"
#include "services/grpc/grpc_calls.h"

namespace grpc {
class Service;
}

namespace fluxnetes::services {

class ForerunnerServices {
 public:
  struct Options {
    ForerunnerMatch::Options match = {};
    bool external_plugin = false;
  };

  // The queries that the pool must have prepared.
  static std::vector<std::span<const sql::Query>> Catalogues();

  ForerunnerServices(sql::Pool& pool, queue::WorkQueue& jobs, GrpcCalls& calls,
                     Options options);
  ~ForerunnerServices();
  ForerunnerServices(const ForerunnerServices&) = delete;
  ForerunnerServices& operator=(const ForerunnerServices&) = delete;

  // To be registered with a server that ends before this does.
  std::vector<grpc::Service*> services() const;

  // As in ForerunnerMatch; Stop() before the server's.
  void Ring();
  void Stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::services
