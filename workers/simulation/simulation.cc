#include "workers/simulation/simulation.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "cluster/json/request_json.h"
#include "workers/simulation/kubelets_of_nodes.h"
#include "workers/simulation/resource_use.h"

namespace fluxnetes::workers {
namespace {

constexpr std::int64_t kNobodyEnds = std::int64_t{1} << 60;
// After this many instants in a row at which only a reservation was due, the
// run ends: nothing can end any more.
constexpr int kIdleInstants = 1'000;
constexpr std::int64_t kDecisionsPerLook = 256;

class SimulatedTime {
 public:
  SimulatedTime(const Scenario& scenario, const SimulationOptions& options)
      : scenario_(scenario),
        options_(options),
        kubelets_(scenario),
        pools_elsewhere_(scenario.pools_elsewhere) {
    course_.begin = course_.end = scenario.begin;
    course_.groups.resize(scenario.groups.size());
    course_.first_node.assign(scenario.groups.size(), 0);
    course_.resources = ResourcesAsked(scenario);
    std::erase(course_.resources, "pods");
  }

  Course Run() {
    Prepare();
    while (const auto now = NextInstant()) {
      if (options_.until && *now > *options_.until) {
        course_.stopped = true;
        break;
      }
      const bool happened = Happen(*now);
      const bool decided = Decide(*now);
      idle_ = happened || decided ? 0 : idle_ + 1;
      if (idle_ > kIdleInstants && !HasEvents()) break;
      if (told_enough_) {
        course_.stopped = true;
        break;
      }
      if (options_.progress && ++looked_ % kDecisionsPerLook == 0 &&
          !options_.progress({over_, schedule_.pending(), *now})) {
        course_.stopped = true;
        break;
      }
    }
    return std::move(course_);
  }

 private:
  // Time, group, and the number of evictions before.
  using End = std::tuple<std::int64_t, int, int>;
  // Time, group, and whether it is given up even if it runs.
  using Term = std::tuple<std::int64_t, int, bool>;
  enum class Stage : std::uint8_t { kToCome, kWaits, kHolds, kLeaves, kOver };

  void Prepare() {
    schedule_.LeaveReasonsOut();
    if (!kubelets_.Any()) schedule_.LeavePodsOut();
    for (const QueueSettings& queue : scenario_.queues)
      schedule_.SetQueue(queue);
    schedule_.SetPools(scenario_.pools);
    schedule_.SetPoolsElsewhere(pools_elsewhere_);
    schedule_.SetAccounts(scenario_.accounts);
    schedule_.SetUsed(scenario_.used.uses, scenario_.used.at);
    for (std::size_t i = 0; i < scenario_.nodes.size(); ++i) {
      schedule_.SetNode(scenario_.nodes[i]);
      node_numbers_[scenario_.nodes[i].name] = static_cast<int>(i);
    }
    if (scenario_.devices.Any()) schedule_.SetDevices(scenario_.devices);
    for (const auto& [node, others] : scenario_.others)
      schedule_.SetUnmanaged(node, others.used, {}, others.occupants);
    windows_.Set(scenario_.maintenance);
    seen_.resize(scenario_.nodes.size());
    stages_.assign(scenario_.groups.size(), Stage::kToCome);
    Intern();
    for (const Scenario::Running& running : scenario_.running) Restore(running);
    for (const Scenario::Promised& promised : scenario_.promised)
      Remember(promised);
    for (int i = 0; i < static_cast<int>(scenario_.groups.size()); ++i) {
      const Scenario::Group& group = GroupAt(i);
      if (group.grows >= 0) growth_[group.grows].push_back(i);
      if (StageOf(i) != Stage::kToCome) continue;
      if (group.after < 0) {
        arrivals_.push_back(i);
      } else {
        followers_[group.after].push_back(i);
      }
    }
    std::stable_sort(arrivals_.begin(), arrivals_.end(),
                     [this](int a, int b) { return ComesAt(a) < ComesAt(b); });
  }

  // Pods are told apart once all requests, and so all selectors, are known.
  void Intern() {
    for (const Scenario::Request& each : scenario_.requests)
      requests_.push_back(schedule_.Intern(cluster::ToJson(each.request)));
    if (!schedule_.LooksAtLabels()) return;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      cluster::Pod pod;
      pod.namespace_name = scenario_.requests[i].namespace_name;
      pod.labels = scenario_.requests[i].labels;
      requests_[i] = schedule_.OfPod(requests_[i], pod);
    }
  }

