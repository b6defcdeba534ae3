// Gives up groups that are not placed by the time that their pods ask for
// (fluxnetes.start-by), whether they wait or fill. They are cancelled like
// `fluxnetes cancel` does it: their pods get the reason once, and are then
// deleted as their queue's deadline_action says.
//
// A group that ever had a bound pod has started and is left alone. Two more are
// left alone, since what has started would be deleted with their controller: a
// group whose controller has pods with places in other groups, and a single pod
// that its controller made after the time. Such a group may start at any time.
//
// All is written in one transaction, and the rest is left to jobs; so no pod
// gets a reason without being deleted, and nothing is done twice.
//
// RunOnce() from one thread; several may run at once. Throws sql::Error.
// Tests: tests/workers/cleanup/start_times_pgtest.cc.
#pragma once

#include <vector>

#include "cluster/objects/pod.h"
#include "queue/store/work_queue.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::workers {

class StartByDeadlines {
 public:
  struct Options {
    int batch = 100;  // groups at once
  };

  StartByDeadlines(sql::Pool& pool, queue::WorkQueue& jobs, Options options)
      : pool_(pool), jobs_(jobs), options_(options) {}

  // Runs one batch. Returns true if there is more to do at once.
  bool RunOnce(cluster::Time now);

 private:
  int GiveUpWaiting(sql::Transaction& transaction, cluster::Time now,
                    std::vector<queue::NewJob>& jobs) const;
  int GiveUpFilling(sql::Transaction& transaction, cluster::Time now,
                    std::vector<queue::NewJob>& jobs) const;

  sql::Pool& pool_;
  queue::WorkQueue& jobs_;
  const Options options_;
};

}  // namespace fluxnetes::workers
