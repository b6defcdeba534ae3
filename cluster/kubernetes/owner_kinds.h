// The kinds of objects that operators make pods from (MPIJob, RayCluster, ...),
// with where the API server serves them: the topmost owner of a group is
// deleted at its deadline, and places are held for what an owner makes again.
// Kubernetes' own kinds are in api_path.h.
// Tests: tests/cluster/kubernetes/owner_kinds_test.cc.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/kubernetes/api_path.h"
#include "cluster/protobuf/encoded_value.h"

namespace fluxnetes::cluster {

struct OwnerKind {
  std::string kind;    // "MPIJob", as ownerReferences write it
  std::string prefix;  // "/apis/kubeflow.org/v2beta1"
  std::string plural;  // "mpijobs"
  // Whether it makes a pod anew in the place of one that failed.
  bool replaces = true;

  bool operator==(const OwnerKind&) const = default;
};

// Reads "MPIJob=mpijobs.v2beta1.kubeflow.org": a kind, and its resource as
// kubectl takes it (plural, version, group). Throws std::invalid_argument.
OwnerKind ParseOwnerKind(std::string_view text);
std::string Write(const OwnerKind& kind);

// Returns the entry of `configured` or of the known operators. Configured ones
// come first, so that they can name another version.
std::optional<OwnerKind> FindOwnerKind(std::string_view kind,
                                       std::span<const OwnerKind> configured);

// Whether an operator's object says that its work is over, by a condition or by
// one of the fields of its status that operators use for it.
bool HasFinished(const EncodedValue& object);

}  // namespace fluxnetes::cluster
