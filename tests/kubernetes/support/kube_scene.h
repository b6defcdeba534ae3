// What the checker of invariants sees of a real API server and of a scheduler
// that is a process of its own.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cluster/http/http_client.h"
#include "tests/invariants/behaviour/scene.h"

namespace fluxnetes::testing {

class KubeScene final : public Scene {
 public:
  KubeScene(cluster::HttpClient& api, sql::Pool& database,
            const std::set<std::string>& bound_by_others)
      : api_(api), database_(database), bound_by_others_(bound_by_others) {}

  // All pods and nodes of all namespaces; the time is that of this machine.
  // Throws std::runtime_error if the API server does not answer.
  cluster::SimulatedCluster::Snapshot Truth() override;
  // Of all namespaces; throws as Truth does.
  std::vector<cluster::ResourceClaimPointer> DeviceClaims() override;
  std::vector<cluster::SimulatedCluster::BindingRecord> Bindings(
      std::size_t) override {
    return {};
  }
  sql::Pool& database() override { return database_; }
  bool GivenByOthers(const std::string& uid) override {
    return bound_by_others_.contains(uid);
  }
  std::vector<SchedulerProcess*> Processes() override { return {}; }

 private:
  cluster::HttpClient& api_;
  sql::Pool& database_;
  const std::set<std::string>& bound_by_others_;
};

}  // namespace fluxnetes::testing
