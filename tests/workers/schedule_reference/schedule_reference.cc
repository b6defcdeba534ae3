#include "tests/workers/schedule_reference/schedule_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "tests/workers/schedule_reference/free_over_time.h"
#include "tests/workers/schedule_reference/plain_levels.h"
#include "tests/workers/support/schedule_story.h"

namespace fluxnetes::workers {
namespace {

constexpr std::int64_t kNever = std::int64_t{1} << 40;

struct Span {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::vector<int> nodes;  // by pod
  std::int64_t cpu = 0;
};

// Allocations and reservations of groups, and the free amounts besides.
class Spans {
 public:
  explicit Spans(const std::vector<std::int64_t>& cpus)
      : all_(std::accumulate(cpus.begin(), cpus.end(), std::int64_t{0})),
        nodes_(cpus.begin(), cpus.end()),
        pods_(cpus.size(), FreeOverTime(0)) {}

  const std::map<GroupId, Span>& promised() const { return promised_; }

  void Run(GroupId group, const Span& span) { Book(running_, group, span); }
  void Promise(GroupId group, const Span& span) {
    Book(promised_, group, span);
  }
  std::int64_t EndOf(GroupId group) const { return running_.at(group).end; }
  bool End(GroupId group) { return Remove(running_, group); }
  bool Withdraw(GroupId group) { return Remove(promised_, group); }

  std::int64_t Free(int node, std::int64_t from, std::int64_t end) const {
    return nodes_[node].Least(from, end);
  }
  // The most pods at one time.
  std::int64_t Pods(int node, std::int64_t from, std::int64_t end) const {
    return -pods_[node].Least(from, end);
  }
  // The free amount on all nodes together.
  std::int64_t Free(std::int64_t from, std::int64_t end) const {
    return all_.Least(from, end);
  }
  // The end of each allocation and reservation.
  const std::multiset<std::int64_t>& ends() const { return ends_; }

 private:
  // `times` is 1 or -1.
  void Add(const Span& span, std::int64_t times) {
    const std::int64_t cpu = times * span.cpu;
    for (const int node : span.nodes) {
      nodes_[node].Add(span.start, span.end, cpu);
      pods_[node].Add(span.start, span.end, times);
    }
    all_.Add(span.start, span.end, cpu * std::ssize(span.nodes));
  }

  void Book(std::map<GroupId, Span>& spans, GroupId group, const Span& span) {
    Add(span, -1);
    ends_.insert(span.end);
    spans[group] = span;
  }

  bool Remove(std::map<GroupId, Span>& spans, GroupId group) {
    const auto found = spans.find(group);
    if (found == spans.end()) return false;
    Add(found->second, 1);
    ends_.erase(ends_.find(found->second.end));
    spans.erase(found);
    return true;
  }

