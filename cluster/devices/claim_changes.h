// What the scheduler changes of claims: it gives them devices before it binds
// their pods, and takes the devices back from those that it does not bind.
// (Kubernetes: kube-scheduler, plugin DynamicResources; the controller of
// resource claims.)
//
// Plain values and functions.
// Tests: tests/cluster/devices/claim_changes_test.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cluster/devices/device_objects.h"
#include "cluster/devices/resource_claim.h"
#include "cluster/text/timestamp.h"

namespace fluxnetes::cluster {

// Gives the claim these devices, for these consumers.
struct ClaimAllocation {
  std::shared_ptr<const ResourceClaim> claim;  // as last seen
  ClaimDevices devices;
  // Those that its requests name: drivers are told their configuration.
  std::vector<std::shared_ptr<const DeviceClass>> classes = {};
  std::vector<ClaimConsumer> consumers;
};

// Takes these consumers off the claim. A claim without consumers loses its
// devices. Nothing changes if the claim has other devices by now.
struct ClaimRelease {
  std::shared_ptr<const ResourceClaim> claim;  // as last seen
  std::vector<std::string> consumers;          // UIDs
};

enum class ClaimOutcome {
  kWritten,   // or was already so
  kConflict,  // it has other devices
  kGone,      // deleted, or being deleted, or another one of this name
  kRefused    // by the API server; `message` has the reason
};

struct ClaimResult {
  ClaimOutcome outcome = ClaimOutcome::kWritten;
  std::string message = {};
  // The claim as it is now; null: not known.
  std::shared_ptr<const ResourceClaim> claim = {};
};

// True if the same devices are for the same requests, in any order.
bool SameDevices(const ClaimDevices& a, const ClaimDevices& b);

// The result, if nothing of the claim is to be changed or may be.
std::optional<ClaimResult> WhyDone(const ClaimAllocation& wish,
                                   const ResourceClaim& now);
std::optional<ClaimResult> WhyDone(const ClaimRelease& wish,
                                   const ResourceClaim& now);

// Changes the claim as the API server does when all is written.
void Apply(const ClaimAllocation& wish, ResourceClaim& claim);
void Apply(const ClaimRelease& wish, ResourceClaim& claim);

// One request: a strategic merge patch of the claim or of its status, that
// names the claim's UID and version.
struct ClaimPatch {
  bool status = false;
  std::string body;
};

// The next request that the claim needs, or the result if it needs none:
//
//   allocation: finalizer ─▶ status (allocation, reservedFor) ─▶ result
//   release:    status (reservedFor, allocation) ─▶ finalizer ─▶ result
std::variant<ClaimResult, ClaimPatch> NextPatch(const ClaimAllocation& wish,
                                                const ResourceClaim& now,
                                                Time time);
std::variant<ClaimResult, ClaimPatch> NextPatch(const ClaimRelease& wish,
                                                const ResourceClaim& now);

}  // namespace fluxnetes::cluster
