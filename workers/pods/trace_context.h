// The trace that a group is part of, by W3C Trace Context: a traceparent,
//
//   00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
//      trace id                         parent's span id flags
//
// as the annotation `traceparent` of its first pod that has one says, so that
// whoever made the pod finds our lines in its own trace; else made when the
// group's first pod is taken in. It stands in the rows of the group
// (pod_groups.traceparent, group_history.traceparent), and its trace id in each
// line of the log about it.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cluster/objects/pod.h"

namespace fluxnetes::workers {

inline constexpr const char* kTraceparentAnnotation = "traceparent";

// Nothing if there is none, or one that must be ignored (W3C Trace Context,
// section 3.2.2): a version other than 00, upper case, or only zeros.
std::optional<std::string> TraceparentOf(const cluster::Pod& pod);

// The parts of one that can be used.
std::string_view TraceIdOf(std::string_view traceparent);
std::string_view ParentIdOf(std::string_view traceparent);

}  // namespace fluxnetes::workers
