#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <gtest/gtest.h>

#include <sstream>

#include "fluxnetes/v1/scheduler.pb.h"
#include "services/feed/group_feed.h"
#include "services/feed/group_feed_queries.h"
#include "services/records/group_pages_queries.h"
#include "tests/support/postgres.h"
#include "tests/support/process.h"

namespace fluxnetes::services {
namespace {

using ::testing::ElementsAre;
using Outcome = GroupFeed::Outcome;

sql::PoolOptions WithPages(sql::PoolOptions options) {
  options.catalogues = {queries::kAllGroupFeed, queries::kAllGroupPages};
  return options;
}

class GroupFeedTest : public ::testing::Test {
 protected:
  GroupFeedTest() : pool_(WithPages(database_.options())) { AddGroups(1, 5); }

  void AddGroups(int first, int last) {
    database_.Execute(
        "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,"
        " priority, state, phase, shape, submitted_at, promoted_at) SELECT i,"
        " 'ns' || i % 2, 'g' || i, 1, 'default', 0, 'pending', 'queued', 1,"
        " now(), now() FROM generate_series(" +
        std::to_string(first) + ", " + std::to_string(last) + ") AS i");
  }

  void Start(GroupFeed::Options options) {
    options.interval = std::chrono::milliseconds(10);
    feed_.emplace(pool_, log_, options);
    feed_->Start();
    watcher_ = feed_->Join([this] {
      ++looks_;
      looks_.notify_all();
    });
  }

  // Waits for the next piece.
  std::pair<Outcome, v1::WatchGroupsResponse> Next(GroupFeed::Place& place) {
    while (true) {
      const int looks = looks_;
      GroupFeed::Piece piece;
      const Outcome outcome = feed_->Next(place, piece);
      if (outcome == Outcome::kNothingNew) {
        looks_.wait(looks);
        continue;
      }
      v1::WatchGroupsResponse answer;
      if (piece) {
        grpc::ByteBuffer bytes = *piece;
        EXPECT_TRUE(
            grpc::SerializationTraits<v1::WatchGroupsResponse>::Deserialize(
                &bytes, &answer)
                .ok());
      }
      return {outcome, answer};
    }
  }

  static std::vector<std::int64_t> IdsIn(const v1::WatchGroupsResponse& a) {
    std::vector<std::int64_t> ids;
    for (const v1::Group& group : a.groups()) ids.push_back(group.id());
    return ids;
  }

