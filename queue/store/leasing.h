// How jobs are leased: from which mark on each queue is looked at, and which
// queues are in use. WorkQueue says what is promised.
//
// Thread-safe. Throws sql::Error.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "queue/jobs/job.h"
#include "queue/store/low_water_mark.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::queue {

struct LeaseOptions {
  // How often the marks are moved, by whoever leases just then.
  std::chrono::milliseconds glance{250};
  // Whether the whole queue is looked at now and then, since other programs may
  // have changed rows by hand: by a glance once a minute, and by one who finds
  // nothing, which takes a thousandth of the time at most.
  bool look_at_all = true;
};

class Leasing {
 public:
  Leasing(sql::Pool& pool, LeaseOptions options)
      : pool_(pool), options_(options) {}

  std::vector<Job> Lease(const std::string& queue, std::int64_t client,
                         int limit, sql::Durability durability);
  // Moves no marks: what this transaction has done may be undone.
  std::vector<Job> Lease(sql::Transaction& transaction,
                         const std::string& queue, std::int64_t client,
                         int limit);

  // Moves the queue's marks if that is due.
  void Glance(const std::string& queue);

 private:
  using Clock = std::chrono::steady_clock;

  struct Line {
    std::mutex glancing;  // one at a time, in the order of their snapshots
    // Protected by mutex_; mark is changed by who holds `glancing` as well.
    LowWaterMark mark = {};
    Clock::time_point next_glance = {};
    Clock::time_point next_full_glance = {};
    Clock::time_point next_note = {};
    Clock::time_point next_look_at_all = {};
  };

  Line& LineOf(const std::string& queue);
  LowWaterMark MarkOf(Line& line);
  bool IsDue(Clock::time_point& next, Clock::duration pause);
  std::vector<Job> LookAtAll(Line& line, const std::string& queue,
                             std::int64_t client, int limit);

  sql::Pool& pool_;
  const LeaseOptions options_;

  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Line>> lines_;  // protected by mutex_
};

}  // namespace fluxnetes::queue
