#include "workers/news/group_status.h"

#include <algorithm>

#include "cluster/text/utf8.h"

namespace fluxnetes::workers {
namespace {

using cluster::PodGroupStatus;
using cluster::PodPhase;
using cluster::PodPointer;

constexpr std::size_t kLongestMessage = 32'768;  // metav1.Condition

std::string Beginning(const std::string& text) {
  if (text.size() <= kLongestMessage) return text;
  std::size_t end = 0;
  while (end < kLongestMessage - 4) {
    end += std::max<std::size_t>(
        1, cluster::Utf8Length(std::string_view(text).substr(end)));
  }
  return text.substr(0, end);
}

int Count(std::span<const PodPointer> pods, PodPhase phase) {
  return static_cast<int>(std::ranges::count_if(
      pods, [phase](const PodPointer& pod) { return pod->phase == phase; }));
}

int CountPlaced(std::span<const PodPointer> pods) {
  return static_cast<int>(std::ranges::count_if(
      pods, [](const PodPointer& pod) { return !pod->node_name.empty(); }));
}

std::string PhaseOf(const PodGroupStatus& status, int pods, int wanted) {
  const int well = status.running + status.succeeded;
  if (status.succeeded >= wanted) return "Finished";
  if (pods < wanted) return "Pending";
  if (status.failed > 0 && status.failed + well >= wanted) return "Failed";
  return well >= wanted ? "Running" : "Scheduling";
}

PodGroupStatus OfCoscheduling(const cluster::PodGroup& group,
                              std::span<const PodPointer> pods, int wanted) {
  PodGroupStatus status;
  status.running = Count(pods, PodPhase::kRunning);
  status.succeeded = Count(pods, PodPhase::kSucceeded);
  status.failed = Count(pods, PodPhase::kFailed);
  status.scheduled = CountPlaced(pods);
  status.phase = PhaseOf(status, static_cast<int>(pods.size()), wanted);
  const std::string& phase = group.status.phase;
  if (status.phase == "Pending" && (phase == "Finished" || phase == "Failed"))
    return group.status;
  status.occupied_by = group.status.occupied_by;
  if (status.phase != "Pending" && status.occupied_by.empty() &&
      pods.front()->controller) {
    status.occupied_by =
        pods.front()->namespace_name + "/" + pods.front()->controller->name;
  }
  return status;
}

PodGroupStatus OfNative(const cluster::PodGroup& group,
                        std::span<const PodPointer> pods, int wanted,
                        const std::string& why) {
  PodGroupStatus status = group.status;
  if (status.condition == "True") return status;
  if (CountPlaced(pods) >= wanted) {
    status.condition = "True";
    status.reason = "Scheduled";
    status.message.clear();
  } else if (!why.empty()) {
    status.condition = "False";
    status.reason = "Unschedulable";
    status.message = Beginning(why);
  }
  return status;
}

}  // namespace

PodGroupStatus StatusOf(const cluster::PodGroup& group,
                        std::span<const PodPointer> pods,
                        const std::string& why) {
  const int wanted = std::max(1, group.min_members.value_or(1));
  return group.name.api == cluster::PodGroupApi::kCoscheduling
             ? OfCoscheduling(group, pods, wanted)
             : OfNative(group, pods, wanted, why);
}

}  // namespace fluxnetes::workers
