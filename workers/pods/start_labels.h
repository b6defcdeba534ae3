// Reads when a pod asks its group to start:
//
//   fluxnetes.start-after  not before this time
//   fluxnetes.start-by     by this time, else it is given up
//   fluxnetes.hold         "true": not before somebody releases it
//
// Each is a label or an annotation. A time in a label is in seconds since 1970
// (Unix time), since label values cannot contain ':'; in an annotation it may
// also be written as Kubernetes writes it (RFC 3339). For a group the latest
// start-after and the earliest start-by count, and it is held if one of its
// pods asks for it.
//
// Pure: a time in the past is not refused.
#pragma once

#include <optional>
#include <string>

#include "cluster/objects/pod.h"

namespace fluxnetes::workers {

inline constexpr const char* kStartAfterLabel = "fluxnetes.start-after";
inline constexpr const char* kStartByLabel = "fluxnetes.start-by";
inline constexpr const char* kHoldLabel = "fluxnetes.hold";

struct StartTerms {
  std::optional<cluster::Time> after;
  std::optional<cluster::Time> by;
  bool hold = false;
  bool operator==(const StartTerms&) const = default;
};

struct StartLabels {
  StartTerms terms;
  std::string refused;  // the reason; empty: the labels can be used
};
StartLabels ReadStartLabels(const cluster::Pod& pod);

}  // namespace fluxnetes::workers
