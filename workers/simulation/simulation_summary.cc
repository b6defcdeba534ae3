#include "workers/simulation/simulation_summary.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "workers/simulation/resource_use.h"

namespace fluxnetes::workers {
namespace {

constexpr double kShortest = 10;  // seconds, of a run in the bounded slowdown

// An allocation that exists at the end counts until the end.
std::int64_t EndIn(const Course& course, const GroupCourse& group) {
  return group.end < 0 ? course.end : std::min(group.end, course.end);
}

// The group runs at the end of the course; its run time is unknown.
bool StillRuns(const Course& course, const GroupCourse& group) {
  return group.end < 0 || group.end > course.end;
}

// By the nearest rank, of sorted waits.
std::int64_t Percentile(const std::vector<std::int64_t>& waits, double part) {
  if (waits.empty()) return 0;
  const auto rank = static_cast<std::size_t>(
      std::ceil(part * static_cast<double>(waits.size())));
  return waits[std::max<std::size_t>(rank, 1) - 1];
}

void CountStates(const Course& course, SimulationSummary& summary) {
  using State = GroupCourse::State;
  for (const GroupCourse& group : course.groups) {
    switch (group.state) {
      case State::kEnded:
        ++summary.ended;
        break;
      case State::kTimedOut:
        ++summary.timed_out;
        break;
      case State::kUnsatisfiable:
        ++summary.unsatisfiable;
        break;
      case State::kGivenUp:
        ++summary.given_up;
        break;
      case State::kRunning:
        ++summary.running;
        break;
      case State::kWaiting:
        ++summary.waiting;
        break;
    }
    summary.evictions += static_cast<std::size_t>(group.restarts);
    if (group.restarts > 0) ++summary.preempted;
    const bool open = group.start < 0 && course.stopped;
    if (group.promised_at < 0 || open) continue;
    ++summary.promised;
    if (group.start >= 0 && group.start <= group.promised)
      ++summary.promises_kept;
  }
}

struct Slowdowns {
  double sum = 0;
  std::int64_t count = 0;
};

// Jain's index of the users' means.
double FairnessOf(const std::vector<Slowdowns>& users) {
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (const Slowdowns& user : users) {
    if (user.count == 0) continue;
    const double mean = user.sum / static_cast<double>(user.count);
    sum += mean;
    squares += mean * mean;
    ++count;
  }
  return squares > 0 ? sum * sum / (count * squares) : 1;
}

void SumUpWaits(const Scenario& scenario, const Course& course,
                SimulationSummary& summary) {
  std::vector<std::int64_t> waits;
  std::vector<Slowdowns> users(std::max<std::size_t>(scenario.users.size(), 1));
  Slowdowns all;
  double sum = 0;
  for (std::size_t i = 0; i < course.groups.size(); ++i) {
    const GroupCourse& group = course.groups[i];
    if (group.start < scenario.begin || group.start < 0) continue;
    const std::int64_t wait = group.start - group.submit;
    waits.push_back(wait);
    sum += static_cast<double>(wait);
    if (StillRuns(course, group)) continue;
    const auto run = static_cast<double>(group.end - group.start);
    const double slowdown = std::max(
        1.0, (static_cast<double>(wait) + run) / std::max(run, kShortest));
    for (Slowdowns* each :
         {&all, &users[static_cast<std::size_t>(scenario.groups[i].user)]}) {
      each->sum += slowdown;
      ++each->count;
    }
  }
  std::sort(waits.begin(), waits.end());
  const auto count =
      static_cast<double>(std::max<std::size_t>(waits.size(), 1));
  summary.wait_mean = sum / count;
  summary.wait_p50 = Percentile(waits, 0.5);
  summary.wait_p95 = Percentile(waits, 0.95);
  summary.wait_p99 = Percentile(waits, 0.99);
  summary.wait_most = waits.empty() ? 0 : waits.back();
  if (all.count > 0)
    summary.slowdown = all.sum / static_cast<double>(all.count);
  summary.fairness = FairnessOf(users);
  summary.users = static_cast<std::size_t>(
      std::count_if(users.begin(), users.end(),
                    [](const Slowdowns& user) { return user.count > 0; }));
}

}  // namespace

std::int64_t FirstInstant(const Scenario& scenario) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const Scenario::Group& group : scenario.groups)
    first = std::min(first, group.submit);
  return scenario.groups.empty() ? scenario.begin
                                 : std::max(first, scenario.begin);
}

std::vector<double> UtilisationOverTime(const Scenario& scenario,
                                        const Course& course,
                                        const std::string& resource,
                                        int parts) {
  std::vector<double> held(static_cast<std::size_t>(parts));
  const std::int64_t begin = FirstInstant(scenario);
  const double part = static_cast<double>(course.end - begin) / parts;
  const double all = AmountOfNodes(scenario.nodes, resource);
  if (part <= 0 || all <= 0) return held;
  const std::vector<double> amounts = AmountOfShapes(scenario, resource);
  for (std::size_t i = 0; i < course.groups.size(); ++i) {
    const GroupCourse& group = course.groups[i];
    if (group.start < 0) continue;
    const double from =
        static_cast<double>(std::max(group.start, begin) - begin) / part;
    const double to = static_cast<double>(EndIn(course, group) - begin) / part;
    const double share =
        amounts[static_cast<std::size_t>(scenario.groups[i].shape)] / all;
    for (auto at = static_cast<std::size_t>(from);
         at < held.size() && static_cast<double>(at) < to; ++at) {
      const auto left = static_cast<double>(at);
      held[at] += share * (std::min(to, left + 1) - std::max(from, left));
    }
  }
  return held;
}

std::vector<ResourceUse> UsesOf(const Scenario& scenario,
                                const Course& course) {
  std::vector<ResourceUse> uses;
  for (const std::string& name : ResourcesAsked(scenario))
    uses.push_back(
        {name, UtilisationOverTime(scenario, course, name, 1).front()});
  std::ranges::stable_sort(uses, std::greater<>(), &ResourceUse::share);
  if (!uses.empty())
    uses.erase(
        std::remove_if(std::next(uses.begin()), uses.end(),
                       [](const auto& use) { return use.resource == "pods"; }),
        uses.end());
  return uses;
}

SimulationSummary Summarize(const Scenario& scenario, const Course& course) {
  SimulationSummary summary;
  summary.groups = scenario.groups.size();
  summary.longest_line = course.longest_line;
  summary.makespan =
      std::max<std::int64_t>(course.end - FirstInstant(scenario), 0);
  CountStates(course, summary);
  SumUpWaits(scenario, course, summary);
  summary.utilisation = UsesOf(scenario, course);
  return summary;
}

}  // namespace fluxnetes::workers
