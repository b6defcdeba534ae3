// Kubernetes objects of the kinds that are read where the cluster has them, as
// values, decoded from their JSON. As with pods and nodes (objects.h) decoding
// never fails; what is missing or of another type has its default.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cluster/objects/job_marks.h"
#include "cluster/objects/namespace.h"
#include "cluster/objects/pod_group.h"
#include "cluster/objects/storage_class.h"
#include "cluster/objects/volume.h"
#include "cluster/objects/volume_claim.h"

namespace fluxnetes::cluster {

Namespace DecodeNamespace(const nlohmann::json& object);
StorageClass DecodeStorageClass(const nlohmann::json& object);
Volume DecodeVolume(const nlohmann::json& object);
VolumeClaim DecodeVolumeClaim(const nlohmann::json& object);

// Without marks if the Job says nothing to us.
JobMarks DecodeJobMarks(const nlohmann::json& object);

// scheduling.x-k8s.io/v1alpha1 or scheduling.k8s.io/v1alpha2. A size that is no
// integer of 32 bits is as if it were not there; an amount that cannot be read
// is kLargestAmount.
PodGroup DecodePodGroup(PodGroupApi api, const nlohmann::json& object);

}  // namespace fluxnetes::cluster
