// The low-water marks of a queue: for each priority a time before which the
// queue has no available job, so that a lease starts its scan there. Without
// marks each lease would walk over the rows leased before it, and while any
// older transaction is open on the server, VACUUM cannot remove these rows.
//
// The marks are derived from glances; a glance reads the queue in one snapshot.
// Every transaction that makes a job available takes its transaction id before
// it reads the clock for scheduled_at (insert_jobs in jobs.sql), and a
// glance reads the clock before it takes an id of its own. So a transaction
// with a higher id than the glance reads a later time than the glance. Once all
// transactions with lower ids have ended, a second glance shows every job that
// will ever be available before the time of the first one:
//
//   glance 1: time t, own id N     glance 2: no id below N runs, and F is the
//                                            first job: the mark is min(t, F)
//
// (One snapshot is not enough: its list of running transactions lacks those
// with an id above every completed one.)
//
// Three cases break this rule and are handled apart. A transaction that makes a
// job available at a time in the past records that in job_rewinds. A
// transaction that runs for more than two seconds is no longer waited for; when
// it has ended, the marks start over. They also start over after a change of
// the server or when the clock goes back.
//
// A value: no clock, no database. Used by one thread.
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

// By priority, 1 first; nothing: from the start of the queue.
using Marks = std::array<std::optional<sql::Timestamp>, 4>;

// What one snapshot of the database shows of a queue.
struct Glance {
  std::string server = {};  // changes when another server answers
  sql::Timestamp time = {};
  std::uint64_t transaction = 0;  // its own id
  std::string snapshot = {};      // pg_snapshot as text
  // The first available job at or after the marks that the glance was given.
  std::array<std::optional<sql::Timestamp>, 4> first = {};
  // The earliest rewind by transactions that the previous snapshot did not
  // show.
  std::optional<sql::Timestamp> rewound_to = {};
};

class LowWaterMark {
 public:
  const Marks& marks() const { return marks_; }
  // The snapshot of the last glance; empty before the first.
  const std::string& snapshot() const { return snapshot_; }

  // Applies a glance. Glances come in the order of their snapshots; each must
  // have been made with marks() and snapshot() as they were before it.
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
  // The first of two glances: its time, and its own id below.
  std::optional<sql::Timestamp> candidate_;
  TransactionId horizon_ = 0;
  std::set<TransactionId> suspects_;  // ran too long to be waited for
};

}  // namespace fluxnetes::queue
