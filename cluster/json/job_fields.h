// Reads and writes the fields of a batch/v1 Job that say when it has failed or
// succeeded, and when it is deleted.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cluster/objects/kubernetes_job.h"
#include "cluster/text/json_text.h"

namespace fluxnetes::cluster {

// Reads them from a Job's spec. Unreadable values count as missing.
void DecodeJobEnds(const nlohmann::json& spec, KubernetesJob& job);

// Writes them as fields of the Job's spec.
void WriteJobEnds(JsonText& json, const KubernetesJob& job);

}  // namespace fluxnetes::cluster
