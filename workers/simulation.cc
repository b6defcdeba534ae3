#include "workers/simulation.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace fluxnetes::workers {
namespace {

constexpr std::int64_t kNobodyEnds = std::int64_t{1} << 60;
// Instants at which a reservation was due and nothing else happened: so many
// one after the other are the end of a run in which nothing can end any more.
constexpr int kIdleInstants = 1'000;
constexpr std::int64_t kDecisionsPerLook = 256;

void CheckScenario(const Scenario& scenario) {
  const auto inside = [](int index, const auto& list) {
    return index >= 0 && static_cast<std::size_t>(index) < list.size();
  };
  for (const auto& shape : scenario.shapes) {
    if (shape.empty()) throw std::invalid_argument("a shape without pods");
    for (const Scenario::Pods& pods : shape) {
      if (pods.count < 1 || !inside(pods.request, scenario.requests))
        throw std::invalid_argument("a shape of pods that are not there");
    }
  }
  for (const Scenario::Group& group : scenario.groups) {
    if (!inside(group.shape, scenario.shapes) ||
        !inside(group.queue, scenario.queues) ||
        !inside(group.user, scenario.users) ||
        (group.label >= 0 && !inside(group.label, scenario.labels)))
      throw std::invalid_argument(group.name +
                                  ": no such shape, queue, user or label");
    if (group.after >= 0 && !inside(group.after, scenario.groups))
      throw std::invalid_argument(group.name + ": comes after nobody");
    if (group.runs.value_or(0) < 0 || group.duration.value_or(0) < 0 ||
        group.grace < 0)
      throw std::invalid_argument(group.name + ": a time below 0 s");
  }
  for (const Scenario::Running& running : scenario.running) {
    if (!inside(running.group, scenario.groups))
      throw std::invalid_argument("a running group that is not there");
  }
}

class SimulatedTime {
 public:
  SimulatedTime(const Scenario& scenario, const SimulationOptions& options)
      : scenario_(scenario), options_(options) {
    course_.begin = course_.end = scenario.begin;
    course_.groups.resize(scenario.groups.size());
    course_.first_node.assign(scenario.groups.size(), 0);
  }

  Course Run() {
    Prepare();
    while (const auto now = NextInstant()) {
      const bool happened = Happen(*now);
      const bool decided = Decide(*now);
      idle_ = happened || decided ? 0 : idle_ + 1;
      if (idle_ > kIdleInstants && !HasEvents()) break;
      if (options_.progress && ++looked_ % kDecisionsPerLook == 0 &&
          !options_.progress({over_, schedule_.pending(), *now})) {
        course_.stopped = true;
        break;
      }
    }
    return std::move(course_);
  }

 private:
  // When, which group, and how often it had been evicted before.
  using End = std::tuple<std::int64_t, int, int>;

  void Prepare() {
    schedule_.LeaveReasonsOut();
    for (const QueueSettings& queue : scenario_.queues)
      schedule_.SetQueue(queue);
    schedule_.SetAccounts(scenario_.accounts);
    schedule_.SetUsed(scenario_.used.uses, scenario_.used.at);
    for (std::size_t i = 0; i < scenario_.nodes.size(); ++i) {
      schedule_.SetNode(scenario_.nodes[i]);
      node_numbers_[scenario_.nodes[i].name] = static_cast<int>(i);
    }
    seen_.resize(scenario_.nodes.size());
    evicted_.assign(scenario_.groups.size(), false);
    Intern();
    std::vector<bool> runs(scenario_.groups.size());
    for (const Scenario::Running& running : scenario_.running) {
      runs[static_cast<std::size_t>(running.group)] = true;
      Restore(running);
    }
    for (std::size_t i = 0; i < scenario_.groups.size(); ++i) {
      if (runs[i]) continue;
      const int after = scenario_.groups[i].after;
      (after < 0 ? arrivals_ : followers_[after])
          .push_back(static_cast<int>(i));
    }
    std::stable_sort(arrivals_.begin(), arrivals_.end(), [this](int a, int b) {
      return GroupAt(a).submit < GroupAt(b).submit;
    });
  }

  // Selectors are known once all requests are: then pods are told apart.
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

  // In order of the shape: "17.0", "17.1", ...
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

  void Restore(const Scenario::Running& running) {
    const Scenario::Group& group = GroupAt(running.group);
    Held held{
        IdOf(running.group), running.start, std::nullopt,   {},
        QueueOf(group),      UserOf(group), LabelOf(group), group.priority,
        group.grace};
    if (group.duration) held.end = running.start + *group.duration;
    std::vector<Member> members = MembersOf(running.group);
    if (members.size() != running.nodes.size())
      throw std::invalid_argument(group.name + ": not a node for each pod");
    for (std::size_t i = 0; i < members.size(); ++i)
      held.members.push_back(
          {std::move(members[i].uid), running.nodes[i], members[i].request});
    schedule_.Restore(held);
    CourseOf(running.group).submit = group.submit;
    Start(running.group, running.start, held.members);
  }

  bool HasEvents() const {
    return next_arrival_ < arrivals_.size() || !ends_.empty();
  }

  std::optional<std::int64_t> NextInstant() const {
    std::optional<std::int64_t> next;
    if (next_arrival_ < arrivals_.size())
      next =
          std::max(GroupAt(arrivals_[next_arrival_]).submit, scenario_.begin);
    if (!ends_.empty() && (!next || std::get<0>(ends_.top()) < *next))
      next = std::get<0>(ends_.top());
    if (const auto due = schedule_.NextDue()) {
      const std::int64_t then = std::max(*due, now_ + 1);
      if (!next || then < *next) next = then;
    }
    return next;
  }

