#include "tests/invariants/invariants.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/invariants/world.h"

namespace fluxnetes::testing {

Invariants::Invariants(Options options) : options_(options) {}
Invariants::~Invariants() = default;

std::vector<std::string> Invariants::Check(WholeSystem& system) {
  auto world = std::make_unique<World>(system, before_.get());
  world->CheckRecordedOnce();
  world->CheckAllOrNone(options_.calm);
  world->CheckCapacity();
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
        "match_inbox", "jobs"}) {
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
