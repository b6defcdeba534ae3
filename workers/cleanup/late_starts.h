// Gives up the groups that have no place by the time that their pods ask for
// (fluxnetes.start-by): those that wait, whatever for, and those that fill.
// They are cancelled, as `fluxnetes cancel` does it: their pods are told why,
// once, and then deleted as their queue's deadline_action says. A group of
// which a pod was ever bound has started and is left alone. So is one whose
// controller has pods with places in other groups, and a pod by itself that its
// controller made when the time was over already: what has started would be
// deleted with the controller. Such a group may start at any time.
//
// All in one transaction, and what it leaves to do are jobs; so nothing is told
// and not done, or done twice.
//
// RunOnce() from one thread; several may run at once. Throws sql::Error.
#pragma once

#include <vector>

#include "cluster/objects/pod.h"
#include "queue/store/work_queue.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::workers {

class LateStarts {
 public:
  struct Options {
    int batch = 100;  // groups at once
  };

  LateStarts(sql::Pool& pool, queue::WorkQueue& jobs, Options options)
      : pool_(pool), jobs_(jobs), options_(options) {}

  // One batch; true if there is more to do at once.
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
