// Decodes Kubernetes objects of the optional kinds (watched_kind.h) from JSON,
// or Protobuf, to values. As with pods and nodes (objects.h), decoding never
// fails but for damaged Protobuf; a missing field, or one of another type, has
// its default.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cluster/objects/job_annotations.h"
#include "cluster/objects/namespace.h"
#include "cluster/objects/pod_group.h"
#include "cluster/objects/storage_class.h"
#include "cluster/objects/volume.h"
#include "cluster/objects/volume_claim.h"
#include "cluster/protobuf/encoded_value.h"
#include "cluster/structures/node_topology.h"

namespace fluxnetes::cluster {

Namespace DecodeNamespace(const EncodedValue& object);
StorageClass DecodeStorageClass(const EncodedValue& object);
Volume DecodeVolume(const EncodedValue& object);
VolumeClaim DecodeVolumeClaim(const EncodedValue& object);

// Decodes the annotations of a Job; none if it has none for us.
JobAnnotations DecodeJobAnnotations(const EncodedValue& object);

// Decodes a PodGroup of scheduling.x-k8s.io/v1alpha1 or
// scheduling.k8s.io/v1alpha2. A size that is not an integer of 32 bits counts
// as missing; an unreadable amount is kLargestAmount.
PodGroup DecodePodGroup(PodGroupApi api, const EncodedValue& object);

// Decodes a NodeResourceTopology, from JSON alone. Zones of another type than
// Node, and resources without an amount, are left out.
NodeTopology DecodeNodeTopology(const nlohmann::json& object);

}  // namespace fluxnetes::cluster
