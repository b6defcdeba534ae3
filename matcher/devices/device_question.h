// A request for devices, compiled: what a search needs to know of the claims of
// a task, or of those of its claims that have no devices yet.
//
// Plain values.
// Tests: tests/matcher/node_devices/device_rules_test.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "matcher/devices/device_kinds.h"
#include "matcher/devices/device_request.h"

namespace fluxnetes::matcher {

struct DeviceQuestion {
  struct Constraint {
    AttributeId attribute = 0;
    enum class Rule {
      kMatch,     // all have one value
      kDistinct,  // each has another one
      kAlign,     // those that have it have one value
    } rule = Rule::kMatch;
    // The value of devices that the task has already.
    std::optional<int> bound_to = {};
  };
  struct Choice {
    ProbeId probe = kNone;  // kNone: its class cannot be used
    bool all = false;
    int count = 0;
    bool admin = false;
    const DeviceChoice* wanted = nullptr;
    std::vector<int> constraints;
  };
  struct Request {
    int claim = 0;
    int request = 0;  // of the claim
    std::vector<Choice> choices;
  };

  std::vector<Request> requests;
  std::vector<Constraint> constraints;
  // What each device must pass, too; kNone: nothing.
  ProbeId within = kNone;
};

// AllocationResultsMaxSize of Kubernetes.
inline constexpr int kMostDevicesOfClaim = 32;
// Sets of claims are words of 64 bits.
inline constexpr int kMostClaims = 64;

// True if a choice of a request of a claim is among those that a constraint
// names.
bool Concerns(const DeviceConstraint& constraint, const DeviceRequest& request,
              const DeviceChoice& choice);

bool IsTolerated(const DeviceTaint& taint,
                 const std::vector<DeviceToleration>& tolerations);

}  // namespace fluxnetes::matcher
