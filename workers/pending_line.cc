#include "workers/pending_line.h"

#include <cassert>

namespace fluxnetes::workers {

bool Earlier(const WaitingGroup& a, const WaitingGroup& b) {
  return std::tuple(!a.first_in_line, -std::int64_t{a.priority}, a.submitted_at,
                    a.id) < std::tuple(!b.first_in_line,
                                       -std::int64_t{b.priority},
                                       b.submitted_at, b.id);
}

WaitingGroup& PendingLines::Add(PendingGroup group, RequestCounts requests,
                                std::vector<matcher::NodeIndex> beside) {
  Key key{group.queue, group.shape, group.duration, std::move(requests),
          std::move(beside)};
  auto& line = lines_[key];
  if (line == nullptr) {
    line = std::make_unique<PendingLine>();
    line->queue_name = group.queue;
    line->shape = group.shape;
    line->duration = group.duration;
    line->requests = std::get<RequestCounts>(key);
    line->beside = std::get<std::vector<matcher::NodeIndex>>(key);
  }
  const auto [place, added] = groups_.try_emplace(group.id);
  assert(added);
  WaitingGroup& waiting = place->second;
  waiting.id = group.id;
  waiting.submitted_at = group.submitted_at;
  waiting.job_id = group.job_id;
  waiting.priority = group.priority;
  waiting.revision = group.revision;
  waiting.job_attempt = group.job_attempt;
  waiting.first_in_line = group.first_in_line;
  waiting.unsatisfiable = group.unsatisfiable;
  waiting.members = std::move(group.members);
  waiting.line = line.get();
  line->groups.insert(&waiting);
  return waiting;
}

const WaitingGroup* PendingLines::Find(GroupId group) const {
  const auto found = groups_.find(group);
  return found == groups_.end() ? nullptr : &found->second;
}

WaitingGroup* PendingLines::Find(GroupId group) {
  const auto found = groups_.find(group);
  return found == groups_.end() ? nullptr : &found->second;
}

void PendingLines::Remove(GroupId group) {
  const auto found = groups_.find(group);
  if (found == groups_.end()) return;
  PendingLine& line = *found->second.line;
  line.groups.erase(&found->second);
  groups_.erase(found);
  if (!line.groups.empty()) return;
  lines_.erase(Key{line.queue_name, line.shape, line.duration, line.requests,
                   line.beside});
}

}  // namespace fluxnetes::workers
