// Which pod group a pod asks to be in, read from its labels:
//
//   fluxnetes.group-name   the group; without it the pod is a group of its own,
//                          named fluxnetes-group-<namespace>-<pod>
//   fluxnetes.group-size   how many pods make the group whole; without it 1
//   fluxnetes.queue        the scheduling queue; without it "default"
//
// A value that cannot be used is refused with a text for people that says what
// is wrong and what would be right; nothing is silently replaced by a default.
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cluster/pod.h"

namespace fluxnetes::workers {

inline constexpr const char* kGroupNameLabel = "fluxnetes.group-name";
inline constexpr const char* kGroupSizeLabel = "fluxnetes.group-size";
inline constexpr const char* kQueueLabel = "fluxnetes.queue";

struct GroupLabels {
  std::string group_name;
  std::optional<std::int32_t> group_size;  // nothing exactly if refused
  std::string queue;
  std::string refused;  // why; empty: the labels can be used
  bool operator==(const GroupLabels&) const = default;
};

// A refused pod keeps the names that can be used, and the default ones for
// those that cannot, so that it can be recorded and shown.
GroupLabels ReadGroupLabels(const cluster::Pod& pod);

// "fluxnetes-group-<namespace>-<pod>".
std::string LonePodGroup(const cluster::Pod& pod);

}  // namespace fluxnetes::workers
