// What the labels and annotations of a Kubernetes Job (batch/v1) say to the
// scheduler about its pods, who may not have them themselves. Only Jobs that
// say something have one.
#pragma once

#include <map>
#include <string>

namespace fluxnetes::cluster {

struct JobMarks {
  std::string uid;
  std::string resource_version;
  // Of the Job, and of the template of its pods: those of Fluence
  // (fluence.flux-framework.org/...). A label goes before an annotation, the
  // template before the Job.
  std::map<std::string, std::string> marks;
  int parallelism = 1;
  bool operator==(const JobMarks&) const = default;
};

}  // namespace fluxnetes::cluster
