#include "tests/invariants/invariants.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/invariants/world.h"

namespace fluxnetes::testing {
namespace {

class WholeSystemScene final : public Scene {
 public:
  explicit WholeSystemScene(WholeSystem& system) : system_(system) {}

  cluster::SimulatedCluster::Snapshot Truth() override {
    return system_.cluster.TakeSnapshot();
  }
  std::vector<cluster::ResourceClaimPointer> DeviceClaims() override {
    return system_.cluster.TakeDevices().claims;
  }
  std::vector<cluster::SimulatedCluster::BindingRecord> Bindings(
      std::size_t from) override {
    return system_.cluster.Bindings(from);
  }
  sql::Pool& database() override { return system_.database.pool(); }
  bool GivenByOthers(const std::string& uid) override {
    return system_.bound_by_others.contains(uid);
  }
  std::vector<SchedulerProcess*> Processes() override {
    std::vector<SchedulerProcess*> processes = {system_.process.get()};
    if (system_.standby) processes.push_back(system_.standby.get());
    return processes;
  }

 private:
  WholeSystem& system_;
};

}  // namespace

Invariants::Invariants(Options options) : options_(options) {}
Invariants::~Invariants() = default;

std::vector<std::string> Invariants::Check(WholeSystem& system) {
  WholeSystemScene scene(system);
  return Check(scene);
}

std::vector<std::string> Invariants::Check(Scene& scene) {
  auto world = std::make_unique<World>(scene, before_.get());
  world->CheckRecordedOnce();
  world->CheckAllOrNone(options_.calm);
  world->CheckCapacity();
  world->CheckInside();
  world->CheckDevices();
  world->CheckDeviceClaims();
  world->CheckPools();
  world->CheckGraph();
  world->CheckFencing();
  world->CheckNothingLost();
  world->CheckWork();
  world->CheckReservations();
  world->CheckClocks();
  strict_ += world->settled ? 1 : 0;
  auto violations = std::move(world->violations);
  world->before = nullptr;
  before_ = std::move(world);
  return violations;
}

std::vector<std::string> Invariants::CheckNothingLeft(
    WholeSystem& system) const {
  std::vector<std::string> left;
  for (const char* table :
       {"pods_provisional", "groups_provisional", "pods", "pod_groups",
        "allocations", "placements", "reservations", "wait_reasons",
        "match_inbox", "growth_inbox", "jobs"}) {
    const auto rows = system.Ask(std::string("SELECT count(*) FROM ") + table);
    if (rows != "0") left.push_back("6: " + rows + " rows left in " + table);
  }
  return left;
}

void Invariants::Attach(WholeSystem& system, Options options) {
  system.check =
      [checker = std::make_shared<Invariants>(options)](WholeSystem& whole) {
        for (const std::string& violation : checker->Check(whole)) {
          ADD_FAILURE() << violation;
        }
      };
}

}  // namespace fluxnetes::testing
