#include "tests/workers/schedule_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "tests/workers/schedule_story.h"

namespace fluxnetes::workers {
namespace {

constexpr std::int64_t kNever = std::int64_t{1} << 40;

struct Span {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::vector<int> nodes;  // of each pod
  std::int64_t cpu = 0;
};

class Spans {
 public:
  const std::map<GroupId, Span>& spans() const { return spans_; }

  // What groups have of the node, in sum.
  const std::map<GroupId, std::int64_t>& On(int node) const {
    static const std::map<GroupId, std::int64_t> kNothing;
    const auto found = on_.find(node);
    return found == on_.end() ? kNothing : found->second;
  }

  void Add(GroupId group, const Span& span) {
    spans_[group] = span;
    for (const int node : span.nodes) on_[node][group] += span.cpu;
  }

  bool Remove(GroupId group) {
    const auto found = spans_.find(group);
    if (found == spans_.end()) return false;
    for (const int node : found->second.nodes) on_[node].erase(group);
    spans_.erase(found);
    return true;
  }

 private:
  std::map<GroupId, Span> spans_;
  std::unordered_map<int, std::map<GroupId, std::int64_t>> on_;
};

std::string NodesOf(const std::vector<int>& nodes) {
  std::string text;
  for (const int node : nodes) text += fmt::format(" node{}", node);
  return text;
}

class Reference {
 public:
  Reference(const Workload& workload, const PolicyUnderTest& policy)
      : workload_(workload), policy_(policy), waiting_(workload.groups) {
    std::sort(waiting_.begin(), waiting_.end(), [](auto& a, auto& b) {
      return std::pair(-a.priority, a.id) < std::pair(-b.priority, b.id);
    });
    for (const TimedGroup& group : waiting_) events_.insert(group.comes);
  }

  std::string Run() {
    while (!events_.empty()) {
      now_ = *events_.begin();
      events_.erase(events_.begin());
      std::erase_if(ends_, [&](const auto& end) {
        if (end.second > now_) return false;
        running_.Remove(end.first);
        return true;
      });
      if (policy_.policy == QueuePolicy::kConservative ||
          policy_.policy == QueuePolicy::kHybrid) {
        while (Pass()) {
        }
      } else {
        Cycle();
      }
      for (const auto& [id, span] : promised_.spans()) {
        auto nodes = span.nodes;
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
        log_ += fmt::format("{}: {} at {} on{}\n", now_, id, span.start,
                            NodesOf(nodes));
      }
    }
    return log_;
  }

 private:
  // The least that is free there in this time: as it begins, or as what is
  // promised does.
  std::int64_t Free(int node, std::int64_t from, std::int64_t end) const {
    std::int64_t least = FreeAt(node, from);
    for (const auto& [group, cpu] : promised_.On(node)) {
      const std::int64_t start = promised_.spans().at(group).start;
      if (start > from && start < end)
        least = std::min(least, FreeAt(node, start));
    }
    return least;
  }

  std::int64_t FreeAt(int node, std::int64_t time) const {
    std::int64_t free = workload_.cpus[node];
    for (const auto& [group, cpu] : running_.On(node))
      if (running_.spans().at(group).end > time) free -= cpu;
    for (const auto& [group, cpu] : promised_.On(node)) {
      const Span& span = promised_.spans().at(group);
      if (span.start <= time && time < span.end) free -= cpu;
    }
    return free;
  }

  std::optional<Span> FitsAt(const TimedGroup& group, std::int64_t start) {
    Span span{start,
              group.duration ? start + *group.duration : kNever,
              {},
              group.cpu};
    for (int node = 0; node < static_cast<int>(workload_.cpus.size()); ++node) {
      std::int64_t free = Free(node, start, span.end);
      while (free >= group.cpu &&
             static_cast<int>(span.nodes.size()) < group.pods) {
        span.nodes.push_back(node);
        free -= group.cpu;
      }
    }
    if (static_cast<int>(span.nodes.size()) < group.pods) return std::nullopt;
    return span;
  }

