// Decodes the fields of a v1 Pod's spec that restrict its placement. Never
// fails (see objects.h); an unreadable number is 0.
#pragma once

#include <string>
#include <vector>

#include "cluster/objects/pod.h"
#include "cluster/objects/pod_request.h"
#include "cluster/protobuf/encoded_value.h"

namespace fluxnetes::cluster {

// Decodes all of a request except its resources, which pod_requests.h computes.
void DecodePlacement(const EncodedValue& spec, PodRequest& request);

// Decodes affinity, spread and claims of a spec, and host ports if it has a
// list `ports`.
PodRules DecodeRules(const EncodedValue& spec);

// Decodes a node selector. A selector without terms yields one empty term,
// which matches nothing; no selector yields no term.
std::vector<NodeSelectorTerm> DecodeNodeSelector(const EncodedValue& selector);
NodeSelectorTerm DecodeNodeSelectorTerm(const EncodedValue& expressions);

// Decodes the claims of devices of a pod: which claim each has.
std::vector<PodClaim> DecodePodClaims(const EncodedValue& spec,
                                      const EncodedValue& status);

struct DecodedClaims {
  std::vector<std::string> all;        // no duplicates
  std::vector<std::string> ephemeral;  // the subset that belongs to the pod
};
// Returns the claims of the volumes of a pod of this name. The claim of a
// generic ephemeral volume is named after both pod and volume. (Kubernetes:
// "Ephemeral Volumes", PersistentVolumeClaim naming.)
DecodedClaims DecodeVolumeClaims(const EncodedValue& spec,
                                 const std::string& pod_name);

}  // namespace fluxnetes::cluster
