// Up to where a queue holds no available job, for each priority: where a lease
// begins to look. Without it each lease walks over the rows that were leased
// before it, and as long as any transaction of the server is open that began
// earlier, nobody may remove those.
//
// How it knows: every transaction that makes a job available has its id before
// it reads the clock for scheduled_at (insert_jobs in queries.sql), and a
// glance reads the clock before it takes an id of its own. So who has a higher
// id than the glance is later than its time; when all that have a lower one
// have ended, what a second glance shows is all that there will be before that
// time:
//
//   glance 1: time t, own id N     glance 2: nobody below N runs, and F is the
//                                            first job there is: min(t, F)
//
// (A snapshot alone would not do: who has begun last is not in its list.)
//
// Three kinds of transactions do not keep to that and are dealt with apart. Who
// makes a job available at a time that has passed says so in job_rewinds. Who
// runs for more than two seconds is no longer waited for, and when it has ended
// the mark begins anew. Another server, or a clock that went back, begins anew
// as well.
//
// A value: no clock, no database. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sql/values/parameter.h"

namespace fluxnetes::queue {

// By priority, 1 first; nothing: from the beginning.
using Marks = std::array<std::optional<sql::Timestamp>, 4>;

// What one snapshot of the database shows of a queue.
struct Glance {
  std::string server = {};  // changes when another one answers
  sql::Timestamp time = {};
  std::uint64_t transaction = 0;  // its own id
  std::string snapshot = {};      // pg_snapshot as text
  // Of available jobs at or after the marks that it was asked with.
  std::array<std::optional<sql::Timestamp>, 4> first = {};
  // By transactions that the snapshot before this one did not show.
  std::optional<sql::Timestamp> rewound_to = {};
};

class LowWaterMark {
 public:
  const Marks& marks() const { return marks_; }
  // Of the last glance; empty before the first.
  const std::string& snapshot() const { return snapshot_; }

  // Glances come in the order of their snapshots, each asked with marks() and
  // snapshot() as they were before it.
  void See(const Glance& glance);

 private:
  using TransactionId = std::uint64_t;

  static std::set<TransactionId> RunningIn(const std::string& snapshot);
  bool BeginsAnew(const Glance& glance) const;
  bool Lower(const Glance& glance, const std::set<TransactionId>& running);
  void Raise(const Glance& glance);

  Marks marks_;
  std::string server_;
  std::string snapshot_;
  sql::Timestamp time_;
  // The first of two glances: its time, and its own id.
  std::optional<sql::Timestamp> candidate_;
  TransactionId horizon_ = 0;
  std::set<TransactionId> suspects_;  // ran too long to be waited for
};

}  // namespace fluxnetes::queue
