// The single tasks of jobs: where they are on whole nodes, and their end.
#include <algorithm>
#include <set>
#include <stdexcept>

#include "tests/matcher/gangs/policy_play.h"

namespace fluxnetes::matcher {

std::vector<int> PolicyPlay::TasksOnWholeNodes(const Request& request,
                                               Time start) const {
  const Time end = start + request.duration;
  std::set<int> used;
  for (const auto& [id, job] : jobs_) {
    if (id != last_job_ && job.start < end && job.end > start)
      used.insert(job.nodes.begin(), job.nodes.end());
  }
  Policy shared = policy_;
  shared.node_exclusive = false;
  ResourceGraph graph = matcher_->graph();
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (nodes_[n].present)
      graph.SetUp(nodes_[n].vertex,
                  nodes_[n].up && !used.contains(static_cast<int>(n)));
  }
  Matcher matcher(std::move(graph), {.policy = shared});
  const Match match = AskMatcher(matcher, 1, request);
  std::map<int, std::int64_t> cores;
  for (const Taken& taken : match.taken) {
    const auto of = node_of_.find(taken.vertex);
    if (!taken.exclusive || of == node_of_.end()) continue;
    if (std::ranges::count(nodes_[of->second].units[0], taken.vertex) > 0)
      ++cores[of->second];
  }
  std::vector<int> tasks;
  for (const auto& [node, here] : cores)
    tasks.insert(tasks.end(), here / request.amounts[0], node);
  return tasks;
}

std::optional<std::string> PolicyPlay::CompareTasks(const Request& request,
                                                    const Answer& ours) {
  const std::vector<int> tasks = TasksOnWholeNodes(request, *ours.start);
  std::vector<int> our_tasks = ours.tasks;
  std::sort(our_tasks.begin(), our_tasks.end());
  if (tasks == our_tasks) return {};
  const Answer theirs{ours.start, tasks, {}};
  const Answer mine{ours.start, our_tasks, {}};
  auto noted = jobs_.extract(last_job_);  // the state before the answer
  const bool equal =
      ByUnits() && CostsOf(request, theirs) == CostsOf(request, mine);
  jobs_.insert(std::move(noted));
  if (!equal)
    return "the tasks are " + Show(theirs) + ", in the NodeGraph " + Show(mine);
  ++counts_.equals;
  return {};
}

// Ends one of several tasks of a job that has started.
void PolicyPlay::EndTask() {
  std::vector<JobId> some;
  for (const auto& [id, job] : jobs_) {
    const auto live =
        std::ranges::count_if(job.tasks, [](int node) { return node >= 0; });
    if (!job.reserved && live > 1) some.push_back(id);
  }
  if (some.empty()) return;
  const JobId id = some[random_.Below(static_cast<int>(some.size()))];
  Job& job = jobs_.at(id);
  int task = random_.Below(static_cast<int>(job.tasks.size()));
  while (job.tasks[task] < 0)
    task = (task + 1) % static_cast<int>(job.tasks.size());
  const int node = job.tasks[task];
  if (!nodes_[node].present) return;
  log_ += "task " + std::to_string(task) + " of job " + std::to_string(id) +
          " ends on node " + std::to_string(node) + "\n";
  ++counts_.tasks;
  job.tasks[task] = -1;
  job.parted = true;
  if (fault_ != PlayFault::kLostTask) graph_.Release(id, task);
  const bool last = std::ranges::count(job.tasks, node) == 0;
  if (!policy_.node_exclusive || last) EndTaskInMatcher(id, job, node);
  Repack();
}

// Gives back the units of a task; with the last task, a whole node.
void PolicyPlay::EndTaskInMatcher(JobId id, Job& job, int node) {
  std::vector<VertexIndex> gone;
  if (policy_.node_exclusive) gone.push_back(nodes_[node].vertex);
  for (int type = 0; type < kTypes; ++type) {
    std::int64_t left = policy_.node_exclusive ? kForever : job.amounts[type];
    for (const VertexIndex unit : nodes_[node].units[type]) {
      if (left == 0) break;
      if (std::ranges::count(job.vertices, unit) == 0) continue;
      gone.push_back(unit);
      --left;
    }
  }
  std::sort(gone.begin(), gone.end());
  const Released released = matcher_->CancelVertices(id, gone);
  std::erase_if(job.vertices,
                [&](VertexIndex v) { return std::ranges::count(gone, v) > 0; });
  // Of what it held on nodes that are removed, the Matcher knows nothing.
  const bool some = std::ranges::any_of(job.vertices, [&](VertexIndex v) {
    return nodes_[node_of_.at(v)].present;
  });
  if (released != (some ? Released::kPart : Released::kAll))
    throw std::logic_error("the Matcher does not release a part");
  job.nodes.erase(std::ranges::find(job.nodes, node));
}

}  // namespace fluxnetes::matcher
