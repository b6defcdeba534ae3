// The unfinished groups in memory, in every order that a list offers, with
// counts. A page costs as much as the groups that it passes, whatever their
// number: of a list without search, node and account that is the page itself
// unless few groups are in its states.
//
//   feed's change ──▶ counters by namespace, queue and state
//                ──▶ each order that somebody has asked for
//
// An order is built when it is first asked for, and kept from then on.
//
// Thread-safe.
// Tests: tests/services/feed/group_index_test.cc.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "services/feed/group_query.h"
#include "sql/mutex.h"

namespace fluxnetes::services {

class GroupIndex {
 public:
  using Counts = std::map<std::pair<int, std::string>, std::int64_t>;

  // `before` is the group until now, `after` from now on; null or over: none.
  void Replace(const FeedEntryPtr& before, const FeedEntryPtr& after)
      EXCLUDES(mutex_);
  void Clear() EXCLUDES(mutex_);

  // Returns at most `limit` of the groups behind `behind`, which need not exist
  // any more (null: from the beginning).
  std::vector<FeedEntryPtr> Page(const GroupQuery& query,
                                 const ListOrder& order,
                                 const FeedEntry* behind, std::size_t limit)
      EXCLUDES(mutex_);
  // By state and shown state.
  Counts Count(const GroupQuery& query) EXCLUDES(mutex_);

 private:
  struct Earlier {
    ListOrder order;
    using is_transparent = void;
    bool operator()(const FeedEntryPtr& a, const FeedEntryPtr& b) const {
      return ComesBefore(order, *a, *b);
    }
    bool operator()(const FeedEntry& a, const FeedEntryPtr& b) const {
      return ComesBefore(order, a, *b);
    }
    bool operator()(const FeedEntryPtr& a, const FeedEntry& b) const {
      return ComesBefore(order, *a, b);
    }
  };
  using Sorted = std::set<FeedEntryPtr, Earlier>;
  // Namespace, queue, state, shown state.
  using CountKey = std::tuple<std::string, std::string, int, std::string>;

  Sorted& InOrder(const ListOrder& order) REQUIRES(mutex_);
  void Tally(const FeedEntry& entry, int by) REQUIRES(mutex_);

  sql::Mutex mutex_;
  std::map<std::int64_t, FeedEntryPtr> groups_ GUARDED_BY(mutex_);
  std::map<ListOrder, Sorted> sorted_ GUARDED_BY(mutex_);
  std::map<CountKey, std::int64_t> counts_ GUARDED_BY(mutex_);
};

}  // namespace fluxnetes::services
