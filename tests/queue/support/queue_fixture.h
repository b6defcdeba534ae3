// The shared fixture of the work queue's tests: a database, a queue, clients.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "queue/clients/client.h"
#include "queue/store/work_queue.h"
#include "tests/support/postgres.h"

namespace fluxnetes::queue {

class QueueTest : public ::testing::Test {
 protected:
  // A registered client without a heartbeat thread.
  std::unique_ptr<Client> NewClient(
      std::chrono::milliseconds time_to_live = std::chrono::minutes(5)) {
    auto client = std::make_unique<Client>(
        database.pool(), ClientOptions{.time_to_live = time_to_live});
    client->Register();
    return client;
  }

  // Makes its heartbeat an hour old.
  void Kill(const Client& client) {
    database.Execute(
        "UPDATE clients SET heartbeat_at = now() - interval '1 hour' "
        "WHERE id = " +
        std::to_string(client.id()));
  }

  // Makes all heartbeats an hour early, as if the database's clock went back.
  void SetClockBack() {
    database.Execute(
        "UPDATE clients SET heartbeat_at = now() + interval '1 hour'");
  }

  static NewJob JobOf(const std::string& queue, const std::string& kind = "k") {
    NewJob job;
    job.kind = kind;
    job.queue = queue;
    return job;
  }

  std::vector<std::int64_t> InsertMany(const std::string& queue, int count) {
    return IdsOf(jobs.Insert(std::vector<NewJob>(count, JobOf(queue))));
  }

  static std::vector<std::int64_t> IdsOf(
      const std::vector<Inserted>& inserted) {
    std::vector<std::int64_t> ids;
    for (const Inserted& job : inserted) ids.push_back(job.id);
    return ids;
  }

  std::int64_t InsertOne(const NewJob& job) {
    return jobs.Insert(std::vector{job}).at(0).id;
  }

  Job LeaseOne(const Client& client, const std::string& queue = "q") {
    const auto leased = jobs.Lease(queue, client.id(), 1);
    if (leased.size() != 1) throw std::runtime_error("nothing to lease");
    return leased[0];
  }

  bool FinishOne(const Job& job, Outcome outcome, const std::string& error = "",
                 std::optional<std::chrono::milliseconds> delay = {}) {
    return jobs.Finish(
        std::vector{JobResult{job.id, job.attempt, outcome, error, delay}})[0];
  }

  std::string StateOf(std::int64_t id) {
    return database.Ask(
        "SELECT state FROM jobs WHERE id = " + std::to_string(id) +
        " UNION ALL SELECT state FROM jobs_finished WHERE id = " +
        std::to_string(id));
  }

  fluxnetes::testing::TestDatabase database;
  WorkQueue jobs{database.pool()};
};

}  // namespace fluxnetes::queue
