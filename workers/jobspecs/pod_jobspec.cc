#include "workers/jobspecs/pod_jobspec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cluster/text/quote.h"
#include "cluster/text/utf8.h"
#include "matcher/jobspec/job_tasks.h"
#include "matcher/jobspec/jobspec.h"
#include "workers/jobspecs/job_layout.h"
#include "workers/jobspecs/node_terms.h"
#include "workers/jobspecs/slot_amounts.h"

namespace fluxnetes::workers {
namespace {

using cluster::Quote;
using matcher::Jobspec;
using matcher::JobspecError;

constexpr std::int64_t kMostPods = matcher::kMaxJobTasks;
constexpr double kLongest = 3'153'600'000;  // a hundred years
constexpr std::size_t kMostReasons = 3;     // of alternatives
constexpr const char* kGpuResource = "nvidia.com/gpu";

// A jobspec that has been read, and its form.
struct ReadText {
  Jobspec jobspec;
  JobLayout layout;
  std::vector<matcher::JobTask> tasks;
};

ReadText Read(std::string_view text) {
  if (text.size() > kMaxPodJobspecBytes)
    throw JobspecError(fmt::format("has {} bytes; at most {} are right",
                                   text.size(), kMaxPodJobspecBytes));
  ReadText read;
  read.jobspec = matcher::ParseJobspec(text);
  if (read.jobspec.resources.size() > kMaxPodJobspecResources)
    throw JobspecError(
        fmt::format("resources: has {} of them; at most {} are "
                    "right",
                    read.jobspec.resources.size(), kMaxPodJobspecResources));
  read.layout = LayOut(read.jobspec);
  read.tasks = matcher::ReadJobTasks(text);
  return read;
}

// The counts above one slot, and of it, with the number of pods.
class FixedCounts {
 public:
  // Without a size there must be no range.
  FixedCounts(const Jobspec& jobspec, const JobLayout& layout, int slot)
      : jobspec_(jobspec), counted_(layout.Counted(slot)) {
    for (const int resource : counted_) {
      const matcher::Count& count = jobspec_.resources[resource].count;
      if (!IsRanged(count)) {
        Multiply(factor_, count.min, resource);
        continue;
      }
      if (ranged_ >= 0)
        RefuseResource(jobspec_, resource, ".count",
                       "is a second range above the slot; one range is right, "
                       "which the number of pods fixes");
      ranged_ = resource;
    }
  }

  bool ranged() const { return ranged_ >= 0; }

  void Fix(std::optional<std::int32_t> size,
           std::optional<std::int32_t> max_size) {
    if (!ranged()) {
      if (size && *size != factor_) Differ(*size);
      if (max_size && *max_size != factor_) Differ(*max_size);
      pods_ = factor_;
      return;
    }
    if (!size)
      RefuseResource(jobspec_, ranged_, ".count",
                     "is a range, and no number of pods fixes it; one number "
                     "is right");
    if (max_size) CheckAllowed(*max_size);
    CheckAllowed(*size);
    fixed_ = *size / factor_;
    pods_ = *size;
  }

  std::int32_t pods() const { return static_cast<std::int32_t>(pods_); }

  // The number of pods in one of the resource.
  std::int32_t Below(int resource) const {
    std::int64_t below = 1;
    for (auto each = std::ranges::find(counted_, resource) + 1;
         each != counted_.end(); ++each)
      below *= CountOf(*each);
    return static_cast<std::int32_t>(below);
  }
  std::int64_t CountOf(int resource) const {
    return resource == ranged_ ? fixed_
                               : jobspec_.resources[resource].count.min;
  }

 private:
  void Multiply(std::int64_t& product, std::int64_t by, int resource) const {
    product *= by;
    if (product > kMostPods)
      RefuseResource(jobspec_, resource, ".count",
                     fmt::format("makes more than {} pods", kMostPods));
  }

