#include "queue/runner/test_kit.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "queue/clients/client.h"
#include "queue/runner/perform.h"
#include "queue/runner/result_writer.h"
#include "queue/runner/running_jobs.h"
#include "queue/runner/test_kit_queries.h"
#include "queue/store/work_queue.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::queue {

using std::chrono::milliseconds;

struct TestKit::State {
  State(sql::Pool& shared, Workers workers, std::string name, Hooks hooks)
      : pool(shared),
        queue_name(std::move(name)),
        queue(std::make_shared<WorkQueue>(shared)),
        running(std::make_shared<RunningJobs>(
            queue, std::move(workers),
            RunningJobsOptions{
                .slots = {{queue_name, 1'000'000}},
                .hooks = std::move(hooks),
                .now = [passed = passed] { return Moment{} + *passed; }})),
        client(shared, {.time_to_live = std::chrono::hours(1)}),
        events_kept(events.Subscribe(1'000'000)),
        writer(*queue, *running, events, [](const std::string&) {}) {
    running->Close();  // nobody must wait for results
    client.Register();
  }

  sql::Pool& pool;
  const std::string queue_name;
  // Shared with the jobs that a test keeps.
  const std::shared_ptr<milliseconds> passed = std::make_shared<milliseconds>();
  const std::shared_ptr<WorkQueue> queue;
  const std::shared_ptr<RunningJobs> running;
  Client client;
  EventStream events;
  const std::shared_ptr<Subscription> events_kept;
  ResultWriter writer;
};

TestKit::TestKit(sql::Pool& pool, Workers workers, std::string queue,
                 Hooks hooks)
    : state_(std::make_unique<State>(pool, std::move(workers), std::move(queue),
                                     std::move(hooks))) {}

TestKit::~TestKit() { state_->running->AbandonAll(); }

Inserted TestKit::Insert(NewJob job) {
  job.queue = state_->queue_name;
  return state_->queue->Insert(std::vector{std::move(job)})[0];
}

std::optional<Event> TestKit::WorkOne() {
  std::vector<Job> leased =
      state_->queue->Lease(state_->queue_name, state_->client.id(), 1);
  for (const auto& run : state_->running->Add(std::move(leased)))
    Perform(state_->running, run);
  return Ended();
}

std::optional<Event> TestKit::Work(NewJob job) {
  Insert(std::move(job));
  return WorkOne();
}

std::optional<Event> TestKit::Ended() {
  state_->writer.Write(state_->running->TakeEnded(1'000));
  return state_->events_kept->Next(milliseconds(0));
}

void TestKit::Advance(milliseconds time) {
  *state_->passed += time;
  sql::RunAlone(state_->pool, queries::kAdvanceJobs,
                fmt::format("{} milliseconds", time.count()));
  state_->queue->MakeDueAvailable();
  state_->running->Expire();
}

}  // namespace fluxnetes::queue
