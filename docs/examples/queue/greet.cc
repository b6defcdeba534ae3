// greet CONNECTION NAME...: a job for each name, and then works them all.
#include <migrations/migrations.h>
#include <queue/catalogue.h>
#include <queue/runner/runner.h>
#include <queue/store/work_queue.h>
#include <sql/schema/migrator.h>

#include <algorithm>
#include <iostream>
#include <latch>

using namespace fluxnetes;

int main(int argc, char** argv) try {
  sql::PoolOptions options;
  options.connection = argc > 1 ? argv[1] : "";
  options.schema = "greetings";
  sql::Pool bare(options);
  sql::Migrator(bare, migrations::Queue()).Up();

  options.catalogues = {queue::Catalogue()};
  sql::Pool pool(options);
  queue::WorkQueue jobs(pool);
  for (int i = 2; i < argc; ++i) {
    queue::NewJob job{.kind = "greet", .queue = "greetings"};
    job.args = std::string(R"({"name": ")") + argv[i] + "\"}";
    jobs.Insert(std::vector{job});
  }

  std::latch greeted(std::max(argc, 2) - 2);
  queue::Workers workers;
  workers.Add("greet", [&](queue::RunningJob& job) {
    std::cout << "attempt " << job.job().attempt << ": " << job.args() << '\n';
    greeted.count_down();
  });
  queue::Runner runner(pool, workers, {.queues = {{"greetings", 1}}});
  runner.Start();
  greeted.wait();
  runner.Stop();
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