  FreeOverTime all_;
  std::vector<FreeOverTime> nodes_;
  std::vector<FreeOverTime> pods_;  // below 0: those that are there
  std::map<GroupId, Span> running_, promised_;
  std::multiset<std::int64_t> ends_;
};

std::string NodesOf(const std::vector<int>& nodes) {
  std::string text;
  for (const int node : nodes) text += fmt::format(" node{}", node);
  return text;
}

// Where the group goes if it starts then; nothing: it does not fit.
std::optional<Span> Fitting(const Workload& workload, const Spans& spans,
                            const TimedGroup& group, std::int64_t start) {
  static const cluster::LabelMap kNoLabels;
  Span span{
      start, group.duration ? start + *group.duration : kNever, {}, group.cpu};
  // Saves the search of each node.
  if (spans.Free(start, span.end) < group.pods * group.cpu) return std::nullopt;
  const bool levels = !(group.topology == cluster::GroupTopology());
  std::vector<PlainNode> nodes;
  PlainTotals totals;
  for (int node = 0; node < static_cast<int>(workload.cpus.size()); ++node) {
    const std::int64_t free = spans.Free(node, start, span.end);
    nodes.push_back(
        {node, workload.labels.empty() ? &kNoLabels : &workload.labels[node],
         static_cast<int>(free / group.cpu), free,
         levels ? spans.Pods(node, start, span.end) : 0});
    totals.cpu += workload.cpus[node];
    ++totals.nodes;
  }
  auto places = PlaceByLevels(group.topology, group.pods, nodes, totals);
  if (!places) return std::nullopt;
  span.nodes = *std::move(places);
  return span;
}

class Reference {
 public:
  Reference(const Workload& workload, const PolicyUnderTest& policy)
      : workload_(workload),
        policy_(policy),
        waiting_(workload.groups),
        spans_(workload.cpus) {
    // Those that can never fit are in nobody's way.
    std::erase_if(waiting_, [&](const TimedGroup& group) {
      return !FitsEmptyNodes(workload_, group);
    });
    std::sort(waiting_.begin(), waiting_.end(), [](auto& a, auto& b) {
      return std::pair(-a.priority, a.id) < std::pair(-b.priority, b.id);
    });
    for (const TimedGroup& group : workload_.groups)
      events_.insert(group.comes);
  }

  std::string Run() {
    while (!events_.empty()) {
      now_ = *events_.begin();
      events_.erase(events_.begin());
      unplanned_ = false;
      std::erase_if(ends_, [&](const auto& end) {
        if (end.second > now_) return false;
        unplanned_ = unplanned_ || spans_.EndOf(end.first) != now_;
        spans_.End(end.first);
        return true;
      });
      if (policy_.policy == QueuePolicy::kConservative ||
          policy_.policy == QueuePolicy::kHybrid) {
        while (Pass()) {
        }
      } else {
        Cycle();
      }
      for (const auto& [id, span] : spans_.promised()) {
        auto nodes = span.nodes;
        std::sort(nodes.begin(), nodes.end());
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
        log_ += fmt::format("{}: {} at {} on{}\n", now_, id, span.start,
                            NodesOf(nodes));
      }
    }
    return log_;
  }

 private:
  std::optional<Span> FitsAt(const TimedGroup& group, std::int64_t start) {
    return Fitting(workload_, spans_, group, start);
  }

  bool StillFits(const Span& span) {
    std::map<int, std::int64_t> wanted;
    for (const int node : span.nodes) wanted[node] += span.cpu;
    return std::all_of(wanted.begin(), wanted.end(), [&](const auto& each) {
      return spans_.Free(each.first, span.start, span.end) >= each.second;
    });
  }

  std::optional<Span> Earliest(const TimedGroup& group, std::int64_t before) {
    const auto& ends = spans_.ends();
    for (auto end = ends.upper_bound(now_); end != ends.end() && *end < before;
         end = ends.upper_bound(*end)) {
      if (auto span = FitsAt(group, *end)) return span;
    }
    return std::nullopt;
  }

  bool Starts(const TimedGroup& group) {
    const auto span = FitsAt(group, now_);
    if (!span) return false;
    log_ += fmt::format("{}: {} on{}\n", now_, group.id, NodesOf(span->nodes));
    spans_.Run(group.id, *span);
    ends_[group.id] = now_ + group.runs;
    events_.insert(now_ + group.runs);
    return true;
  }

  // Whether the reservation is to be planned anew: a group came ahead of it,
  // one ended at another time than planned, or its start has come.
  bool IsOutdated(GroupId promised) const {
    if (unplanned_ || spans_.promised().at(promised).start <= now_) return true;
    for (const TimedGroup& group : waiting_) {
      if (group.id == promised) return false;
      if (group.comes <= now_) return true;
    }
    return true;
  }

