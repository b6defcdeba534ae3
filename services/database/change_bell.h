// A hint that the database may have changed. Nearly every change of a group
// adds or moves jobs, and the work queue announces jobs with NOTIFY
// (queue/store/work_queue.h). False alarms happen, and some changes ring no
// bell, nor does any while the database is away; so callers also poll on a
// timer.
//
// Has its own connection and thread. HasRung() is for one thread.
#pragma once

#include <atomic>

#include "sql/connection/listener.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

class ChangeBell {
 public:
  explicit ChangeBell(const sql::PoolOptions& database);
  ~ChangeBell();
  ChangeBell(const ChangeBell&) = delete;
  ChangeBell& operator=(const ChangeBell&) = delete;

  // True if the bell has rung since the last call.
  bool HasRung() { return rung_.exchange(false); }

 private:
  std::atomic<bool> rung_{false};
  sql::Listener listener_;
};

}  // namespace fluxnetes::services