  bool StillFits(const Span& span) {
    std::map<int, std::int64_t> wanted;
    for (const int node : span.nodes) wanted[node] += span.cpu;
    return std::all_of(wanted.begin(), wanted.end(), [&](const auto& each) {
      return Free(each.first, span.start, span.end) >= each.second;
    });
  }

  std::optional<Span> Earliest(const TimedGroup& group, std::int64_t before) {
    std::set<std::int64_t> times;
    for (const auto& [id, span] : running_.spans()) times.insert(span.end);
    for (const auto& [id, span] : promised_.spans()) times.insert(span.end);
    for (const std::int64_t time : times) {
      if (time <= now_ || time >= before) continue;
      if (auto span = FitsAt(group, time)) return span;
    }
    return std::nullopt;
  }

  bool Starts(const TimedGroup& group) {
    const auto span = FitsAt(group, now_);
    if (!span) return false;
    log_ += fmt::format("{}: {} on{}\n", now_, group.id, NodesOf(span->nodes));
    running_.Add(group.id, *span);
    ends_[group.id] = now_ + group.runs;
    events_.insert(now_ + group.runs);
    return true;
  }

  // fcfs and easy: everything anew.
  void Cycle() {
    promised_ = {};
    bool blocked = false;
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      if (it->comes > now_) {
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
          promised_.Add(it->id, *span);
      }
      blocked = true;
      ++it;
    }
  }

  // conservative and hybrid: once through all groups in order. Whether
  // something moved.
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
        moved = promised_.Remove(it->id) || moved;
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

  // Whether it starts.
  bool Look(const TimedGroup& group, int& promised,
            std::map<GroupId, Span>& withdrawn, bool& moved) {
    if (const auto found = withdrawn.find(group.id); found != withdrawn.end()) {
      const Span before = found->second;
      withdrawn.erase(found);
      ++promised;
      if (before.start > now_ && StillFits(before)) {
        promised_.Add(group.id, before);
        return false;
      }
      moved = true;
      return Anew(group, promised, withdrawn);
    }
    const auto found = promised_.spans().find(group.id);
    if (found != promised_.spans().end()) {
      const Span before = found->second;
      promised_.Remove(group.id);
      if (Starts(group)) return true;
      ++promised;
      const auto better = Earliest(group, before.start);
      promised_.Add(group.id, better.value_or(before));
      moved = moved || better;
      return false;
    }
    if (Starts(group)) return true;
    WithdrawBehind(group, withdrawn);
    if (promised >= policy_.depth) return Starts(group);
    ++promised;
    moved = true;  // those behind were not asked whether they could be better
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
      promised_.Add(group.id, *span);
    return false;
  }

  void WithdrawBehind(const TimedGroup& group,
                      std::map<GroupId, Span>& withdrawn) {
    auto it = std::find_if(waiting_.begin(), waiting_.end(),
                           [&](auto& each) { return each.id == group.id; });
    for (++it; it != waiting_.end(); ++it) {
      const auto found = promised_.spans().find(it->id);
      if (found == promised_.spans().end()) continue;
      withdrawn[it->id] = found->second;
      promised_.Remove(it->id);
    }
  }

  const Workload& workload_;
  const PolicyUnderTest policy_;
  std::vector<TimedGroup> waiting_;
  Spans running_, promised_;
  std::map<GroupId, std::int64_t> ends_;
  std::set<std::int64_t> events_;
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
      story_.Nodes(fmt::format("node{} cpu={}", i, workload.cpus[i]));
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
          story_.schedule.Add(story_.MakeGroup(
              group.id, fmt::format("{}x{}", group.pods, group.cpu),
              {.priority = group.priority, .duration = group.duration}));
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

// Reservations are said before or after what starts in the same cycle: of no
// importance.
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
