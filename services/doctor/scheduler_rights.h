// What the scheduler must be allowed at the API server: the rights of
// deploy/rbac.yaml, with what each is for.
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
  bool optional = false;  // without it only what `why` says is missing
};

std::span<const SchedulerRight> SchedulerRights();

}  // namespace fluxnetes::services
