#include "workers/simulation/jobspec_match.h"

#include <utility>

#include "cluster/text/quote.h"
#include "workers/pods/topology_labels.h"
#include "workers/simulation/scenario_parts.h"

namespace fluxnetes::workers {
namespace {

using MatchState = JobspecMatch::State;

constexpr const char* kDefaultQueue = "default";

// The topology with the keys of its levels.
cluster::GroupTopology WithKeys(cluster::GroupTopology topology,
                                const TopologyOrder& order) {
  topology.required = KeyOfLevel(topology.required, order);
  for (cluster::TopologyLevel& part : topology.required_parts)
    part.key = KeyOfLevel(part.key, order);
  return topology;
}

cluster::PodRequest RequestBy(const PodJobspec& jobspec,
                              const TopologyOrder& order) {
  cluster::PodRequest request;
  request.resources = jobspec.resources;
  request.node_affinity = jobspec.nodes;
  request = cluster::WithTopology(std::move(request),
                                  WithKeys(jobspec.topology, order));
  if (!jobspec.inside.empty())
    request.rules.Own().inside.jobspec = jobspec.inside;
  return request;
}

// Adds the pods as the last group of the scenario.
void AddGroup(const JobspecMatch& match, const std::string& namespace_name,
              int queue, Scenario& scenario) {
  ScenarioParts parts(scenario);
  Scenario::Group group;
  group.name = namespace_name + "/jobspec";
  group.submit = scenario.begin;
  if (match.jobspec.duration)
    group.duration = group.runs = match.jobspec.duration->count();
  group.preempts = false;
  group.queue = queue;
  group.user = parts.User(namespace_name);
  const int request =
      parts.Request(RequestBy(match.jobspec, scenario.queues[queue].topology),
                    namespace_name);
  group.shape = static_cast<int>(scenario.shapes.size());
  scenario.shapes.push_back({{request, match.jobspec.pods}});
  scenario.groups.push_back(std::move(group));
}

void Fill(const Placed& placed, JobspecMatch& match) {
  for (std::size_t i = 0; i < placed.members.size(); ++i) {
    const PlacedMember& member = placed.members[i];
    match.pods.push_back(
        {member.node, member.parts,
         placed.resource_sets.empty() ? "" : placed.resource_sets[i]});
  }
}

// Runs the scenario until its last group has a place, or never will.
void RunUntilPlaced(const Scenario& scenario,
                    const std::function<bool()>& go_on, JobspecMatch& match) {
  const auto group = static_cast<GroupId>(scenario.groups.size());
  bool stopped = false;
  bool known = false;
  SimulationOptions options;
  options.decided = [&](const Decision& decision) {
    for (const Placed& placed : decision.placed) {
      if (placed.group != group) continue;
      Fill(placed, match);
      known = true;
    }
    return !known;
  };
  options.progress = [&](const SimulationProgress&) {
    stopped = !go_on();
    return !stopped;
  };
  const Course course = Simulate(scenario, options);
  const GroupCourse& went = course.groups.back();
  match.start = went.start;
  if (known) {
    match.state =
        went.start <= scenario.begin ? MatchState::kNow : MatchState::kReserved;
  } else if (stopped) {
    match.state = MatchState::kTooLong;
  } else {
    match.state = went.state == GroupCourse::State::kUnsatisfiable
                      ? MatchState::kNever
                      : MatchState::kWaits;
  }
}

JobspecMatch MatchAlternative(const Scenario& scenario, const JobspecAsk& ask,
                              PodJobspec jobspec,
                              const std::function<bool()>& go_on) {
  JobspecMatch match;
  match.queue = !ask.queue.empty()       ? ask.queue
                : !jobspec.queue.empty() ? jobspec.queue
                                         : kDefaultQueue;
  match.jobspec = std::move(jobspec);
  match.refused = match.jobspec.refused;
  if (!match.refused.empty()) return match;
  Scenario changed = scenario;
  const auto queue = ScenarioParts(changed).Queue(match.queue);
  if (!queue) {
    match.refused = "there is no queue " + cluster::Quote(match.queue);
    return match;
  }
  AddGroup(match, ask.namespace_name, *queue, changed);
  RunUntilPlaced(changed, go_on, match);
  return match;
}

bool IsBetter(const JobspecMatch& a, const JobspecMatch& b) {
  if (a.refused.empty() != b.refused.empty()) return a.refused.empty();
  if (a.state != b.state) return a.state < b.state;
  return a.state == MatchState::kReserved && a.start < b.start;
}

}  // namespace

JobspecMatch MatchJobspec(const Scenario& scenario, const JobspecAsk& ask,
                          const std::function<bool()>& go_on) {
  std::optional<JobspecMatch> best;
  for (PodJobspec& jobspec : ReadAlternatives(
           ask.text,
           {.group_size = ask.pods, .max_size = {}, .resources = {}})) {
    JobspecMatch match =
        MatchAlternative(scenario, ask, std::move(jobspec), go_on);
    if (!best || IsBetter(match, *best)) best = std::move(match);
    if (best->state == MatchState::kNow) break;
  }
  return *std::move(best);
}

std::string StateWord(JobspecMatch::State state) {
  switch (state) {
    case MatchState::kNow:
      return "now";
    case MatchState::kReserved:
      return "reserved";
    case MatchState::kWaits:
      return "waits";
    case MatchState::kNever:
      return "never";
    case MatchState::kTooLong:
      return "unknown";
  }
  return "";
}

}  // namespace fluxnetes::workers