  testing::TestDatabase database_;
  sql::Pool pool_;
  std::ostringstream lines_;
  const Log log_{{.out = &lines_}};
  std::atomic<int> looks_ = 0;
  std::optional<GroupFeed> feed_;
  std::optional<std::int64_t> watcher_;
};

TEST_F(GroupFeedTest, WhatIsThereComesInPieces) {
  Start({.piece = 2});
  GroupFeed::Place place;
  const auto [first, one] = Next(place);
  EXPECT_EQ(first, Outcome::kPiece);
  EXPECT_THAT(IdsIn(one), ElementsAre(1, 2));
  EXPECT_TRUE(one.reset());
  EXPECT_FALSE(one.current());
  EXPECT_EQ(one.resume_token(), "");
  const auto [second, two] = Next(place);
  EXPECT_THAT(IdsIn(two), ElementsAre(3, 4));
  EXPECT_FALSE(two.reset());
  const auto [third, three] = Next(place);
  EXPECT_THAT(IdsIn(three), ElementsAre(5));
  EXPECT_TRUE(three.current());
  EXPECT_NE(three.resume_token(), "");
}

TEST_F(GroupFeedTest, ChangesAreOneForAllWhoAskForTheSame) {
  Start({});
  GroupFeed::Place one, other, elsewhere;
  elsewhere.query.namespace_name = "ns0";
  Next(one);
  Next(other);
  Next(elsewhere);
  database_.Execute("UPDATE pod_groups SET priority = 1 WHERE id = 3");
  EXPECT_THAT(IdsIn(Next(one).second), ElementsAre(3));
  one = other;
  GroupFeed::Piece first, second;
  EXPECT_EQ(feed_->Next(one, first), Outcome::kPiece);
  EXPECT_EQ(feed_->Next(other, second), Outcome::kPiece);
  EXPECT_EQ(first, second);
  GroupFeed::Piece none;
  EXPECT_EQ(feed_->Next(elsewhere, none), Outcome::kNothingNew);
}

TEST_F(GroupFeedTest, EstimatedStartIsAChangeOfItsGroup) {
  Start({});
  GroupFeed::Place place;
  Next(place);
  database_.Execute(
      "INSERT INTO estimates (group_id, starts_at, approximate, rests_on,"
      " made_at) VALUES (3, '2030-01-01Z', false, '', now())");
  const auto first = Next(place).second;
  ASSERT_THAT(IdsIn(first), ElementsAre(3));
  database_.Execute("UPDATE estimates SET starts_at = '2031-01-01Z'");
  const auto second = Next(place).second;
  ASSERT_THAT(IdsIn(second), ElementsAre(3));
  EXPECT_GT(second.groups(0).estimated_start().seconds(),
            first.groups(0).estimated_start().seconds());
}

TEST_F(GroupFeedTest, WhoReadsTooSlowlyIsToldSo) {
  Start({.changes = 3});
  GroupFeed::Place fast, slow;
  Next(fast);
  Next(slow);
  database_.Execute("UPDATE pod_groups SET priority = 1");
  Next(fast);
  EXPECT_EQ(Next(slow).first, Outcome::kFellBehind);
}

TEST_F(GroupFeedTest, PieceThatBecomesTooLargeIsTwo) {
  Start({.piece_bytes = 1});
  GroupFeed::Place place;
  for (const std::int64_t id : {1, 2, 3, 4, 5}) {
    const v1::WatchGroupsResponse one = Next(place).second;
    EXPECT_THAT(IdsIn(one), ElementsAre(id));
    EXPECT_EQ(one.current(), id == 5);
  }
  database_.Execute("UPDATE pod_groups SET priority = 1 WHERE id IN (2, 3)");
  const v1::WatchGroupsResponse first = Next(place).second;
  EXPECT_THAT(IdsIn(first), ElementsAre(2));
  // The first answer's token continues after that answer, not after all groups.
  GroupFeed::Place other;
  other.resume = first.resume_token();
  EXPECT_THAT(IdsIn(Next(other).second), ElementsAre(3));
  EXPECT_THAT(IdsIn(Next(place).second), ElementsAre(3));
}

TEST_F(GroupFeedTest, OnlySomeMegabytesOfChangesAreRemembered) {
  Start({.bytes = 1});
  GroupFeed::Place slow;
  Next(slow);
  database_.Execute("UPDATE pod_groups SET priority = 1 WHERE id = 1");
  EXPECT_EQ(Next(slow).first, Outcome::kFellBehind);
}

TEST_F(GroupFeedTest, ManyChangesOfAGroupAreOne) {
  Start({});
  GroupFeed::Place fast, slow;
  Next(fast);
  Next(slow);
  for (const char* priority : {"1", "2"}) {
    database_.Execute(std::string("UPDATE pod_groups SET priority = ") +
                      priority + " WHERE id = 2");
    Next(fast);
  }
  const auto [outcome, answer] = Next(slow);
  ASSERT_THAT(IdsIn(answer), ElementsAre(2));
  EXPECT_EQ(answer.groups(0).priority(), 2);
}

TEST_F(GroupFeedTest, TransactionThatTookLongIsSeenWhenItEnds) {
  Start({});
  GroupFeed::Place place;
  Next(place);
  sql::Transaction slow(pool_);
  slow.RunScript("UPDATE pod_groups SET priority = 9 WHERE id = 4");
  database_.Execute("UPDATE pod_groups SET priority = 1 WHERE id = 1");
  EXPECT_THAT(IdsIn(Next(place).second), ElementsAre(1));
  slow.Commit();
  EXPECT_THAT(IdsIn(Next(place).second), ElementsAre(4));
}

TEST_F(GroupFeedTest, GroupThatLeftNoTraceIsFoundGone) {
  Start({.between_sweeps = std::chrono::milliseconds(0)});
  GroupFeed::Place place;
  Next(place);
  database_.Execute("DELETE FROM pod_groups WHERE id = 3");
  EXPECT_THAT(Next(place).second.gone(), ElementsAre(3));
  database_.Execute("UPDATE pod_groups SET priority = 1 WHERE id = 1");
  EXPECT_THAT(IdsIn(Next(place).second), ElementsAre(1));
  EXPECT_EQ(lines_.str(), "");
}

TEST_F(GroupFeedTest, TooManyWatchersAreRefused) {
  Start({.watchers = 2});
  EXPECT_TRUE(feed_->Join([] {}));
  EXPECT_FALSE(feed_->Join([] {}));
  feed_->Leave(*watcher_);
  EXPECT_TRUE(feed_->Join([] {}));
}

TEST_F(GroupFeedTest, WindowHasItsGroupsAndCountsTheOthers) {
  Start({.between_others = std::chrono::milliseconds(0)});
  GroupFeed::Place place;
  place.window = {2, 4, 77};
  place.query.namespace_name = "ns1";
  const auto [begun, begin] = Next(place);
  EXPECT_THAT(IdsIn(begin), ElementsAre(2, 4));
  EXPECT_THAT(begin.gone(), ElementsAre(77));
  EXPECT_TRUE(begin.current());
  // In the window; not in it, and not new.
  database_.Execute("UPDATE pod_groups SET priority = 1 WHERE id IN (3, 4)");
  const auto [changed, change] = Next(place);
  EXPECT_THAT(IdsIn(change), ElementsAre(4));
  EXPECT_EQ(change.others(), 0);
  // Of these, 7 and 9 are in the namespace.
  AddGroups(6, 9);
  const auto [came, others] = Next(place);
  EXPECT_THAT(IdsIn(others), ElementsAre());
  EXPECT_EQ(others.others(), 2);
}

TEST_F(GroupFeedTest, AnotherWindowGoesOnFromTheTokenWithItsPresentGroups) {
  Start({.between_others = std::chrono::milliseconds(0)});
  GroupFeed::Place place;
  place.window = {1};
  const auto [begun, begin] = Next(place);
  AddGroups(6, 6);
  const auto [came, others] = Next(place);
  EXPECT_EQ(others.others(), 1);
  GroupFeed::Place moved;
  moved.window = {3};
  moved.resume = begin.resume_token();
  const auto [again, there] = Next(moved);
  EXPECT_FALSE(there.reset());
  EXPECT_THAT(IdsIn(there), ElementsAre(3));
  const auto [counted, count] = Next(moved);
  EXPECT_EQ(count.others(), 1);
}

TEST_F(GroupFeedTest, SameWindowsAtTheSamePlaceShareAPiece) {
  Start({.between_others = std::chrono::milliseconds(0)});
  GroupFeed::Place ahead, one, same, other, filtered;
  for (GroupFeed::Place* place : {&ahead, &one, &same, &other, &filtered})
    place->window = {2, 4};
  other.window = {2, 3, 4};
  filtered.query.namespace_name = "ns0";
  for (GroupFeed::Place* place : {&ahead, &one, &same, &other, &filtered})
    Next(*place);
  database_.Execute("UPDATE pod_groups SET priority = 1 WHERE id = 4");
  AddGroups(7, 7);
  while (Next(ahead).second.others() == 0) {
  }
  const auto piece_of = [this](GroupFeed::Place& place) {
    GroupFeed::Piece piece;
    EXPECT_EQ(feed_->Next(place, piece), Outcome::kPiece);
    return piece;
  };
  const GroupFeed::Piece piece = piece_of(one);
  EXPECT_EQ(piece_of(same), piece);
  EXPECT_NE(piece_of(other), piece);
  // The group that came is not in its namespace.
  EXPECT_NE(piece_of(filtered), piece);
}

TEST_F(GroupFeedTest, ReaderNoticesWhateverIsCommitted) {
  FeedReader reader(pool_);
  std::size_t groups = 0;
  reader.ReadAll([&groups](const auto& rows) { groups += rows.size(); });
  EXPECT_EQ(groups, 5);
  // Other tests commit at the same time, though not without an end.
  EXPECT_TRUE(testing::WaitUntil(std::chrono::minutes(1), [&reader] {
    reader.ReadChanges();
    return !reader.HasMoved();
  }));
  database_.Execute("UPDATE pod_groups SET priority = 1 WHERE id = 4");
  EXPECT_TRUE(reader.HasMoved());
  const FeedReader::Changes changes = reader.ReadChanges();
  ASSERT_EQ(changes.rows.size(), 1);
  EXPECT_EQ(changes.rows[0].id, 4);
}

TEST_F(GroupFeedTest, IndexIsReadWhenItIsAskedFor) {
  feed_.emplace(pool_, log_,
                GroupFeed::Options{.interval = std::chrono::milliseconds(10)});
  feed_->Start();
  GroupIndex* const index =
      feed_->Index(std::chrono::system_clock::time_point::max());
  ASSERT_NE(index, nullptr);
  EXPECT_EQ(index->Page({}, {}, nullptr, 10).size(), 5);
  EXPECT_EQ(feed_->Index(std::chrono::system_clock::time_point::min()), index);
}

}  // namespace
}  // namespace fluxnetes::services
