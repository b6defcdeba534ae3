// Says how many pods the makers of an incomplete group can still make: its
// makers are the controllers of its pods. A group that fewer pods can make than
// its size starts with those, once all of them are there, or says why it can
// never be whole:
//
//   the makers are known    and can make the size   ─▶ kCanBeWhole
//     (they made it whole       fewer pods              ─▶ kSmaller, with their
//     before, or could                                     number
//     by what they ask)         nobody can say          ─▶ kNobodyKnows
//   others may come too     and can make the size   ─▶ kCanBeWhole
//                               fewer pods              ─▶ kNobodyKnows
//
// The number is how many pods the group can have at the same time, those that
// have arrived included:
//
//   Job                 parallelism, or the completions that are missing, if
//                       those are fewer, without those that its pods in other
//                       groups are about to use; its active pods, if it has no
//                       completions and a pod has succeeded; none, if it is
//                       complete, has failed or has used up its backoffLimit.
//                       A suspended Job can make them once it is resumed
//   ReplicaSet, ...     its replicas
//   gone, unreadable, of another kind, failed below a controller that may make
//   it again (JobSet), or no controller at all      nobody can say
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/controller_state.h"

namespace fluxnetes::workers {

struct GroupMaker {
  std::string kind;  // "Job"
  std::string name;
  cluster::ControllerState state;
  int elsewhere = 0;  // its pods that wait or run in other groups
};

// An incomplete group.
struct IncompleteGroup {
  std::int32_t size = 0;
  std::vector<GroupMaker> makers;
  int bare_pods = 0;  // of its pods, those without a controller
  // These makers, and no others, made the group whole before.
  bool made_before = false;
};

struct GroupProspect {
  enum class Kind { kCanBeWhole, kSmaller, kNobodyKnows };
  Kind kind = Kind::kCanBeWhole;
  int pods = 0;     // kSmaller: the number that its makers can make
  std::string why;  // for people; kCanBeWhole: empty
  bool operator==(const GroupProspect&) const = default;
};

GroupProspect ProspectOf(const IncompleteGroup& group);

}  // namespace fluxnetes::workers
