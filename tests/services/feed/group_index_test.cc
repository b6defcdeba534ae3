#include "services/feed/group_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fluxnetes/v1/group.pb.h"
#include "services/feed/group_requests.h"

namespace fluxnetes::services {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class GroupIndexTest : public ::testing::Test {
 protected:
  // Groups that differ in everything by their id.
  static FeedEntry Group(std::int64_t id) {
    FeedEntry entry;
    entry.id = id;
    entry.namespace_name = id % 2 == 0 ? "even" : "odd";
    entry.name = "g" + std::to_string(id);
    entry.queue = "default";
    entry.state = v1::GROUP_STATE_PENDING;
    entry.shown_state = "pending";
    entry.size = static_cast<int>(10 - id);
    entry.submitted_us = id * 1'000;
    entry.searched = entry.namespace_name + "/" + entry.name + "\nwaits";
    return entry;
  }

  FeedEntryPtr Put(const FeedEntry& entry, const FeedEntryPtr& before = {}) {
    auto after = std::make_shared<const FeedEntry>(entry);
    index_.Replace(before, after);
    return after;
  }

  std::vector<std::int64_t> Ids(const GroupQuery& query, ListOrder order,
                                std::size_t page = 100) {
    std::vector<std::int64_t> ids;
    std::optional<FeedEntry> behind;
    while (true) {
      const auto part =
          index_.Page(query, order, behind ? &*behind : nullptr, page);
      for (const auto& entry : part) ids.push_back(entry->id);
      if (part.size() < page) return ids;
      behind = PlaceInOrder(order, OrderToken(order, *part.back()));
    }
  }

  GroupIndex index_;
};

TEST_F(GroupIndexTest, PagesOfAnyOrderFollowOneAnother) {
  for (const std::int64_t id : {3, 1, 5, 2, 4}) Put(Group(id));
  EXPECT_THAT(Ids({}, {.by = v1::GROUP_ORDER_SUBMITTED}, 2),
              ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(Ids({}, {.by = v1::GROUP_ORDER_SIZE}, 2),
              ElementsAre(5, 4, 3, 2, 1));
  EXPECT_THAT(Ids({}, {.by = v1::GROUP_ORDER_SIZE, .descending = true}, 1),
              ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(Ids({}, {.by = v1::GROUP_ORDER_NAME}, 2),
              ElementsAre(2, 4, 1, 3, 5));
  EXPECT_THAT(Ids({}, {.by = v1::GROUP_ORDER_STATE, .descending = true}, 2),
              ElementsAre(1, 2, 3, 4, 5));
}

TEST_F(GroupIndexTest, GroupsWithoutAValueComeLastEitherWay) {
  for (const std::int64_t id : {1, 2, 3}) {
    FeedEntry group = Group(id);
    if (id != 2) group.start_us = id;
    if (id != 1) group.priority = static_cast<std::int32_t>(id);
    Put(group);
  }
  EXPECT_THAT(Ids({}, {.by = v1::GROUP_ORDER_START}, 1), ElementsAre(1, 3, 2));
  EXPECT_THAT(Ids({}, {.by = v1::GROUP_ORDER_START, .descending = true}, 1),
              ElementsAre(3, 1, 2));
  EXPECT_THAT(Ids({}, {.by = v1::GROUP_ORDER_PRIORITY, .descending = true}, 1),
              ElementsAre(3, 2, 1));
}

TEST_F(GroupIndexTest, OrdersFollowChanges) {
  const ListOrder by_size{.by = v1::GROUP_ORDER_SIZE};
  const auto one = Put(Group(1));
  const auto two = Put(Group(2));
  EXPECT_THAT(Ids({}, by_size), ElementsAre(2, 1));
  FeedEntry smaller = Group(1);
  smaller.size = 1;
  const auto now = Put(smaller, one);
  EXPECT_THAT(Ids({}, by_size), ElementsAre(1, 2));
  FeedEntry over = Group(2);
  over.over = true;
  Put(over, two);
  EXPECT_THAT(Ids({}, by_size), ElementsAre(1));
  EXPECT_THAT(index_.Count({}),
              ElementsAre(Pair(Pair(v1::GROUP_STATE_PENDING, "pending"), 1)));
}

TEST_F(GroupIndexTest, QueriesSelectByAllThatTheyName) {
  for (const std::int64_t id : {1, 2, 3}) {
    FeedEntry group = Group(id);
    if (id == 3) {
      group.state = v1::GROUP_STATE_BOUND;
      group.shown_state = "bound";
      group.nodes = {"n1"};
      group.account = "a";
    }
    Put(group);
  }
  const ListOrder by_id{};
  EXPECT_THAT(Ids({.namespace_name = "odd"}, by_id), ElementsAre(1, 3));
  EXPECT_THAT(Ids({.queue = "other"}, by_id), IsEmpty());
  EXPECT_THAT(Ids({.states = {v1::GROUP_STATE_BOUND}}, by_id), ElementsAre(3));
  EXPECT_THAT(Ids({.search = "even/g2"}, by_id), ElementsAre(2));
  EXPECT_THAT(Ids({.search = "waits"}, by_id), ElementsAre(1, 2, 3));
  EXPECT_THAT(Ids({.node = "n1"}, by_id), ElementsAre(3));
  EXPECT_THAT(Ids({.account = "a"}, by_id), ElementsAre(3));
  EXPECT_THAT(Ids({.namespace_name = "even", .account = "a"}, by_id),
              IsEmpty());
}

TEST_F(GroupIndexTest, CountsAreThoseOfTheLists) {
  for (const std::int64_t id : {1, 2, 3, 4}) {
    FeedEntry group = Group(id);
    if (id == 4) group.shown_state = "held";
    Put(group);
  }
  const auto pending = Pair(v1::GROUP_STATE_PENDING, "pending");
  const auto held = Pair(v1::GROUP_STATE_PENDING, "held");
  EXPECT_THAT(index_.Count({}), ElementsAre(Pair(held, 1), Pair(pending, 3)));
  EXPECT_THAT(index_.Count({.namespace_name = "odd"}),
              ElementsAre(Pair(pending, 2)));
  EXPECT_THAT(index_.Count({.search = "g4"}), ElementsAre(Pair(held, 1)));
}

TEST_F(GroupIndexTest, TokensThatAreNoneAreRefused) {
  const ListOrder by_size{.by = v1::GROUP_ORDER_SIZE};
  for (const char* token : {"o/", "o/x/1", "o/1", "o/1/", "o/1/x", "g/1"})
    EXPECT_THROW(PlaceInOrder(by_size, token), GrpcRefusal) << token;
}

}  // namespace
}  // namespace fluxnetes::services