  // All of an instant. False: nothing.
  bool Happen(std::int64_t now) {
    now_ = now;
    bool happened = false;
    while (!ends_.empty() && std::get<0>(ends_.top()) <= now) {
      const auto [end, ended, restarts] = ends_.top();
      ends_.pop();
      GroupCourse& course = CourseOf(ended);
      if (restarts != course.restarts || end != course.end) continue;
      schedule_.Release(IdOf(ended), "");
      happened = true;
      course_.end = now;
      if (evicted_[static_cast<std::size_t>(ended)]) {
        ComeAgain(ended);
        continue;
      }
      const auto followers = followers_.find(ended);
      if (followers != followers_.end())
        for (const int next : followers->second) Arrive(next);
      ++over_;
    }
    for (; next_arrival_ < arrivals_.size() &&
           GroupAt(arrivals_[next_arrival_]).submit <= now;
         ++next_arrival_) {
      Arrive(arrivals_[next_arrival_]);
      happened = true;
    }
    course_.longest_line = std::max(course_.longest_line, schedule_.pending());
    return happened;
  }

  void Arrive(int number) {
    const Scenario::Group& group = GroupAt(number);
    CourseOf(number).submit = group.after < 0 ? group.submit : now_;
    Add(number, CourseOf(number).submit);
  }

  void Add(int number, std::int64_t submitted) {
    const Scenario::Group& group = GroupAt(number);
    PendingGroup pending;
    pending.id = IdOf(number);
    pending.namespace_name = UserOf(group);
    pending.account = LabelOf(group);
    pending.queue = QueueOf(group);
    pending.priority = group.priority;
    pending.first_in_line = group.first_in_line;
    pending.submitted_at = cluster::Time(std::chrono::seconds(submitted));
    pending.duration = group.duration;
    pending.grace = group.grace;
    pending.members = MembersOf(number);
    schedule_.Add(std::move(pending));
  }

  // False: nothing started.
  bool Decide(std::int64_t now) {
    bool started = false;
    do {
      const Decision decision = schedule_.Decide(now);
      ++course_.decisions;
      for (const Verdict& verdict : decision.verdicts) {
        CourseOf(GroupOf(verdict.group)).state =
            verdict.unsatisfiable ? GroupCourse::State::kUnsatisfiable
                                  : GroupCourse::State::kWaiting;
      }
      for (const Placed& placed : decision.placed) {
        Start(GroupOf(placed.group), now, placed.members);
        course_.end = now;
        started = true;
      }
      for (const Eviction& eviction : decision.evicted) Evict(eviction);
      for (const Reservation& reserved : decision.reserved)
        Promise(CourseOf(GroupOf(reserved.group)), reserved, now);
    } while (schedule_.More());
    return started;
  }

  void Evict(const Eviction& eviction) {
    const int number = GroupOf(eviction.group);
    GroupCourse& course = CourseOf(number);
    const bool ends = course.state != GroupCourse::State::kRunning;
    if (ends && course.end <= eviction.end) return;  // it is done before
    evicted_[static_cast<std::size_t>(number)] = true;
    course.end = eviction.end;
    ends_.emplace(course.end, number, course.restarts);
  }

  void ComeAgain(int number) {
    evicted_[static_cast<std::size_t>(number)] = false;
    GroupCourse& course = CourseOf(number);
    ++course.restarts;
    course.start = course.end = course.promised = course.promised_at = -1;
    course.state = GroupCourse::State::kWaiting;
    course.nodes = 0;
    for (Seen& seen : seen_)
      if (seen.group == number) seen.group = -1;
    Add(number, now_);
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
    if (options_.keep_nodes) KeepNodes(number, members);
  }

  void KeepNodes(int number, const std::vector<PlacedMember>& members) {
    course_.first_node[static_cast<std::size_t>(number)] =
        static_cast<std::int64_t>(course_.nodes.size());
    for (const PlacedMember& member : members) {
      const auto found = node_numbers_.find(member.node);
      if (found == node_numbers_.end()) continue;
      Seen& seen = seen_[static_cast<std::size_t>(found->second)];
      const std::int64_t cpu = member.request->resources.cpu_milli;
      if (std::exchange(seen.group, number) == number) {
        course_.node_cpu[seen.place] += cpu;
        continue;
      }
      seen.place = course_.nodes.size();
      course_.nodes.push_back(found->second);
      course_.node_cpu.push_back(cpu);
      ++CourseOf(number).nodes;
    }
  }

  const Scenario& scenario_;
  const SimulationOptions& options_;
  Schedule schedule_;
  std::vector<const cluster::PodRequest*> requests_;
  std::unordered_map<std::string, int> node_numbers_;
  struct Seen {  // on a node: the group that was last, and its place there
    int group = -1;
    std::size_t place = 0;  // in the course's nodes
  };
  std::vector<Seen> seen_;
  std::vector<bool> evicted_;  // of each group: it is, and will come again
  std::vector<int> arrivals_;  // groups in order of submission
  std::unordered_map<int, std::vector<int>> followers_;  // of a group
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
  CheckScenario(scenario);
  return SimulatedTime(scenario, options).Run();
}

}  // namespace fluxnetes::workers
