// The gRPC services of Fluence and of the Go version of Fluxnetes, as described
// in services/proto/fluence: fluxion.FluxionService, fluxcli.FluxcliService
// and, as an option, service.ExternalPluginService. Their calls wait for the
// match on separate threads (GrpcCalls), so that other calls are not delayed.
//
// Thread-safe.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "services/fluence/fluence_match.h"
#include "services/grpc/grpc_calls.h"

namespace grpc {
class Service;
}

namespace fluxnetes::services {

class FluenceServices {
 public:
  struct Options {
    FluenceMatch::Options match = {};
    bool external_plugin = false;
  };

  // The queries that the pool must have prepared.
  static std::vector<std::span<const sql::Query>> Catalogues();

  FluenceServices(sql::Pool& pool, queue::WorkQueue& jobs, GrpcCalls& calls,
                  Options options);
  ~FluenceServices();
  FluenceServices(const FluenceServices&) = delete;
  FluenceServices& operator=(const FluenceServices&) = delete;

  // The services to register with a server, which must end before this object.
  std::vector<grpc::Service*> services() const;

  // As in FluenceMatch; call Stop() before that of the server.
  void Ring();
  void Stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::services
