// Leases jobs: keeps the low-water mark of each queue, from which a lease
// starts, and notes which queues are in use. WorkQueue has the contract.
//
// Thread-safe. Throws sql::Error.
// Tests: tests/queue/store/lease_marks_pgtest.cc,
// tests/queue/store/work_queue_pgtest.cc.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "queue/jobs/job.h"
#include "queue/store/low_water_mark.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"
#include "sql/mutex.h"

namespace fluxnetes::queue {

struct LeaseOptions {
  // How often the marks are moved, by whichever thread leases at that time.
  std::chrono::milliseconds glance{250};
  // Whether leases sometimes scan the whole queue, because other programs may
  // have changed rows by hand: once a minute when the marks move, and when a
  // lease finds nothing, for at most a thousandth of the time.
  bool look_at_all = true;
};

class Leasing {
 public:
  Leasing(sql::Pool& pool, LeaseOptions options)
      : pool_(pool), options_(options) {}

  std::vector<Job> Lease(const std::string& queue, std::int64_t client,
                         int limit, sql::Durability durability);
  // Moves no marks: the caller's transaction may be rolled back.
  std::vector<Job> Lease(sql::Transaction& transaction,
                         const std::string& queue, std::int64_t client,
                         int limit);

  // Moves the queue's marks if that is due.
  void Glance(const std::string& queue);

 private:
  using Clock = std::chrono::steady_clock;

  struct Line {
    sql::Mutex glancing;  // serializes glances in snapshot order

    sql::Mutex mutex;
    // Changing it takes `glancing` too.
    LowWaterMark mark GUARDED_BY(mutex) = {};
    Clock::time_point next_glance GUARDED_BY(mutex) = {};
    Clock::time_point next_full_glance GUARDED_BY(mutex) = {};
    Clock::time_point next_note GUARDED_BY(mutex) = {};
    Clock::time_point next_look_at_all GUARDED_BY(mutex) = {};
  };

  Line& LineOf(const std::string& queue) EXCLUDES(mutex_);
  static LowWaterMark MarkOf(Line& line) EXCLUDES(line.mutex);
  // Returns whether the time `next` has come; it is then put off by `pause`.
  static bool IsDue(Line& line, Clock::time_point Line::*next,
                    Clock::duration pause) EXCLUDES(line.mutex);
  std::vector<Job> LookAtAll(Line& line, const std::string& queue,
                             std::int64_t client, int limit);

  sql::Pool& pool_;
  const LeaseOptions options_;

  sql::Mutex mutex_;
  std::map<std::string, std::unique_ptr<Line>> lines_ GUARDED_BY(mutex_);
};

}  // namespace fluxnetes::queue
