#include "queue/jobs/job.h"

#include <array>

namespace fluxnetes::queue {
namespace {

constexpr std::array<std::string_view, 8> kNames = {
    "available", "scheduled", "retryable", "pending",
    "running",   "completed", "cancelled", "discarded"};

}  // namespace

std::string_view NameOf(JobState state) {
  return kNames.at(static_cast<std::size_t>(state));
}

std::optional<JobState> StateNamed(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<JobState>(i);
  return std::nullopt;
}

}  // namespace fluxnetes::queue
