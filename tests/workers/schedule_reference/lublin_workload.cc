#include "tests/workers/schedule_reference/lublin_workload.h"

namespace fluxnetes::workers {

Workload LublinWorkload(const LublinOptions& options) {
  Workload workload;
  workload.cpus.assign(static_cast<std::size_t>(options.nodes), 1);
  for (const cluster::SwfJob& job : LublinJobs(options)) {
    TimedGroup group;
    group.id = job.number;
    group.comes = job.submit;
    group.pods = job.processors;
    group.duration = job.requested;
    group.runs = job.runs;
    workload.groups.push_back(group);
  }
  return workload;
}

}  // namespace fluxnetes::workers