  // fcfs and easy.
  void Cycle() {
    if (!spans_.promised().empty()) {
      const GroupId promised = spans_.promised().begin()->first;
      if (IsOutdated(promised)) spans_.Withdraw(promised);
    }
    bool blocked = false;
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      if (it->comes > now_) {
        ++it;
        continue;
      }
      if (spans_.promised().contains(it->id)) {
        blocked = true;
        ++it;
        continue;
      }
      if (Starts(*it)) {
        it = waiting_.erase(it);
        continue;
      }
      if (policy_.policy == QueuePolicy::kFcfs) return;
      if (!blocked) {
        if (const auto span = Earliest(*it, kNever))
          spans_.Promise(it->id, *span);
      }
      blocked = true;
      ++it;
    }
  }

  // conservative and hybrid: one pass through all groups in order. Returns true
  // if a reservation moved.
  bool Pass() {
    bool moved = false;
    int promised = 0;
    std::map<GroupId, Span> withdrawn;
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      if (it->comes > now_) {
        ++it;
        continue;
      }
      if (promised >= policy_.depth) {
        moved = spans_.Withdraw(it->id) || moved;
        moved = withdrawn.erase(it->id) > 0 || moved;
      }
      if (Look(*it, promised, withdrawn, moved)) {
        moved = true;
        it = waiting_.erase(it);
        continue;
      }
      ++it;
    }
    return moved;
  }

  // Returns true if the group starts.
  bool Look(const TimedGroup& group, int& promised,
            std::map<GroupId, Span>& withdrawn, bool& moved) {
    if (const auto found = withdrawn.find(group.id); found != withdrawn.end()) {
      const Span before = found->second;
      withdrawn.erase(found);
      ++promised;
      if (before.start > now_ && StillFits(before)) {
        spans_.Promise(group.id, before);
        return false;
      }
      moved = true;
      return Anew(group, promised, withdrawn);
    }
    const auto found = spans_.promised().find(group.id);
    if (found != spans_.promised().end()) {
      const Span before = found->second;
      spans_.Withdraw(group.id);
      if (Starts(group)) return true;
      ++promised;
      const auto better = Earliest(group, before.start);
      spans_.Promise(group.id, better.value_or(before));
      moved = moved || better;
      return false;
    }
    if (Starts(group)) return true;
    WithdrawBehind(group, withdrawn);
    if (promised >= policy_.depth) return Starts(group);
    ++promised;
    moved = true;  // groups behind were not tried for an earlier start
    return Anew(group, promised, withdrawn);
  }

  bool Anew(const TimedGroup& group, int& promised,
            std::map<GroupId, Span>& withdrawn) {
    WithdrawBehind(group, withdrawn);
    if (Starts(group)) {
      --promised;
      return true;
    }
    if (const auto span = Earliest(group, kNever))
      spans_.Promise(group.id, *span);
    return false;
  }

  void WithdrawBehind(const TimedGroup& group,
                      std::map<GroupId, Span>& withdrawn) {
    auto it = std::find_if(waiting_.begin(), waiting_.end(),
                           [&](auto& each) { return each.id == group.id; });
    for (++it; it != waiting_.end(); ++it) {
      const auto found = spans_.promised().find(it->id);
      if (found == spans_.promised().end()) continue;
      withdrawn[it->id] = found->second;
      spans_.Withdraw(it->id);
    }
  }

  const Workload& workload_;
  const PolicyUnderTest policy_;
  std::vector<TimedGroup> waiting_;
  Spans spans_;
  std::map<GroupId, std::int64_t> ends_;
  std::set<std::int64_t> events_;
  bool unplanned_ = false;  // a group ended at another time than planned
  std::int64_t now_ = 0;
  std::string log_;
};

class Timeline {
 public:
  Timeline(const Workload& workload, const PolicyUnderTest& policy)
      : workload_(workload) {
    QueueSettings queue;
    queue.queue_policy = policy.policy;
    queue.reservation_depth = policy.depth;
    story_.schedule.SetQueue(queue);
    for (std::size_t i = 0; i < workload.cpus.size(); ++i) {
      std::string line = fmt::format("node{} cpu={}", i, workload.cpus[i]);
      if (!workload.labels.empty()) {
        for (const auto& [key, value] : workload.labels[i])
          line += fmt::format(" {}={}", key, value);
      }
      story_.Nodes(line);
    }
    for (const TimedGroup& group : workload.groups) events_.insert(group.comes);
  }

