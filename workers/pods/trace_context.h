// The trace of a group, by W3C Trace Context: a traceparent,
//
//   00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
//      trace id                         parent's span id flags
//
// It is taken from the annotation `traceparent` of the group's first pod that
// has one, so that the pod's creator finds our log lines in its own trace;
// otherwise it is made when the group's first pod is recorded. It is stored in
// the rows of the group (pod_groups.traceparent, group_history.traceparent),
// and its trace id appears in each log line about the group.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cluster/objects/pod.h"

namespace fluxnetes::workers {

inline constexpr const char* kTraceparentAnnotation = "traceparent";

// Returns nothing if there is none, or one that must be ignored (W3C Trace
// Context, section 3.2.2): a version other than 00, upper case, or only zeros.
std::optional<std::string> TraceparentOf(const cluster::Pod& pod);

// The parts of a valid traceparent.
std::string_view TraceIdOf(std::string_view traceparent);
std::string_view ParentIdOf(std::string_view traceparent);
// Whether its flag says that the trace is recorded (section 3.2.2.5.1).
bool IsSampled(std::string_view traceparent);

}  // namespace fluxnetes::workers
