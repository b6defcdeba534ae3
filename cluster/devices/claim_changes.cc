#include "cluster/devices/claim_changes.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "cluster/devices/device_writer.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

std::vector<ClaimConsumer> Missing(const ClaimAllocation& wish,
                                   const ResourceClaim& now) {
  std::vector<ClaimConsumer> missing;
  for (const ClaimConsumer& each : wish.consumers) {
    if (std::ranges::count(now.reserved_for, each.uid, &ClaimConsumer::uid) ==
        0)
      missing.push_back(each);
  }
  return missing;
}

std::vector<ClaimConsumer> Remaining(const ClaimRelease& wish,
                                     const ResourceClaim& now) {
  std::vector<ClaimConsumer> remaining = now.reserved_for;
  std::erase_if(remaining, [&](const ClaimConsumer& each) {
    return std::ranges::count(wish.consumers, each.uid) > 0;
  });
  return remaining;
}

bool HasFinalizer(const ResourceClaim& claim) {
  return std::ranges::count(claim.finalizers, kClaimFinalizer) > 0;
}

ClaimResult Done(const ResourceClaim& now) {
  return {ClaimOutcome::kWritten, "",
          std::make_shared<const ResourceClaim>(now)};
}

Json PatchOf(const ResourceClaim& now) {
  return {{"metadata",
           {{"uid", now.uid}, {"resourceVersion", now.resource_version}}}};
}

ClaimPatch Finish(bool status, const Json& patch) {
  return {status, patch.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

// A text for each device, in order.
std::vector<std::tuple<std::string, matcher::DeviceId, std::string>> Sorted(
    const ClaimDevices& devices) {
  std::vector<std::tuple<std::string, matcher::DeviceId, std::string>> sorted;
  for (const matcher::AllocatedDevice& each : devices.devices)
    sorted.emplace_back(each.request, each.id, each.share);
  std::ranges::sort(sorted);
  return sorted;
}

}  // namespace

bool SameDevices(const ClaimDevices& a, const ClaimDevices& b) {
  return Sorted(a) == Sorted(b);
}

std::optional<ClaimResult> WhyDone(const ClaimAllocation& wish,
                                   const ResourceClaim& now) {
  if (now.allocation && !SameDevices(*now.allocation, wish.devices)) {
    return ClaimResult{ClaimOutcome::kConflict,
                       "the claim has other devices already",
                       std::make_shared<const ResourceClaim>(now)};
  }
  const auto missing = Missing(wish, now);
  if (now.allocation && missing.empty()) return Done(now);
  if (now.terminating) {
    return ClaimResult{ClaimOutcome::kGone, "the claim is being deleted",
                       std::make_shared<const ResourceClaim>(now)};
  }
  if (now.reserved_for.size() + missing.size() > kMostClaimConsumers) {
    return ClaimResult{ClaimOutcome::kRefused,
                       "the claim would have more than 256 consumers",
                       std::make_shared<const ResourceClaim>(now)};
  }
  return std::nullopt;
}

std::optional<ClaimResult> WhyDone(const ClaimRelease& wish,
                                   const ResourceClaim& now) {
  // What has been written since then is not what was to be given back.
  if (now.allocation && wish.claim->allocation &&
      !SameDevices(*now.allocation, *wish.claim->allocation))
    return Done(now);
  const auto remaining = Remaining(wish, now);
  const bool leaves_all = remaining.size() == now.reserved_for.size();
  const bool over =
      remaining.empty() && (now.allocation.has_value() || HasFinalizer(now));
  if (leaves_all && !over) return Done(now);
  return std::nullopt;
}

void Apply(const ClaimAllocation& wish, ResourceClaim& claim) {
  if (!HasFinalizer(claim)) claim.finalizers.emplace_back(kClaimFinalizer);
  if (!claim.allocation) claim.allocation = wish.devices;
  for (ClaimConsumer& each : Missing(wish, claim))
    claim.reserved_for.push_back(std::move(each));
}

void Apply(const ClaimRelease& wish, ResourceClaim& claim) {
  claim.reserved_for = Remaining(wish, claim);
  if (!claim.reserved_for.empty()) return;
  claim.allocation.reset();
  std::erase(claim.finalizers, kClaimFinalizer);
}

std::variant<ClaimResult, ClaimPatch> NextPatch(const ClaimAllocation& wish,
                                                const ResourceClaim& now,
                                                Time time) {
  if (auto done = WhyDone(wish, now)) return *std::move(done);
  Json patch = PatchOf(now);
  if (!now.allocation && !HasFinalizer(now)) {
    patch["metadata"]["finalizers"] = {kClaimFinalizer};
    return Finish(/*status=*/false, patch);
  }
  Json& status = patch["status"];
  for (const ClaimConsumer& each : Missing(wish, now))
    status["reservedFor"].push_back(EncodeConsumer(each));
  if (!now.allocation) {
    status["allocation"] =
        EncodeAllocation(*now.spec, wish.devices, wish.classes);
    status["allocation"]["allocationTimestamp"] =
        FormatTimestamp(std::chrono::floor<std::chrono::seconds>(time));
  }
  return Finish(/*status=*/true, patch);
}

std::variant<ClaimResult, ClaimPatch> NextPatch(const ClaimRelease& wish,
                                                const ResourceClaim& now) {
  if (auto done = WhyDone(wish, now)) return *std::move(done);
  Json patch = PatchOf(now);
  const auto remaining = Remaining(wish, now);
  const bool over = remaining.empty();
  if (over && !now.allocation && now.reserved_for.empty()) {
    patch["metadata"]["$deleteFromPrimitiveList/finalizers"] = {
        kClaimFinalizer};
    return Finish(/*status=*/false, patch);
  }
  Json& status = patch["status"];
  for (const ClaimConsumer& each : now.reserved_for) {
    if (std::ranges::count(remaining, each) > 0) continue;
    status["reservedFor"].push_back({{"$patch", "delete"}, {"uid", each.uid}});
  }
  if (over) status["allocation"] = nullptr;
  return Finish(/*status=*/true, patch);
}

}  // namespace fluxnetes::cluster
