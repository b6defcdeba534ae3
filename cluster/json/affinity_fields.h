// The long field names of affinities.
// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#scheduling
// Tests: tests/cluster/json/request_decoder_test.cc.
#pragma once

namespace fluxnetes::cluster {

inline constexpr const char* kRequired =
    "requiredDuringSchedulingIgnoredDuringExecution";
inline constexpr const char* kPreferred =
    "preferredDuringSchedulingIgnoredDuringExecution";

}  // namespace fluxnetes::cluster