  const Scenario::Group& GroupAt(int group) const {
    return scenario_.groups[static_cast<std::size_t>(group)];
  }
  GroupCourse& CourseOf(int group) {
    return course_.groups[static_cast<std::size_t>(group)];
  }
  Stage& StageOf(int group) { return stages_[static_cast<std::size_t>(group)]; }
  std::int64_t ComesAt(int group) const {
    const Scenario::Group& asked = GroupAt(group);
    return std::max({asked.submit, asked.start_after.value_or(asked.submit),
                     scenario_.begin});
  }
  const std::string& QueueOf(const Scenario::Group& group) const {
    return scenario_.queues[static_cast<std::size_t>(group.queue)].name;
  }
  const std::string& UserOf(const Scenario::Group& group) const {
    return scenario_.users[static_cast<std::size_t>(group.user)];
  }
  std::string LabelOf(const Scenario::Group& group) const {
    return group.label < 0
               ? ""
               : scenario_.labels[static_cast<std::size_t>(group.label)];
  }
  static GroupId IdOf(int group) { return GroupId{group} + 1; }
  static int GroupOf(GroupId id) { return static_cast<int>(id - 1); }

  // Named in order of the shape: "17.0", "17.1", ...
  std::vector<Member> MembersOf(int group) const {
    std::vector<Member> members;
    char text[32];
    char* const last = std::end(text);
    char* const name = std::to_chars(text, last, IdOf(group)).ptr;
    *name = '.';
    int number = 0;
    const auto& shape =
        scenario_.shapes[static_cast<std::size_t>(GroupAt(group).shape)];
    members.reserve(static_cast<std::size_t>(std::accumulate(
        shape.begin(), shape.end(), 0,
        [](int sum, const Scenario::Pods& pods) { return sum + pods.count; })));
    for (const Scenario::Pods& pods : shape) {
      const auto* request = requests_[static_cast<std::size_t>(pods.request)];
      for (int i = 0; i < pods.count; ++i) {
        char* const end = std::to_chars(name + 1, last, number++).ptr;
        members.push_back({std::string(&text[0], end), request});
      }
    }
    return members;
  }

  cluster::GroupTopology TopologyOf(const Scenario::Group& group) const {
    for (const Scenario::Pods& pods : scenario_.shapes[group.shape]) {
      const cluster::PodRequest& request =
          scenario_.requests[pods.request].request;
      if (request.rules.Any()) return cluster::OfGroup(request.rules->topology);
    }
    return {};
  }

  void Restore(const Scenario::Running& running) {
    const Scenario::Group& group = GroupAt(running.group);
    Held held;
    held.queue = QueueOf(group);
    held.namespace_name = UserOf(group);
    held.account = LabelOf(group);
    held.priority = group.priority;
    held.grace = group.grace;
    held.group = IdOf(running.group);
    held.start = running.start;
    held.evictable = running.evictable;
    held.growth = group.grows >= 0;
    if (held.growth) held.extends = IdOf(group.grows);
    const cluster::GroupTopology topology = TopologyOf(group);
    held.sharing = SharingOf(topology, scenario_.queues[group.queue]);
    if (!held.growth) held.pools = topology.pools;
    if (group.duration) held.end = running.start + *group.duration;
    std::vector<Member> members = MembersOf(running.group);
    if (members.size() != running.nodes.size())
      throw std::invalid_argument(group.name + ": not a node for each pod");
    for (std::size_t i = 0; i < members.size(); ++i)
      held.members.push_back(
          {std::move(members[i].uid), running.nodes[i], members[i].request,
           running.parts.empty() ? std::string() : running.parts[i]});
    schedule_.Restore(held);
    CourseOf(running.group).submit = group.submit;
    if (group.gone) terms_.emplace(*group.gone, running.group, true);
    Start(running.group, running.start, held.members);
  }

