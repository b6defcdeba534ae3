#include "tests/workers/schedule_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

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

std::string NodesOf(const std::vector<int>& nodes) {
  std::string text;
  for (const int node : nodes) text += fmt::format(" node{}", node);
  return text;
}

class Reference {
 public:
  Reference(const Workload& workload, QueuePolicy policy)
      : workload_(workload),
        policy_(policy),
        waiting_(workload.groups),
        held_(workload.cpus.size()) {
    std::sort(waiting_.begin(), waiting_.end(), [](auto& a, auto& b) {
      return std::pair(-a.priority, a.id) < std::pair(-b.priority, b.id);
    });
    for (const TimedGroup& group : waiting_) events_.insert(group.comes);
  }

  std::string Run() {
    while (!events_.empty()) {
      const std::int64_t now = *events_.begin();
      events_.erase(events_.begin());
      std::erase_if(ends_, [&](const auto& end) {
        if (end.second > now) return false;
        for (const int node : running_[end.first].nodes)
          held_[node].erase(end.first);
        running_.erase(end.first);
        return true;
      });
      Cycle(now);
    }
    return log_;
  }

 private:
  // The least that is free there in this time: as it begins, or as what is
  // reserved does.
  std::int64_t Free(int node, std::int64_t from, std::int64_t end) const {
    std::int64_t least = FreeAt(node, from);
    if (reserved_ && reserved_->start > from && reserved_->start < end)
      least = std::min(least, FreeAt(node, reserved_->start));
    return least;
  }

  std::int64_t FreeAt(int node, std::int64_t time) const {
    std::int64_t free = workload_.cpus[node];
    for (const auto& [group, held] : held_[node])
      if (running_.at(group).end > time) free -= held;
    if (reserved_ && reserved_->start <= time && time < reserved_->end)
      free -= reserved_on_[node];
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

  void Reserve(const TimedGroup& group, std::int64_t now) {
    std::set<std::int64_t> times;
    for (const auto& [id, span] : running_) times.insert(span.end);
    for (const std::int64_t time : times) {
      if (time <= now || time == kNever) continue;
      const auto span = FitsAt(group, time);
      if (!span) continue;
      reserved_ = span;
      reserved_on_.assign(workload_.cpus.size(), 0);
      for (const int node : span->nodes) reserved_on_[node] += group.cpu;
      auto nodes = reserved_->nodes;
      nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
      log_ += fmt::format("{}: {} at {} on{}\n", now, group.id, time,
                          NodesOf(nodes));
      return;
    }
  }

  void Cycle(std::int64_t now) {
    reserved_.reset();
    bool blocked = false;
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      if (it->comes > now) {
        ++it;
        continue;
      }
      if (const auto span = FitsAt(*it, now)) {
        log_ += fmt::format("{}: {} on{}\n", now, it->id, NodesOf(span->nodes));
        running_[it->id] = *span;
        for (const int node : span->nodes) held_[node][it->id] += it->cpu;
        ends_[it->id] = now + it->runs;
        events_.insert(now + it->runs);
        it = waiting_.erase(it);
        continue;
      }
      if (policy_ == QueuePolicy::kFcfs) return;
      if (!blocked) Reserve(*it, now);
      blocked = true;
      ++it;
    }
  }

  const Workload& workload_;
  const QueuePolicy policy_;
  std::vector<TimedGroup> waiting_;
  std::map<GroupId, Span> running_;
  std::vector<std::map<GroupId, std::int64_t>> held_;  // by node
  std::map<GroupId, std::int64_t> ends_;
  std::optional<Span> reserved_;
  std::vector<std::int64_t> reserved_on_;  // by node
  std::set<std::int64_t> events_;
  std::string log_;
};

class Timeline {
 public:
  Timeline(const Workload& workload, QueuePolicy policy) : workload_(workload) {
    story_.schedule.SetQueue({.queue_policy = policy});
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
      Log(now, story_.schedule.Decide(now));
    }
    return log_;
  }

 private:
  void Log(std::int64_t now, const Decision& decision) {
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

std::string RunReference(const Workload& workload, QueuePolicy policy) {
  return InOrder(Reference(workload, policy).Run());
}

std::string RunSchedule(const Workload& workload, QueuePolicy policy) {
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
