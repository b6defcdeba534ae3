#include <map>
#include <stdexcept>
#include <string>

#include "queue/catalogue.h"
#include "queue/clients/client.h"
#include "queue/store/job_notifier.h"
#include "queue/store/work_queue.h"
#include "tests/benchmarks/queue/job_loop.h"

namespace fluxnetes::benchmark {
namespace {

class LibraryJobLoop : public JobLoop {
 public:
  explicit LibraryJobLoop(const sql::PoolOptions& options)
      : pool_(options),
        notifier_(pool_),
        jobs_(pool_, &notifier_),
        client_(pool_, {.time_to_live = std::chrono::hours(1)}) {
    client_.Register();
    notifier_.Start();
  }

  void Insert(int count) override {
    std::vector<queue::NewJob>& batch = batches_[count];
    if (batch.empty()) {
      queue::NewJob job;
      job.kind = "benchmark";
      job.queue = kQueue;
      job.args = Arguments();
      batch.assign(static_cast<std::size_t>(count), job);
    }
    jobs_.Insert(batch);
  }

  std::vector<Leased> Lease(int limit) override {
    std::vector<Leased> leased;
    for (const queue::Job& job : jobs_.Lease(kQueue, client_.id(), limit))
      leased.push_back({job.id, job.attempt});
    return leased;
  }

  void Finish(const std::vector<Leased>& leased) override {
    std::vector<queue::JobResult> results;
    results.reserve(leased.size());
    for (const Leased& job : leased) {
      results.emplace_back();
      results.back().id = job.id;
      results.back().attempt = job.attempt;
    }
    for (const bool accepted : jobs_.Finish(results))
      if (!accepted) throw std::logic_error("a result was refused");
  }

 private:
  sql::Pool pool_;
  queue::JobNotifier notifier_;
  queue::WorkQueue jobs_;
  queue::Client client_;
  std::map<int, std::vector<queue::NewJob>> batches_;
};

}  // namespace

sql::PoolOptions WithQueries(sql::PoolOptions options) {
  options.catalogues = {queue::Catalogue()};
  options.by_index_only = true;
  return options;
}

const std::string& Arguments() {
  static const std::string text =
      R"({"number": 1, "text": ")" + std::string(228, 'x') + R"("})";
  return text;
}

std::unique_ptr<JobLoop> LibraryLoop(const sql::PoolOptions& options) {
  return std::make_unique<LibraryJobLoop>(options);
}

}  // namespace fluxnetes::benchmark
