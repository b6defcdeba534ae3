#include "workers/jobspecs/slot_amounts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

namespace fluxnetes::workers {
namespace {

using matcher::JobResource;
using matcher::Jobspec;
using Json = nlohmann::ordered_json;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kMostUnits = std::int64_t{1} << 40;
constexpr std::size_t kMostShown = 4;
constexpr const char* kCore = "core";
constexpr const char* kMemory = "memory";
constexpr const char* kGpu = "gpu";

constexpr std::int64_t Ceil(std::int64_t amount, std::int64_t unit) {
  return amount / unit + (amount % unit > 0 ? 1 : 0);
}

bool IsGpu(std::string_view resource) { return resource.ends_with("/gpu"); }

bool IsAmount(const JobResource& resource) {
  return resource.type == kCore || resource.type == kMemory ||
         resource.type == kGpu;
}

std::optional<std::int64_t> IfAny(std::int64_t amount) {
  return amount > 0 ? std::optional(amount) : std::nullopt;
}

void AddBelow(const Jobspec& jobspec, int resource, std::vector<int>& all) {
  const JobResource& above = jobspec.resources[resource];
  for (int child = above.first; child < above.last; ++child) {
    all.push_back(child);
    AddBelow(jobspec, child, all);
  }
}

Json JsonOf(const matcher::Count& count) {
  if (!IsRanged(count)) return count.min;
  return {{"min", count.min},
          {"max", count.max},
          {"operator", std::string(1, count.op)},
          {"operand", count.operand}};
}

// All slots have one label, since a pod needs none.
Json JsonOf(const JobResource& resource, const Json& count, Json with) {
  Json json = {{"type", resource.type}, {"count", count}};
  if (IsSlot(resource)) json["label"] = "pod";
  if (resource.exclusive) json["exclusive"] = *resource.exclusive;
  if (!with.empty()) json["with"] = std::move(with);
  return json;
}

}  // namespace

SlotAmounts AmountsOf(const cluster::Resources& pod) {
  std::int64_t gpus = 0;
  for (const auto& [name, amount] : pod.extended) {
    if (IsGpu(name)) gpus += std::min(amount, kMostUnits);
  }
  return {IfAny(Ceil(pod.cpu_milli, 1000)), IfAny(Ceil(pod.memory_bytes, kMiB)),
          IfAny(gpus)};
}

std::string InWords(const SlotAmounts& amounts) {
  std::string words;
  const auto add = [&](std::optional<std::int64_t> amount, const char* unit) {
    if (!amount) return;
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", *amount, unit);
  };
  add(amounts.cores, amounts.cores == 1 ? "core" : "cores");
  add(amounts.memory_mib, "MiB of memory");
  add(amounts.gpus, amounts.gpus == 1 ? "gpu" : "gpus");
  return words.empty() ? "no cores, memory or gpus" : words;
}

std::string AllowedIn(const matcher::Count& count, std::int64_t factor) {
  std::string words;
  std::uint64_t value = count.min;
  for (std::size_t shown = 0; shown < kMostShown; ++shown) {
    words += (words.empty() ? "" : ", ") +
             std::to_string(static_cast<std::int64_t>(value) * factor);
    std::uint64_t next = value + count.operand;
    if (count.op == '*') next = value * count.operand;
    if (count.op == '^') {
      next = 1;
      for (std::uint32_t i = 0; i < count.operand && next <= count.max; ++i)
        next *= value;
    }
    if (next > count.max) return words;
    value = next;
  }
  if (count.max == matcher::Count::kNoMax) return words + " and so on";
  const std::uint64_t most =
      count.op == '+' ? count.Most() : count.Take(count.max);
  return words + " ... " +
         std::to_string(static_cast<std::int64_t>(most) * factor);
}

FixedSlot::FixedSlot(const Jobspec& jobspec, const JobLayout& layout, int slot,
                     const std::optional<SlotAmounts>& pod)
    : jobspec_(jobspec), layout_(layout), slot_(slot) {
  AddBelow(jobspec_, slot, in_slot_);
  for (const int resource : in_slot_) {
    if (!IsRanged(jobspec_.resources[resource].count)) continue;
    if (ranged_ >= 0)
      RefuseResource(jobspec_, resource, ".count",
                     "is a second range in a slot; one range is right, which "
                     "what the pod requests fixes");
    ranged_ = resource;
  }
  if (ranged_ >= 0 && !pod)
    RefuseResource(jobspec_, ranged_, ".count",
                   "is a range, and no pod fixes it; one number is right");
  if (ranged_ >= 0) FixRange(*pod);
  amounts_ = Count();
  if (pod) Compare(*pod);
}

// Returns how many of the type there are in [first, last) and below.
std::int64_t FixedSlot::Total(const char* type, int first, int last) const {
  std::int64_t total = 0;
  for (int r = first; r < last; ++r) {
    const JobResource& resource = jobspec_.resources[r];
    const std::int64_t count =
        r == ranged_ && fixed_ ? *fixed_ : resource.count.min;
    const std::int64_t each = (resource.type == type ? 1 : 0) +
                              Total(type, resource.first, resource.last);
    if (each > 0 && count > kMostUnits / each)
      RefuseResource(
          jobspec_, r, ".count",
          fmt::format("is {}; so many of type {} are on no node", count, type));
    total += each * count;
  }
  return total;
}

SlotAmounts FixedSlot::Count() const {
  const JobResource& slot = jobspec_.resources[slot_];
  const auto total = [&](const char* type) {
    return IfAny(Total(type, slot.first, slot.last));
  };
  return {total(kCore), total(kMemory), total(kGpu)};
}

// Amounts grow evenly with the count of the range, so two of them give it.
void FixedSlot::FixRange(const SlotAmounts& pod) {
  const matcher::Count& range = jobspec_.resources[ranged_].count;
  fixed_ = 1;
  const SlotAmounts one = Count();
  fixed_ = 2;
  const SlotAmounts two = Count();
  fixed_.reset();
  const auto fix = [&](std::optional<std::int64_t> SlotAmounts::*amount,
                       const char* unit) {
    const std::int64_t each =
        (two.*amount).value_or(0) - (one.*amount).value_or(0);
    if (each == 0 || fixed_) return;
    const std::int64_t others = (one.*amount).value_or(0) - each;
    const std::int64_t asked = (pod.*amount).value_or(0) - others;
    const std::int64_t count = asked / each;
    if (asked % each == 0 && count >= 1 && count < matcher::Count::kNoMax &&
        range.Take(static_cast<std::uint64_t>(count)) ==
            static_cast<std::uint64_t>(count)) {
      fixed_ = static_cast<std::uint32_t>(count);
      return;
    }
    RefuseResource(
        jobspec_, ranged_, ".count",
        fmt::format("allows {} {}{}, but the pod requests {}",
                    AllowedIn(range, each), unit,
                    others > 0 ? fmt::format(" beside {} others", others) : "",
                    (pod.*amount).value_or(0)));
  };
  fix(&SlotAmounts::cores, "cores");
  fix(&SlotAmounts::gpus, "gpus");
  fix(&SlotAmounts::memory_mib, "MiB of memory");
}

void FixedSlot::Compare(const SlotAmounts& pod) const {
  const JobResource& slot = jobspec_.resources[slot_];
  const bool all_of_node =
      layout_.node_in_slot && jobspec_.resources[slot.first].first ==
                                  jobspec_.resources[slot.first].last;
  const auto differ = [](std::optional<std::int64_t> asked,
                         std::optional<std::int64_t> pod_has) {
    return asked && asked != pod_has;
  };
  const bool other_gpus = !all_of_node && amounts_.gpus != pod.gpus;
  if (!differ(amounts_.cores, pod.cores) &&
      !differ(amounts_.memory_mib, pod.memory_mib) && !other_gpus)
    return;
  RefuseResource(
      jobspec_, slot_, "",
      fmt::format("the slot has {}, but the pod requests {}; both must be "
                  "the same",
                  InWords(amounts_), InWords(pod)));
}

std::string FixedSlot::Json() const {
  const auto plain = [&](int r) {
    const JobResource& resource = jobspec_.resources[r];
    return IsAmount(resource) && resource.first == resource.last &&
           !resource.exclusive;
  };
  const JobResource& slot = jobspec_.resources[slot_];
  const bool in_node = layout_.node_in_slot;
  const auto below = std::span(in_slot_).subspan(in_node ? 1 : 0);
  if (layout_.within.empty() && std::ranges::all_of(below, plain)) return "";
  const JobResource& holder = in_node ? jobspec_.resources[slot.first] : slot;
  auto json = JsonOf(slot, 1, ListOf(holder.first, holder.last));
  json["type"] = "slot";
  return json.dump();
}

nlohmann::ordered_json FixedSlot::ListOf(int first, int last) const {
  auto list = nlohmann::ordered_json::array();
  for (int r = first; r < last; ++r) {
    const JobResource& resource = jobspec_.resources[r];
    const nlohmann::ordered_json count = r == ranged_ && fixed_
                                             ? nlohmann::ordered_json(*fixed_)
                                             : JsonOf(resource.count);
    list.push_back(
        JsonOf(resource, count, ListOf(resource.first, resource.last)));
  }
  return list;
}

std::string BelowNode(const Jobspec& jobspec, const JobLayout& layout,
                      const std::vector<std::string>& slots) {
  Json inside = Json::array();
  for (const std::string& slot : slots) {
    inside.push_back(Json::parse(slot));
    // With one slot for each pod both kinds of alternatives are the same, but
    // only these may have types that a node lacks.
    if (slots.size() > 1) inside.back()["type"] = "xor_slot";
  }
  for (auto above = layout.within.rbegin(); above != layout.within.rend();
       ++above) {
    Json one = JsonOf(jobspec.resources[*above], 1, std::move(inside));
    inside = Json::array({std::move(one)});
  }
  return inside.dump();
}

}  // namespace fluxnetes::workers
