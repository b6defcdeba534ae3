// Decodes a controller of pods (controller_state.h). As
// with pods (objects.h), decoding never fails: a controller that does not say
// how many pods it keeps is unknown.
#pragma once

#include <string>
#include <string_view>

#include "cluster/controller_state.h"
#include "cluster/protobuf/encoded_value.h"

namespace fluxnetes::cluster {

ControllerState DecodeControllerState(const std::string& kind,
                                      const EncodedValue& object);

// The number of indexes in a Job's notation: "1,3-5,7" has five (Kubernetes API
// reference: JobStatus.completedIndexes). An unreadable part counts as none.
int CountIndexes(std::string_view indexes);

}  // namespace fluxnetes::cluster
