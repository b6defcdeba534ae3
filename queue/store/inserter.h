// Inserts jobs through a program's middleware: a middleware may change the
// jobs, read the results, add to the transaction, or refuse the insert by not
// calling the next one. The first is the outermost.
//
// Thread-safe if the middleware is. Throws what WorkQueue::Insert and the
// middleware throw.
// Tests: tests/queue/runner/test_kit_pgtest.cc.
#pragma once

#include <functional>
#include <vector>

#include "queue/store/work_queue.h"

namespace fluxnetes::queue {

class Inserter {
 public:
  using Jobs = std::vector<NewJob>;
  using Next = std::function<std::vector<Inserted>(Jobs)>;
  using Middleware = std::function<std::vector<Inserted>(
      sql::Transaction& transaction, Jobs jobs, const Next& next)>;

  Inserter(sql::Pool& pool, std::vector<Middleware> around)
      : pool_(pool), queue_(pool), around_(std::move(around)) {}

  std::vector<Inserted> Insert(sql::Transaction& transaction, Jobs jobs);
  // Inserts in a transaction of its own.
  std::vector<Inserted> Insert(Jobs jobs);

 private:
  std::vector<Inserted> CallFrom(std::size_t first,
                                 sql::Transaction& transaction, Jobs jobs);

  sql::Pool& pool_;
  WorkQueue queue_;
  const std::vector<Middleware> around_;
};

}  // namespace fluxnetes::queue
