// Finds groups for which manifests make too few pods, so that `submit` can warn
// of them in the words of `simulate`: a Job whose parallelism is less than the
// group's size, or whose completions leave a rest, or some pods of a group
// without the others.
//
//   round     0    1    2      The pods of a Job come in rounds of its
//   train   ****  ****  *      parallelism. This rest of one is less than
//                              a group of four.
//
// Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cluster/files/manifest.h"
#include "cluster/scheduler_names.h"

namespace fluxnetes::services {

struct ShortGroup {
  std::string text;  // for people; empty: none
  // The manifests make fewer pods in all than the group's size, so that others
  // are expected to follow. Otherwise nobody makes the group whole.
  bool others_follow = false;
};

// Returns an entry for each manifest, in order; a group counts at the first of
// the manifests that make its pods.
std::vector<ShortGroup> ShortGroups(
    std::span<const cluster::Manifest> manifests,
    const cluster::SchedulerNames& schedulers);

}  // namespace fluxnetes::services
