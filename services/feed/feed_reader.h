// What the feed reads of the database: all groups once, then those that
// changed. A change is found by the transaction that made it, so none is
// missed, whoever makes it: each row names the last transaction that wrote it.
//
// Used by one thread. Throws sql::Error; the next read then goes on from the
// one before.
// Tests: tests/services/feed/group_feed_pgtest.cc.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "services/records/group_row.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

class FeedReader {
 public:
  using Rows = std::vector<GroupRow>;
  struct Changes {
    Rows rows;
    // Groups that filled, and are neither there nor in `rows` now.
    std::vector<std::int64_t> gone;
    std::chrono::steady_clock::duration took;  // to find what has changed
  };

  explicit FeedReader(sql::Pool& pool) : pool_(pool) {}

  // Reads all unfinished groups, some at a time.
  void ReadAll(const std::function<void(const Rows&)>& take);
  Changes ReadChanges();
  // The ids of all unfinished groups.
  std::set<std::int64_t> ReadIds();
  // True if any transaction of the database server has ended since the last
  // read. Costs next to nothing.
  bool HasMoved();

 private:
  sql::Pool& pool_;
  std::string horizon_;
  std::string snapshot_;
  std::set<std::int64_t> filling_;
};

}  // namespace fluxnetes::services