  // A group that does not come at once has lost its reservation.
  void Remember(const Scenario::Promised& promised) {
    if (StageOf(promised.group) != Stage::kToCome ||
        ComesAt(promised.group) > scenario_.begin)
      return;
    const Reservation reservation{
        IdOf(promised.group), QueueOf(GroupAt(promised.group)),
        promised.start,       promised.nodes,
        promised.places,      promised.parts};
    schedule_.Promised(reservation);
    Promise(CourseOf(promised.group), reservation, scenario_.begin);
  }

  bool HasEvents() const {
    return next_arrival_ < arrivals_.size() || !ends_.empty() ||
           !terms_.empty() || windows_.NextDue();
  }

  std::optional<std::int64_t> NextInstant() const {
    std::optional<std::int64_t> next;
    const auto consider = [&next](std::int64_t then) {
      if (!next || then < *next) next = then;
    };
    if (next_arrival_ < arrivals_.size())
      consider(ComesAt(arrivals_[next_arrival_]));
    if (!ends_.empty()) consider(std::get<0>(ends_.top()));
    if (!terms_.empty())
      consider(std::max(std::get<0>(terms_.top()), scenario_.begin));
    if (const auto due = windows_.NextDue()) consider(*due);
    for (const PoolHold& hold : pools_elsewhere_)
      if (hold.end) consider(std::max(*hold.end, scenario_.begin));
    if (const auto due = schedule_.NextDue())
      consider(std::max(*due, now_ + 1));
    return next;
  }

  // Applies all events of an instant. Returns false if there were none.
  bool Happen(std::int64_t now) {
    now_ = now;
    bool happened = EndDue();
    if (std::erase_if(pools_elsewhere_, [now](const PoolHold& hold) {
          return hold.end && *hold.end <= now;
        }) > 0) {
      schedule_.SetPoolsElsewhere(pools_elsewhere_);
      happened = true;
    }
    for (; next_arrival_ < arrivals_.size() &&
           ComesAt(arrivals_[next_arrival_]) <= now;
         ++next_arrival_) {
      Come(arrivals_[next_arrival_]);
      happened = true;
    }
    while (!terms_.empty() && std::get<0>(terms_.top()) <= now) {
      const auto [time, group, whole] = terms_.top();
      terms_.pop();
      happened = GiveUp(group, whole) || happened;
    }
    happened = CloseNodes() || happened;
    course_.longest_line = std::max(course_.longest_line, schedule_.pending());
    return happened;
  }

  bool EndDue() {
    bool any = false;
    while (!ends_.empty() && std::get<0>(ends_.top()) <= now_) {
      const auto [end, ended, restarts] = ends_.top();
      ends_.pop();
      const GroupCourse& course = CourseOf(ended);
      if (restarts != course.restarts || end != course.end) continue;
      Release(ended);
      any = true;
      course_.end = now_;
      if (StageOf(ended) == Stage::kLeaves) {
        ComeAgain(ended);
      } else {
        NoteOver(ended);
      }
    }
    return any;
  }

  void Release(int number) {
    schedule_.Release(IdOf(number), "");
    kubelets_.End(IdOf(number));
  }

  void NoteOver(int number) {
    StageOf(number) = Stage::kOver;
    ++over_;
    const auto followers = followers_.find(number);
    if (followers == followers_.end()) return;
    for (const int next : followers->second) Come(next);
  }

  bool CloseNodes() {
    const auto closures = windows_.TakeChanges(now_, [this] {
      MaintenanceWindows::Nodes nodes;
      for (const cluster::Node& node : scenario_.nodes) nodes.push_back(&node);
      return nodes;
    });
    if (closures) schedule_.SetClosures(*closures, now_);
    return closures.has_value();
  }

  // Adds the group unless its conditions are not met yet.
  void Come(int number) {
    const Scenario::Group& group = GroupAt(number);
    const auto is_over = [this](int other) {
      return StageOf(other) == Stage::kOver;
    };
    if (StageOf(number) != Stage::kToCome || ComesAt(number) > now_ ||
        (group.after >= 0 && !is_over(group.after)) ||
        (group.grows >= 0 && !is_over(group.grows) &&
         StageOf(group.grows) != Stage::kHolds))
      return;
    GroupCourse& course = CourseOf(number);
    if (course.submit < 0)
      course.submit = std::max(group.after < 0 ? group.submit : now_,
                               group.start_after.value_or(group.submit));
    Add(number, group.after < 0 ? group.submit : now_);
    if (group.start_by) terms_.emplace(*group.start_by, number, false);
    if (group.gone) terms_.emplace(*group.gone, number, true);
  }

