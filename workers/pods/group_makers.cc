#include "workers/pods/group_makers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fluxnetes::workers {
namespace {

using cluster::ControllerState;
using Life = ControllerState::Life;
using Kind = GroupProspect::Kind;

struct PodCount {
  std::optional<int> pods;  // nothing: nobody can say
  std::string why;          // what the maker says, for people
};

std::string PodsInWords(int pods) {
  return pods == 1 ? "1 pod" : std::to_string(pods) + " pods";
}

int CompletionsLeft(const ControllerState& job) {
  return std::max(0, *job.completions - job.succeeded - job.failed_indexes);
}

bool IsBackoffUsedUp(const ControllerState& job) {
  return job.failed > job.backoff_limit;
}

PodCount CountOfLivingJob(const ControllerState& job, int elsewhere) {
  if (IsBackoffUsedUp(job))
    return {0, "has failed more often than its backoffLimit"};
  if (!job.completions && job.succeeded > 0)
    return {std::min(job.at_once, job.active),
            "makes no more pods, since one has succeeded"};
  if (job.completions && CompletionsLeft(job) - elsewhere < job.at_once) {
    const int left = CompletionsLeft(job);
    std::string why =
        fmt::format("has {} of {} completions left", left, *job.completions);
    if (elsewhere > 0) why += ", and " + PodsInWords(elsewhere) + " elsewhere";
    return {std::max(0, left - elsewhere), std::move(why)};
  }
  return {job.at_once, fmt::format("makes {} at a time (its parallelism)",
                                   PodsInWords(job.at_once))};
}

PodCount CountOf(const GroupMaker& maker) {
  const ControllerState& state = maker.state;
  switch (state.life) {
    case Life::kUnknown:
      return {std::nullopt, "cannot be asked how many it makes"};
    case Life::kGone:
      return {std::nullopt, "is gone"};
    case Life::kComplete:
      return {0, "is complete"};
    case Life::kFailed: {
      std::string why = "has failed";
      if (!state.reason.empty()) why += " (" + state.reason + ")";
      if (state.controlled) return {std::nullopt, std::move(why)};
      return {0, std::move(why)};
    }
    case Life::kLives:
      break;
  }
  if (state.job) {
    PodCount count = CountOfLivingJob(state, maker.elsewhere);
    if (state.suspended) count.why += " and is suspended";
    return count;
  }
  return {state.at_once, fmt::format("has {} replica{}", state.at_once,
                                     state.at_once == 1 ? "" : "s")};
}

// How many pods it makes at a time before any has succeeded or failed.
int AsksFor(const ControllerState& state) {
  if (state.life == Life::kUnknown || state.life == Life::kGone) return 0;
  return state.completions ? std::min(state.at_once, *state.completions)
                           : state.at_once;
}

}  // namespace

GroupProspect ProspectOf(const IncompleteGroup& group) {
  // In 64 bits: each Job may ask for all that 32 hold.
  std::int64_t pods = 0;
  std::int64_t asked = 0;
  bool unknown = group.bare_pods > 0;
  std::vector<std::string> whys;
  for (const GroupMaker& maker : group.makers) {
    const PodCount count = CountOf(maker);
    unknown = unknown || !count.pods;
    pods += count.pods.value_or(0);
    asked += AsksFor(maker.state);
    whys.push_back(maker.kind + " " + maker.name + " " + count.why);
  }
  if (group.bare_pods > 0)
    whys.push_back(fmt::format("{} of its pods {} no controller",
                               group.bare_pods,
                               group.bare_pods == 1 ? "has" : "have"));
  if (pods >= group.size) return {};
  const bool known = group.made_before || asked >= group.size;
  if (known && !unknown)
    return {Kind::kSmaller, static_cast<int>(pods),
            fmt::format("only {} of {} can come: {}", pods, group.size,
                        fmt::join(whys, ", "))};
  return {Kind::kNobodyKnows, 0,
          fmt::format("never whole unless others make the missing pods: {}",
                      fmt::join(whys, ", "))};
}

}  // namespace fluxnetes::workers
