// Labels and annotations that say the same: a pod may have either, and if it
// has both they must be equal.
//
// Pure.
// Tests: tests/workers/pods/group_labels_test.cc.
#pragma once

#include <optional>
#include <string>

#include "cluster/objects/pod.h"

namespace fluxnetes::workers {

struct Mark {
  std::string place;  // "label fluxnetes.account"
  std::string value;
};

// Returns nothing if the pod has neither. Sets `refused` to a text for people
// if the two differ.
std::optional<Mark> FindMark(const cluster::Pod& pod, const char* name,
                             std::string& refused);

// Sets `value` to that of the mark, if the pod has it. Returns why it cannot be
// used, or an empty text.
std::string ReadMark(const cluster::Pod& pod, const char* name,
                     std::string& value);

}  // namespace fluxnetes::workers
