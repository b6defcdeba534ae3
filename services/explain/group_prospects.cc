#include "services/explain/group_prospects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "services/console/time_text.h"
#include "workers/pools/pool_labels.h"

namespace fluxnetes::services {
namespace {

using workers::Scenario;
using Clock = std::chrono::steady_clock;

// Differences of starts below this do not matter to people.
constexpr std::int64_t kSame = 10;
constexpr double kSameShare = 0.1;
constexpr std::array<std::int64_t, 7> kDurations = {
    86'400, 28'800, 14'400, 3'600, 1'800, 600, 60};
constexpr std::array<std::pair<int, const char*>, 3> kQuarters = {
    {{3, "three quarters"}, {2, "half"}, {1, "a quarter"}}};
constexpr std::size_t kQueuesTried = 8;
constexpr std::size_t kAccountsTried = 16;
constexpr std::size_t kPoolsTried = 8;

class Search {
 public:
  Search(const Scenario& scenario, int group, std::chrono::milliseconds most)
      : scenario_(scenario),
        group_(static_cast<std::size_t>(group)),
        end_(Clock::now() + most) {}

  Prospects Find(const ToldStart& told) {
    Compare(told);
    if (!found_.unknown.empty()) return std::move(found_);
    TryResume();
    TryQueues();
    TryQuotas();
    TryPools();
    TryDurations();
    TrySizes();
    TryRequests();
    found_.complete = !late_;
    return std::move(found_);
  }

 private:
  std::int64_t now() const { return scenario_.begin; }
  const Scenario::Group& group() const { return scenario_.groups[group_]; }

  // Returns the group's start, if it is not after `until`; nullopt also when
  // time has run out.
  std::optional<std::int64_t> StartIn(const Scenario& changed,
                                      std::optional<std::int64_t> until) {
    if (Clock::now() >= end_) late_ = true;
    if (late_) return std::nullopt;
    workers::SimulationOptions options;
    options.until = until;
    options.progress = [this](const workers::SimulationProgress&) {
      if (Clock::now() >= end_) late_ = true;
      return !late_;
    };
    const workers::Course course = workers::Simulate(changed, options);
    const std::int64_t start = course.groups[group_].start;
    return start < 0 ? std::nullopt : std::optional(start);
  }

  std::int64_t Margin(std::int64_t start) const {
    return std::max(
        kSame, static_cast<std::int64_t>(kSameShare *
                                         static_cast<double>(start - now())));
  }

  bool ClaimsUnknownDevices() const {
    return scenario_.devices.slices.empty() &&
           std::ranges::any_of(Shape(), [this](const Scenario::Pods& pods) {
             const auto& request =
                 scenario_.requests[static_cast<std::size_t>(pods.request)];
             return !request.request.rules->resource_claims.empty();
           });
  }

  // Simulates without a change, and checks the result against the scheduler's
  // estimate.
  void Compare(const ToldStart& told) {
    if (ClaimsUnknownDevices()) {
      found_.unknown =
          "its pods claim devices, and the records do not say which devices "
          "nodes have";
      return;
    }
    if (told.approximate) {
      found_.unknown = "its own start is only known approximately";
      return;
    }
    std::optional<std::int64_t> until;
    if (told.at) until = *told.at + Margin(*told.at);
    start_ = StartIn(scenario_, until);
    if (late_) {
      found_.unknown = "to follow all that waits takes too long";
    } else if (start_ && *start_ <= now()) {
      found_.unknown = "by the records it should start at once: look again";
    } else if (start_ && !told.at) {
      found_.unknown =
          "the scheduler has not said when it starts, and the records alone do "
          "not tell all that keeps it waiting";
    } else if (start_.has_value() != told.at.has_value() ||
               (start_ && *start_ < *told.at - Margin(*told.at))) {
      found_.unknown = "the records do not tell all that keeps it waiting";
    }
  }

  bool IsBetter(const std::optional<std::int64_t>& start) const {
    return start && (!start_ || *start + Margin(*start_) <= *start_);
  }
  bool IsNow(const std::optional<std::int64_t>& start) const {
    return start && *start <= now();
  }

  // Returns the start with the change, and keeps the change if the start is
  // better.
  std::optional<std::int64_t> Try(const Scenario& changed, const char* kind,
                                  const std::string& change) {
    const auto start = StartIn(changed, start_);
    if (IsBetter(start)) found_.better.push_back({kind, change, *start});
    return start;
  }

  // The group's present reservation holds only for the unchanged group.
  Scenario WithoutPromise() const {
    Scenario scenario = scenario_;
    std::erase_if(scenario.promised, [this](const auto& promised) {
      return promised.group == static_cast<int>(group_);
    });
    return scenario;
  }

  Scenario::Group& GroupIn(Scenario& scenario) const {
    return scenario.groups[group_];
  }

  void TryResume() {
    Scenario changed = WithoutPromise();
    auto& queue = changed.queues[static_cast<std::size_t>(group().queue)];
    if (!queue.paused) return;
    queue.paused = false;
    Try(changed, "resume",
        fmt::format("with its queue resumed (`fluxnetes queue resume {}`)",
                    queue.name));
  }

  void TryQueues() {
    std::size_t tried = 0;
    for (std::size_t i = 0; i < scenario_.queues.size(); ++i) {
      if (static_cast<int>(i) == group().queue || scenario_.queues[i].paused)
        continue;
      if (++tried > kQueuesTried) return;
      Scenario changed = WithoutPromise();
      GroupIn(changed).queue = static_cast<int>(i);
      Try(changed, "queue", "in queue " + scenario_.queues[i].name);
    }
  }

  void TryQuotas() {
    std::size_t tried = 0;
    for (std::size_t i = 0; i < scenario_.accounts.size(); ++i) {
      if (scenario_.accounts[i].quota.empty()) continue;
      if (++tried > kAccountsTried) return;
      Scenario changed = WithoutPromise();
      changed.accounts[i].quota.clear();
      Try(changed, "quota",
          "without the quota of account " + scenario_.accounts[i].name);
    }
  }

  // Tries each pool with enough for all groups, and then with the least that is
  // as good.
  void TryPools() {
    std::size_t tried = 0;
    for (const auto& [name, amount] : PoolsOf(group())) {
      if (++tried > kPoolsTried) return;
      std::int64_t enough = AskedOf(name);
      const auto best = StartIn(WithPool(name, enough), start_);
      if (!IsBetter(best)) continue;
      std::int64_t least = 0;  // is not as good
      while (enough - least > 1 && !late_) {
        const std::int64_t more = least + (enough - least) / 2;
        const auto start = StartIn(WithPool(name, more), best);
        (start ? enough : least) = more;
      }
      const std::int64_t total = TotalOf(name) + enough;
      found_.better.push_back(
          {"pool",
           fmt::format("if pool {0} had {1} more (`fluxnetes pool set {0} "
                       "--total {2}`)",
                       name, enough, total),
           *best});
    }
  }

  const cluster::PoolAmounts& PoolsOf(const Scenario::Group& of) const {
    static const cluster::PoolAmounts kNone;
    const auto& shape = scenario_.shapes[static_cast<std::size_t>(of.shape)];
    if (shape.empty()) return kNone;
    const auto& request =
        scenario_.requests[static_cast<std::size_t>(shape.front().request)]
            .request;
    return request.rules.Any() ? request.rules->topology.pools : kNone;
  }

  std::int64_t TotalOf(const std::string& pool) const {
    const auto found =
        std::ranges::find(scenario_.pools, pool, &workers::Pool::name);
    return found == scenario_.pools.end() ? 0 : found->total;
  }

  // What all groups together ask of it, as far as a pool can have it.
  std::int64_t AskedOf(const std::string& pool) const {
    std::int64_t rest = workers::kMostOfPool - TotalOf(pool);
    const std::int64_t most = rest;
    const auto add = [&](const cluster::PoolAmounts& pools) {
      const auto found = pools.find(pool);
      if (found != pools.end()) rest -= std::min(found->second, rest);
    };
    for (const Scenario::Group& each : scenario_.groups) add(PoolsOf(each));
    for (const workers::PoolHold& hold : scenario_.pools_elsewhere)
      add(hold.pools);
    return most - rest;
  }

  Scenario WithPool(const std::string& pool, std::int64_t more) const {
    Scenario changed = WithoutPromise();
    const auto found =
        std::ranges::find(changed.pools, pool, &workers::Pool::name);
    if (found == changed.pools.end()) {
      changed.pools.push_back({pool, more});
    } else {
      found->total += more;
    }
    return changed;
  }

  // Tries the longest duration that helps, and the longest with which it starts
  // now.
  void TryDurations() {
    bool helped = false;
    for (const std::int64_t duration : kDurations) {
      if (group().duration && *group().duration <= duration) continue;
      Scenario changed = WithoutPromise();
      GroupIn(changed).duration = GroupIn(changed).runs = duration;
      const auto start = StartIn(changed, start_);
      if (!IsBetter(start) || (helped && !IsNow(start))) continue;
      helped = true;
      found_.better.push_back(
          {"duration",
           fmt::format("with a duration of {} (activeDeadlineSeconds: {})",
                       ShortDuration(std::chrono::seconds(duration)), duration),
           *start});
      if (IsNow(start)) return;
    }
  }

  Scenario WithShape(std::vector<Scenario::Pods> shape) const {
    Scenario changed = WithoutPromise();
    GroupIn(changed).shape = static_cast<int>(changed.shapes.size());
    changed.shapes.push_back(std::move(shape));
    return changed;
  }

  const std::vector<Scenario::Pods>& Shape() const {
    return scenario_.shapes[static_cast<std::size_t>(group().shape)];
  }

  // Returns the first `count` pods.
  std::vector<Scenario::Pods> ShapeOf(int count) const {
    std::vector<Scenario::Pods> shape;
    for (const Scenario::Pods& pods : Shape()) {
      if (count <= 0) break;
      shape.push_back({pods.request, std::min(pods.count, count)});
      count -= pods.count;
    }
    return shape;
  }

  void TrySizes() {
    // The pods to leave out would be ambiguous.
    if (Shape().size() != 1) return;
    const int all = Shape().front().count;
    int least = 0;  // so many can start now
    int most = all;
    while (most - least > 1 && !late_) {
      const int count = least + (most - least) / 2;
      (IsNow(StartIn(WithShape(ShapeOf(count)), now())) ? least : most) = count;
    }
    if (least > 0)
      found_.better.push_back(
          {"size", fmt::format("with {} of its {} pods", least, all), now()});
  }

  static std::int64_t Part(std::int64_t amount, int quarters) {
    return std::max<std::int64_t>(
        amount / 4 * quarters + amount % 4 * quarters / 4, amount > 0 ? 1 : 0);
  }

  static cluster::Resources Part(const cluster::Resources& all, int quarters) {
    cluster::Resources part = all;
    part.cpu_milli = Part(all.cpu_milli, quarters);
    part.memory_bytes = Part(all.memory_bytes, quarters);
    part.ephemeral_bytes = Part(all.ephemeral_bytes, quarters);
    for (const auto& [name, amount] : all.extended)
      part.SetExtended(name, Part(amount, quarters));
    return part;
  }

  // Tries the largest requests that help, and the largest with which it starts
  // now.
  void TryRequests() {
    bool helped = false;
    for (const auto& [quarters, called] : kQuarters) {
      Scenario changed = WithShape(Shape());
      std::string pods;
      for (Scenario::Pods& each : changed.shapes.back()) {
        Scenario::Request request =
            changed.requests[static_cast<std::size_t>(each.request)];
        request.request.resources = Part(request.request.resources, quarters);
        cluster::Resources shown = request.request.resources;
        shown.pods = 0;
        pods += (pods.empty() ? "" : " and ") +
                fmt::format("({})", cluster::Format(shown));
        each.request = static_cast<int>(changed.requests.size());
        changed.requests.push_back(std::move(request));
      }
      const auto start = StartIn(changed, start_);
      if (!IsBetter(start) || (helped && !IsNow(start))) continue;
      helped = true;
      found_.better.push_back(
          {"request",
           fmt::format("with pods of {}, {} of what they ask for", pods,
                       called),
           *start});
      if (IsNow(start)) return;
    }
  }

  const Scenario& scenario_;
  const std::size_t group_;
  const Clock::time_point end_;
  std::optional<std::int64_t> start_;  // without a change
  Prospects found_;
  bool late_ = false;
};

}  // namespace

Prospects FindProspects(const Scenario& scenario, int group,
                        const ToldStart& told, std::chrono::milliseconds most) {
  return Search(scenario, group, most).Find(told);
}

}  // namespace fluxnetes::services
