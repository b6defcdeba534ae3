// Which groups a list, a count or a window is about, and in which order. What
// is left empty selects all.
// Tests: tests/services/feed/group_index_test.cc.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fluxnetes::services {

// A group in memory, as of one change.
struct FeedEntry {
  std::int64_t id = 0;
  std::string namespace_name;
  std::string name;
  std::string queue;
  std::string account;
  int state = 0;  // v1::GroupState
  std::string shown_state;
  int size = 0;
  std::optional<std::int32_t> priority;
  std::int64_t submitted_us = 0;
  std::optional<std::int64_t> start_us;  // that it had, or that is estimated
  std::string searched;                  // in lower case
  std::vector<std::string> nodes;        // that it has or will have
  bool over = false;                     // finished or deleted
  std::string encoded;  // the field `groups` or `gone` of WatchGroupsResponse
};
using FeedEntryPtr = std::shared_ptr<const FeedEntry>;

struct GroupQuery {
  std::string namespace_name = {};
  std::string queue = {};
  std::vector<int> states = {};
  std::string search = {};  // in lower case
  std::string node = {};
  std::string account = {};

  // A group that is over is selected by none.
  bool Selects(const FeedEntry& entry) const;
  // Whether search, node and account are empty.
  bool IsOfCounters() const;
  auto operator<=>(const GroupQuery&) const = default;
};

// As v1::GroupOrder, by its number.
struct ListOrder {
  int by = 0;
  bool descending = false;
  auto operator<=>(const ListOrder&) const = default;
};

// Whether `a` comes before `b`. Groups without a value come last either way;
// equal ones are in order of id.
bool ComesBefore(const ListOrder& order, const FeedEntry& a,
                 const FeedEntry& b);

}  // namespace fluxnetes::services
