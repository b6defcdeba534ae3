// The rights that the scheduler needs at the API server: those of
// deploy/rbac.yaml, each with its purpose.
// Tests: tests/services/doctor/cluster_checkup_test.cc,
// tests/services/doctor/doctor_pgtest.cc.
#pragma once

#include <span>
#include <string_view>

namespace fluxnetes::services {

struct SchedulerRight {
  std::string_view group;        // "": the core group
  std::string_view resource;     // "pods"
  std::string_view subresource;  // "binding"; "": none
  std::string_view verb;
  std::string_view why;
  bool optional = false;  // without it only the purpose in `why` fails
};

std::span<const SchedulerRight> SchedulerRights();

}  // namespace fluxnetes::services
