#include "tests/matcher/gangs/policy_play.h"

#include <algorithm>
#include <set>
#include <utility>

namespace fluxnetes::matcher {
PolicyPlay::PolicyPlay(unsigned seed, Policy policy, PlayFault fault)
    : random_(seed), policy_(policy), fault_(fault), ids_(random_.Below(4)) {
  if (OnceOnly()) ids_ = 0;
  MakeCluster();
}

bool PolicyPlay::ByUnits() const {
  return policy_.score == Policy::Score::kLocality ||
         (policy_.score == Policy::Score::kId && !policy_.node_centric);
}

PolicyPlay::Request PolicyPlay::PickRequest() {
  Request request;
  request.tasks =
      random_.OneIn(3) ? random_.Between(3, 8) : random_.Between(1, 3);
  request.amounts = {random_.Between(1, 3),
                     random_.OneIn(2) ? 0 : random_.Between(1, 2),
                     random_.OneIn(5) ? 1 : 0};
  request.duration =
      random_.OneIn(3) ? random_.Between(10, 40) : random_.Between(1, 10);
  request.reserve = random_.OneIn(3);
  return request;
}

std::optional<std::string> PolicyPlay::Play(int moves) {
  for (int i = 0; i < moves; ++i) {
    ++counts_.moves;
    if (auto difference = Move()) return log_ + *difference;
  }
  return {};
}

std::optional<std::string> PolicyPlay::Move() {
  if (OnceOnly()) StartAnew();
  const int what = random_.Below(100);
  if (what < 60) return Ask();
  if (what < 80) {
    CancelSome();
  } else if (what < 90) {
    PassTime();
  } else if (what < 96) {
    Toggle();
  } else if (what < 98) {
    Grow();
  } else {
    Shrink();
  }
  return {};
}

Match PolicyPlay::AskMatcher(Matcher& matcher, JobId job,
                             const Request& request) const {
  Jobspec spec;
  spec.top = 1;
  spec.duration = static_cast<double>(request.duration);
  const auto count = [](std::int64_t n) {
    const auto exact = static_cast<std::uint32_t>(n);
    return Count{exact, exact, '+', 1};
  };
  spec.resources.push_back(
      {"slot", count(request.tasks), {}, "task", -1, 1, 1});
  for (int type = 0; type < kTypes; ++type) {
    if (request.amounts[type] == 0) continue;
    spec.resources.push_back(
        {kTypeNames[type], count(request.amounts[type]), {}, "", 0, 0, 0});
    ++spec.resources[0].last;
  }
  return matcher.Run(
      job, spec,
      request.reserve ? MatchOp::kAllocateOrElseReserve : MatchOp::kAllocate,
      now_);
}

PolicyPlay::Answer PolicyPlay::AskNodeGraph(JobId job, const Request& request) {
  Gang gang{{{request.amounts, nullptr, request.tasks}}, request.duration};
  if (fault_ == PlayFault::kShortWindow && gang.duration > 1) --gang.duration;
  Policy policy = policy_;
  if (fault_ == PlayFault::kOtherPolicy)
    policy = policy_ == Policy::kLonode ? Policy::kHinode : Policy::kLonode;
  const MatchResult result =
      request.reserve ? graph_.AllocateOrReserve(job, gang, policy, now_)
                      : graph_.Allocate(job, gang, policy, now_);
  Answer answer;
  if (const auto* placement = std::get_if<Placement>(&result)) {
    answer.start = placement->start;
    answer.nodes.assign(placement->nodes.begin(), placement->nodes.end());
    answer.tasks = answer.nodes;
    std::sort(answer.nodes.begin(), answer.nodes.end());
    if (policy_.node_exclusive)
      answer.nodes.erase(std::unique(answer.nodes.begin(), answer.nodes.end()),
                         answer.nodes.end());
  }
  return answer;
}

// Takes down what the job has in the Matcher.
void PolicyPlay::Note(JobId id, const Request& request, const Match& match) {
  Job job;
  job.reserved = match.outcome == MatchOutcome::kReserved;
  job.start = match.at;
  job.end = match.at + match.duration;
  job.amounts = request.amounts;
  for (const Taken& taken : match.taken) {
    if (taken.exclusive && node_of_.contains(taken.vertex))
      job.vertices.push_back(taken.vertex);
  }
  const auto of_first = [&](VertexIndex v) {
    const Node& node = nodes_[node_of_.at(v)];
    return std::ranges::count(node.units[0], v) > 0;
  };
  std::map<int, std::int64_t> cores;
  for (const VertexIndex v : job.vertices) {
    if (of_first(v)) ++cores[node_of_.at(v)];
  }
  for (const auto& [node, here] : cores)
    job.nodes.insert(job.nodes.end(),
                     policy_.node_exclusive ? 1 : here / request.amounts[0],
                     node);
  jobs_[id] = std::move(job);
}

std::optional<std::string> PolicyPlay::Ask() {
  const Request request = PickRequest();
  const JobId id = ++last_job_;
  const Match match = AskMatcher(*matcher_, id, request);
  const Answer ours = AskNodeGraph(id, request);
  Answer fluxion;
  if (match.found()) {
    Note(id, request, match);
    fluxion = {match.at, jobs_.at(id).nodes, {}};
    ++counts_.found;
    if (match.at > now_) ++counts_.reserved;
  }
  log_ += std::to_string(now_) + ": job " + std::to_string(id) + " " +
          Show(request) + ": " + Show(fluxion) + "\n";
  if (fluxion == ours) {
    if (!match.found()) return {};
    jobs_.at(id).tasks = ours.tasks;
    if (!policy_.node_exclusive || StopsElsewhere()) return {};
    return CompareTasks(request, ours);
  }
  auto noted = jobs_.extract(id);  // the state before the answer
  const std::string why = WhyDifferent(request, fluxion, ours);
  if (why.empty()) {
    return "the NodeGraph says " + Show(ours) + "\n" + graph_.Describe();
  }
  if (why == "equals") {
    ++counts_.equals;
  } else if (why == "visited") {
    ++counts_.visited;
  } else {
    ++(why == "end" ? counts_.by_end : counts_.by_number);
  }
  if (!noted.empty()) jobs_.insert(std::move(noted));
  log_ += "  " + why + ": " + Show(ours) + "\n";
  Follow(id);
  return {};
}

void PolicyPlay::Follow(JobId id) {
  graph_.Cancel(id);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  if (policy_.node_exclusive) return Cancel(id);  // its tasks are not known
  Job& job = found->second;
  job.tasks = job.nodes;
  const std::vector<NodeIndex> nodes(job.nodes.begin(), job.nodes.end());
  graph_.Restore(id, job.start, job.end, nodes,
                 std::vector(nodes.size(), job.amounts));
}

void PolicyPlay::Cancel(JobId id) {
  matcher_->Cancel(id);
  if (fault_ != PlayFault::kLostCancel) graph_.Cancel(id);
  jobs_.erase(id);
  log_ += "job " + std::to_string(id) + " is cancelled\n";
}

void PolicyPlay::CancelSome() {
  if (jobs_.empty()) return;
  if (random_.OneIn(2)) return EndTask();
  Cancel(std::next(jobs_.begin(), random_.Below(static_cast<int>(jobs_.size())))
             ->first);
  Repack();
}

void PolicyPlay::PassTime() {
  now_ += random_.Between(1, 6);
  std::vector<JobId> over;
  for (const auto& [id, job] : jobs_)
    if (job.end <= now_) over.push_back(id);
  for (const JobId id : over) Cancel(id);
  Repack();
}

void PolicyPlay::MakeMatcher() {
  ResourceGraph graph = matcher_->graph();
  matcher_.emplace(std::move(graph), MatcherOptions{.policy = policy_});
  for (const auto& [id, job] : jobs_) RestoreInMatcher(id, job);
}

void PolicyPlay::StartAnew() {
  while (!jobs_.empty()) Cancel(jobs_.begin()->first);
  MakeMatcher();
}

}  // namespace fluxnetes::matcher
