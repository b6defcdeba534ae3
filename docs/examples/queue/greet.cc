// greet CONNECTION NAME...: a job for each name, and then works them all.
#include <migrations/migrations.h>
#include <queue/client.h>
#include <queue/work_queue.h>
#include <sql/migrator.h>

#include <iostream>

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

  queue::Client client(pool, {});
  client.Start();
  for (bool more = true; more;) {
    more = false;
    for (const queue::Job& job : jobs.Lease("greetings", client.id(), 10)) {
      std::cout << "attempt " << job.attempt << ": " << job.args << '\n';
      jobs.Finish(std::vector<queue::JobResult>{{job.id, job.attempt}});
      more = true;
    }
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