  void Add(int number, std::int64_t submitted) {
    const Scenario::Group& group = GroupAt(number);
    PendingGroup pending;
    pending.id = IdOf(number);
    pending.namespace_name = UserOf(group);
    pending.account = LabelOf(group);
    pending.queue = QueueOf(group);
    pending.priority = group.grows < 0 ? group.priority : kGrowthPriority;
    pending.first_in_line = group.first_in_line;
    pending.submitted_at = cluster::Time(std::chrono::seconds(submitted));
    pending.duration = group.duration;
    pending.start_by = group.start_by;
    pending.preempts = group.preempts;
    pending.grace = group.grace;
    pending.growth = group.grows >= 0;
    if (pending.growth) pending.extends = IdOf(group.grows);
    pending.members = MembersOf(number);
    schedule_.Add(std::move(pending));
    StageOf(number) = Stage::kWaits;
  }

  // `whole`: even if it runs. Returns false if it is over, or runs and is left
  // running.
  bool GiveUp(int number, bool whole) {
    GroupCourse& course = CourseOf(number);
    Stage& stage = StageOf(number);
    const bool holds = stage == Stage::kHolds || stage == Stage::kLeaves;
    if (stage == Stage::kOver || (holds && !whole)) return false;
    if (holds) {
      Release(number);
      course.state = GroupCourse::State::kTimedOut;
      course.end = course_.end = now_;
    } else {
      if (stage == Stage::kWaits) schedule_.Remove(IdOf(number));
      course.state = GroupCourse::State::kGivenUp;
    }
    stage = Stage::kOver;
    ++over_;
    const auto growth = growth_.find(number);
    if (growth == growth_.end()) return true;
    for (const int grown : growth->second) GiveUp(grown, true);
    return true;
  }

  // Returns false if nothing started.
  bool Decide(std::int64_t now) {
    bool started = false;
    kubelets_.Tell(schedule_);
    do {
      const Decision decision = schedule_.Decide(now);
      ++course_.decisions;
      if (options_.decided && !options_.decided(decision)) told_enough_ = true;
      for (const Verdict& verdict : decision.verdicts) {
        CourseOf(GroupOf(verdict.group)).state =
            verdict.unsatisfiable ? GroupCourse::State::kUnsatisfiable
                                  : GroupCourse::State::kWaiting;
      }
      grown_ = false;
      for (const Placed& placed : decision.placed) {
        Start(GroupOf(placed.group), now, placed.members);
        course_.end = now;
        started = true;
      }
      for (const Eviction& eviction : decision.evicted)
        Evict(GroupOf(eviction.group), eviction.end);
      for (const Reservation& reserved : decision.reserved)
        Promise(CourseOf(GroupOf(reserved.group)), reserved, now);
    } while (kubelets_.Tell(schedule_) || grown_ || schedule_.More());
    return started;
  }

  void Evict(int number, std::int64_t end) {
    GroupCourse& course = CourseOf(number);
    const bool ends = course.state != GroupCourse::State::kRunning;
    if (ends && course.end <= end) return;  // it ends by itself before
    StageOf(number) = Stage::kLeaves;
    course.end = end;
    ends_.emplace(course.end, number, course.restarts);
    const auto growth = growth_.find(number);
    if (growth == growth_.end()) return;
    for (const int grown : growth->second) {
      if (StageOf(grown) == Stage::kHolds) {
        Evict(grown, end);
      } else if (StageOf(grown) == Stage::kWaits) {
        schedule_.Remove(IdOf(grown));
        StageOf(grown) = Stage::kToCome;
      }
    }
  }

  void ComeAgain(int number) {
    GroupCourse& course = CourseOf(number);
    ++course.restarts;
    course.start = course.end = course.promised = course.promised_at = -1;
    course.state = GroupCourse::State::kWaiting;
    course.nodes = 0;
    for (Seen& seen : seen_)
      if (seen.group == number) seen.group = -1;
    const Scenario::Group& group = GroupAt(number);
    StageOf(number) = Stage::kToCome;
    if (group.grows >= 0) {
      Come(number);
    } else {
      Add(number, now_);
      if (group.start_by) terms_.emplace(*group.start_by, number, false);
    }
  }