  std::string Run() {
    while (!events_.empty()) {
      const std::int64_t now = *events_.begin();
      events_.erase(events_.begin());
      std::erase_if(ends_, [&](const auto& end) {
        if (end.second > now) return false;
        story_.End(end.first);
        return true;
      });
      for (const TimedGroup& group : workload_.groups) {
        if (group.comes == now) {
          GroupOptions options{.priority = group.priority,
                               .duration = group.duration};
          options.rules.topology = group.topology;
          story_.schedule.Add(story_.MakeGroup(
              group.id, fmt::format("{}x{}", group.pods, group.cpu), options));
        }
      }
      do {
        Take(now, story_.schedule.Decide(now));
      } while (story_.schedule.More());
      LogReserved(now);
    }
    return log_;
  }

 private:
  void Take(std::int64_t now, const Decision& decision) {
    for (const Placed& placed : decision.placed) {
      log_ += fmt::format("{}: {} on", now, placed.group);
      for (const auto& member : placed.members) log_ += " " + member.node;
      log_ += "\n";
      const auto runs = workload_.groups[placed.group - 1].runs;
      ends_[placed.group] = now + runs;
      events_.insert(now + runs);
    }
    for (const GroupId group : decision.unreserved) reserved_.erase(group);
    for (const auto& reserved : decision.reserved) {
      reserved_[reserved.group] = reserved;
    }
  }

  void LogReserved(std::int64_t now) {
    for (const auto& [group, reserved] : reserved_) {
      if (!reserved.start) continue;
      std::vector<int> nodes;
      for (const std::string& node : reserved.nodes)
        nodes.push_back(std::stoi(node.substr(4)));
      std::sort(nodes.begin(), nodes.end());
      log_ += fmt::format("{}: {} at {} on{}\n", now, group, *reserved.start,
                          NodesOf(nodes));
    }
  }

  const Workload& workload_;
  Story story_;
  std::map<GroupId, std::int64_t> ends_;
  std::map<GroupId, Reservation> reserved_;
  std::set<std::int64_t> events_;
  std::string log_;
};

// Whether a reservation is logged before or after a start in the same cycle
// does not matter.
std::string InOrder(const std::string& log) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < log.size();) {
    const std::size_t end = log.find('\n', begin);
    lines.push_back(log.substr(begin, end - begin));
    begin = end + 1;
  }
  std::stable_sort(lines.begin(), lines.end(), [](auto& a, auto& b) {
    const auto key = [](const std::string& line) {
      return std::pair(std::stoll(line), line.find(" at ") != line.npos);
    };
    return key(a) < key(b);
  });
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

bool FitsEmptyNodes(const Workload& workload, const TimedGroup& group) {
  return Fitting(workload, Spans(workload.cpus), group, 0).has_value();
}

std::string RunReference(const Workload& workload,
                         const PolicyUnderTest& policy) {
  return InOrder(Reference(workload, policy).Run());
}

std::string RunSchedule(const Workload& workload,
                        const PolicyUnderTest& policy) {
  return InOrder(Timeline(workload, policy).Run());
}

std::string FirstDifference(const std::string& expected,
                            const std::string& got) {
  const auto differs =
      std::mismatch(expected.begin(), expected.end(), got.begin(), got.end());
  const auto at = static_cast<std::size_t>(differs.first - expected.begin());
  const std::size_t from = at < 400 ? 0 : at - 400;
  return "\nexpected ..." + expected.substr(from, 600) + "\ngot ..." +
         got.substr(from, 600);
}

}  // namespace fluxnetes::workers