  [[noreturn]] void Differ(std::int32_t size) const {
    RefuseResource(jobspec_, counted_.front(), ".count",
                   fmt::format("the jobspec has {} slots, but the group has {} "
                               "pods; a slot is a pod, so both must be the "
                               "same",
                               factor_, size));
  }

  void CheckAllowed(std::int32_t size) const {
    const matcher::Count& range = jobspec_.resources[ranged_].count;
    const auto count = static_cast<std::uint64_t>(size / factor_);
    if (size % factor_ == 0 && count > 0 && range.Take(count) == count) return;
    RefuseResource(jobspec_, ranged_, ".count",
                   fmt::format("allows {} pods, but the group has {}",
                               AllowedIn(range, factor_), size));
  }

  const Jobspec& jobspec_;
  const std::vector<int> counted_;
  int ranged_ = -1;
  std::int64_t factor_ = 1;  // of all other counts
  std::int64_t fixed_ = 0;   // the count of the range
  std::int64_t pods_ = 0;
};

// A pod is the one task of a slot.
void CheckTasks(const ReadText& read, int slot, std::int32_t pods) {
  const std::string& label = read.jobspec.resources[slot].label;
  bool found = read.tasks.empty();
  for (std::size_t i = 0; i < read.tasks.size(); ++i) {
    const matcher::JobTask& task = read.tasks[i];
    const auto refuse = [&](const std::string& wrong) {
      throw JobspecError(fmt::format("tasks[{}]{}", i, wrong));
    };
    const bool known = std::ranges::any_of(read.layout.slots, [&](int other) {
      return read.jobspec.resources[other].label == task.slot;
    });
    if (!known)
      refuse(".slot: is " + Quote(task.slot) + ", but no slot has this label");
    if (task.slot != label) continue;
    if (found) refuse(": is a second task of its slot; a pod is the only one");
    found = true;
    if (task.per_slot && task.count != 1)
      refuse(
          fmt::format(".count.per_slot: is {}; a pod is the task of a slot, "
                      "so 1 is right. The pod's command may start more "
                      "processes",
                      task.count));
    if (!task.per_slot && task.count != pods)
      refuse(
          fmt::format(".count.total: is {}, but there are {} slots; a pod "
                      "is the task of a slot, so both must be the same",
                      task.count, pods));
  }
  if (!found)
    RefuseResource(read.jobspec, slot, ".label",
                   "is " + Quote(label) + ", and no task is for this slot");
}

cluster::GroupTopology TopologyOfLayout(const JobLayout& layout,
                                        const FixedCounts& counts) {
  cluster::GroupTopology topology;
  topology.whole_nodes = layout.whole_nodes;
  if (layout.node_in_slot) topology.per_node = {1, false};
  if (layout.node >= 0) topology.per_node = {counts.Below(layout.node), false};
  for (auto level = layout.levels.rbegin(); level != layout.levels.rend();
       ++level) {
    const bool outermost = level + 1 == layout.levels.rend();
    if (outermost && counts.CountOf(level->resource) == 1) {
      topology.required = level->word;
    } else {
      topology.required_parts.push_back(
          {level->word, counts.Below(level->resource)});
    }
  }
  return topology;
}

std::optional<std::chrono::seconds> DurationIn(const Jobspec& jobspec) {
  if (!(jobspec.duration >= 0 && jobspec.duration <= kLongest))
    throw JobspecError(fmt::format(
        "attributes.system.duration: is {}; a number of seconds from 0 to {} "
        "is right",
        jobspec.duration, static_cast<std::int64_t>(kLongest)));
  if (jobspec.duration == 0) return std::nullopt;
  return std::chrono::seconds(
      static_cast<std::int64_t>(std::ceil(jobspec.duration)));
}

// What a pod gets by one of the alternatives. Its `inside` is the slot alone.
PodJobspec ForSlot(const ReadText& read, int slot, const JobspecPod& pod) {
  PodJobspec result;
  FixedCounts counts(read.jobspec, read.layout, slot);
  counts.Fix(pod.group_size, pod.max_size);
  result.pods = counts.pods();
  CheckTasks(read, slot, result.pods);
  std::optional<SlotAmounts> requested;
  if (pod.resources) requested = AmountsOf(*pod.resources);
  const FixedSlot fixed(read.jobspec, read.layout, slot, requested);
  result.topology = TopologyOfLayout(read.layout, counts);
  result.inside = fixed.Json();
  result.nodes = TermsOf(read.jobspec.constraint);
  result.duration = DurationIn(read.jobspec);
  result.queue = read.jobspec.queue;
  result.resources.pods = 1;
  result.resources.cpu_milli = fixed.amounts().cores.value_or(0) * 1000;
  result.resources.memory_bytes = fixed.amounts().memory_mib.value_or(0) << 20;
  result.resources.SetExtended(kGpuResource, fixed.amounts().gpus.value_or(0));
  return result;
}

// Returns the alternatives that the pod can have. Throws JobspecError if it can
// have none, with the reason of each.
std::vector<PodJobspec> ForSlots(const ReadText& read, const JobspecPod& pod) {
  std::vector<PodJobspec> alternatives;
  std::vector<std::string> reasons;
  for (const int slot : read.layout.slots) {
    try {
      alternatives.push_back(ForSlot(read, slot, pod));
    } catch (const JobspecError& error) {
      if (std::ranges::find(reasons, error.what()) == reasons.end() &&
          reasons.size() < kMostReasons)
        reasons.emplace_back(error.what());
    }
  }
  if (alternatives.empty())
    throw JobspecError(fmt::format("{}", fmt::join(reasons, "; or ")));
  return alternatives;
}

// Joins alternatives for one pod: the first one, and of the others those that
// differ from it inside of the node alone.
PodJobspec Joined(const ReadText& read, std::vector<PodJobspec> alternatives) {
  PodJobspec& first = alternatives.front();
  if (first.inside.empty()) return std::move(first);
  std::vector<std::string> slots;
  for (const PodJobspec& each : alternatives) {
    if (!each.inside.empty() && each.topology == first.topology)
      slots.push_back(each.inside);
  }
  first.inside = BelowNode(read.jobspec, read.layout, slots);
  return std::move(first);
}

// Parts of the text may be in the reason, whatever is in them.
PodJobspec Refused(std::string_view why) {
  PodJobspec refused;
  while (!why.empty()) {
    const std::size_t length = cluster::Utf8Length(why);
    const auto byte = static_cast<unsigned char>(why[0]);
    const bool clean = length > 0 && byte >= ' ' && byte != 0x7F;
    refused.refused += clean ? why.substr(0, length) : "?";
    why.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return refused;
}

}  // namespace

PodJobspec ReadPodJobspec(std::string_view text, const JobspecPod& pod) {
  try {
    const ReadText read = Read(text);
    return Joined(read, ForSlots(read, pod));
  } catch (const JobspecError& error) {
    return Refused(error.what());
  }
}

std::vector<PodJobspec> ReadAlternatives(std::string_view text,
                                         const JobspecPod& pod) {
  try {
    const ReadText read = Read(text);
    std::vector<PodJobspec> alternatives = ForSlots(read, pod);
    for (PodJobspec& each : alternatives) each = Joined(read, {each});
    return alternatives;
  } catch (const JobspecError& error) {
    return {Refused(error.what())};
  }
}

std::optional<std::int32_t> PodsIn(std::string_view text) {
  try {
    const ReadText read = Read(text);
    std::optional<std::int32_t> pods;
    for (const int slot : read.layout.slots) {
      FixedCounts counts(read.jobspec, read.layout, slot);
      if (counts.ranged()) return std::nullopt;
      counts.Fix(std::nullopt, std::nullopt);
      if (pods && *pods != counts.pods()) return std::nullopt;
      pods = counts.pods();
    }
    return pods;
  } catch (const JobspecError&) {
    return std::nullopt;
  }
}

}  // namespace fluxnetes::workers