  static void Promise(GroupCourse& group, const Reservation& reserved,
                      std::int64_t now) {
    if (!reserved.start || group.promised_at >= 0) return;
    group.promised = *reserved.start;
    group.promised_at = now;
  }

  void Start(int number, std::int64_t now,
             const std::vector<PlacedMember>& members) {
    const Scenario::Group& group = GroupAt(number);
    GroupCourse& course = CourseOf(number);
    course.start = now;
    std::int64_t runs = group.runs.value_or(kNobodyEnds);
    course.state = GroupCourse::State::kEnded;
    if (group.duration) {
      const std::int64_t most =
          std::max<std::int64_t>(*group.duration, 1) + options_.overrun;
      if (runs > most) {
        runs = most;
        course.state = GroupCourse::State::kTimedOut;
      }
    }
    if (runs == kNobodyEnds) {
      course.state = GroupCourse::State::kRunning;
    } else {
      course.end = std::max(now + runs, scenario_.begin);
      ends_.emplace(course.end, number, course.restarts);
    }
    StageOf(number) = Stage::kHolds;
    kubelets_.Start(IdOf(number), members);
    if (options_.keep_nodes) KeepNodes(number, members);
    const auto growth = growth_.find(number);
    if (growth == growth_.end()) return;
    for (const int grown : growth->second) {
      Come(grown);
      grown_ = true;
    }
  }

  // By resource of the course; computed once for each request.
  const auto& AmountsOf(const cluster::PodRequest& request) {
    std::vector<std::int64_t>& amounts = amounts_[&request];
    if (amounts.size() == course_.resources.size()) return amounts;
    for (const std::string& resource : course_.resources)
      amounts.push_back(AmountOf(request.resources, resource));
    return amounts;
  }

  void KeepNodes(int number, const std::vector<PlacedMember>& members) {
    course_.first_node[static_cast<std::size_t>(number)] =
        static_cast<std::int64_t>(course_.nodes.size());
    const std::size_t width = course_.resources.size();
    for (const PlacedMember& member : members) {
      const auto found = node_numbers_.find(member.node);
      if (found == node_numbers_.end()) continue;
      Seen& seen = seen_[static_cast<std::size_t>(found->second)];
      if (std::exchange(seen.group, number) != number) {
        seen.place = course_.nodes.size();
        course_.nodes.push_back(found->second);
        course_.node_amounts.resize(course_.nodes.size() * width);
        ++CourseOf(number).nodes;
      }
      const auto& amounts = AmountsOf(*member.request);
      for (std::size_t r = 0; r < width; ++r)
        course_.node_amounts[seen.place * width + r] += amounts[r];
    }
  }

  const Scenario& scenario_;
  const SimulationOptions& options_;
  bool told_enough_ = false;  // options_.decided said so
  Schedule schedule_;
  KubeletsOfNodes kubelets_;
  std::vector<const cluster::PodRequest*> requests_;
  std::unordered_map<const cluster::PodRequest*, std::vector<std::int64_t>>
      amounts_;
  std::unordered_map<std::string, int> node_numbers_;
  struct Seen {  // by node: the last group, and its index
    int group = -1;
    std::size_t place = 0;  // in course_.nodes
  };
  std::vector<Seen> seen_;
  std::vector<Stage> stages_;  // of each group
  std::vector<int> arrivals_;  // groups in order of arrival
  std::unordered_map<int, std::vector<int>> followers_;  // by group
  std::unordered_map<int, std::vector<int>> growth_;     // by elastic group
  bool grown_ = false;  // growth has come since the last decision
  MaintenanceWindows windows_;
  std::vector<PoolHold> pools_elsewhere_;  // that have not ended
  std::priority_queue<Term, std::vector<Term>, std::greater<>> terms_;
  std::size_t next_arrival_ = 0;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::int64_t now_ = 0;
  std::size_t over_ = 0;
  std::int64_t looked_ = 0;
  int idle_ = 0;
  Course course_;
};

}  // namespace

Course Simulate(const Scenario& scenario, const SimulationOptions& options) {
  Check(scenario);
  return SimulatedTime(scenario, options).Run();
}

}  // namespace fluxnetes::workers
