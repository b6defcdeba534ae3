// The groups that hold something, by priority, for preemption: whom a group of
// a higher priority may evict, who was evicted for whom, and whether anything
// has changed so that another look for victims may help.
//
// Owned by one thread.
// Tests: tests/workers/graph/eviction_ranks_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "workers/decision/held.h"

namespace fluxnetes::workers {

class EvictionRanks {
 public:
  // A group got places, its first or more.
  void Add(const Held& held);
  // A group gave something back. `expected`: no search for victims that found
  // none had counted on its eviction.
  void NoteLess(const Held& held, bool expected);
  // A group holds nothing any more.
  void Remove(const Held& held);

  void NoteEvicted(GroupId group, GroupId preemptor);
  // A search for victims left the group where it is, and could have chosen it.
  void NoteSpared(GroupId group) { spared_.insert(group); }
  bool WasSpared(GroupId group) const { return spared_.contains(group); }

  bool AnyBelow(std::int64_t priority) const;
  // Groups of a lower priority, the lowest first.
  std::vector<GroupId> Below(std::int64_t priority) const;
  // Groups that were evicted for this one and hold something still.
  std::set<GroupId> EvictedFor(GroupId preemptor) const;

  // Something else has changed that may help any search for victims.
  void NoteChange() { changed_ = ++moves_; }
  // Differs from an earlier value if a search for victims by a group of this
  // priority may find some that it did not find then. The end of groups that it
  // might have evicted makes no difference.
  std::uint64_t Version(std::int32_t priority) const;
  // The same for a search that does not go by priority alone.
  std::uint64_t Version() const { return moves_; }

 private:
  std::map<std::int32_t, std::set<GroupId>> ranks_;
  std::map<GroupId, std::set<GroupId>> evicted_for_;  // by preemptor
  std::set<GroupId> spared_;
  // Changes are counted. By priority: the last in which a group came, and went.
  std::uint64_t moves_ = 0;
  std::map<std::int32_t, std::uint64_t> came_, went_;
  std::uint64_t changed_ = 0;  // the last other one
};

}  // namespace fluxnetes::workers
