// The field `placement` of a SubmitRequest: what all pods of its manifests ask,
// as labels and annotations.
// Tests: tests/services/grpc_v1/grpc_manifests_pgtest.cc.
#pragma once

#include <vector>

#include "cluster/files/manifest.h"

namespace fluxnetes::v1 {
class PlacementRequest;
}  // namespace fluxnetes::v1

namespace fluxnetes::services {

// Writes the placement to the pods, also to those of Jobs. Throws GrpcRefusal
// if it cannot be used, or a pod asks for something else.
void WritePlacement(const v1::PlacementRequest& placement,
                    const cluster::ManifestOptions& options,
                    std::vector<cluster::Manifest>& manifests);

}  // namespace fluxnetes::services
