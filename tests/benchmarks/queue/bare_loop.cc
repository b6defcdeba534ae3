#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>

#include "queue/clients/clients_queries.h"
#include "queue/store/jobs_queries.h"
#include "queue/store/lease_queries.h"
#include "tests/benchmarks/queue/bare_connection.h"
#include "tests/benchmarks/queue/job_loop.h"

namespace fluxnetes::benchmark {
namespace {

namespace queries = queue::queries;

constexpr const char* kRemove = R"(
    DELETE FROM jobs USING unnest($1::bigint[], $2::integer[]) AS r (id, attempt)
    WHERE jobs.id = ANY(ARRAY[r.id]) AND jobs.attempt = r.attempt
      AND jobs.client_id IS NOT NULL
    RETURNING jobs.id)";

class Loop : public JobLoop {
 public:
  Loop(const sql::PoolOptions& options, bool history)
      : connection_(options), history_(history) {
    for (const sql::Query& query : std::initializer_list<sql::Query>{
             queries::kInsertPlainJobs, queries::kLeaseJobs,
             queries::kCompleteJobs, queries::kRegisterClient})
      connection_.Prepare(query.name, query.text);
    connection_.Prepare("remove", kRemove);
    const BareResult client =
        connection_.Run(queries::kRegisterClient.name,
                        {Text("bare"), Text("1 hour"), Text("0")});
    client_ = Text(std::to_string(BigintOf(client, 0, 0)));
  }

  void Insert(int count) override {
    std::vector<BareParameter>& made = inserts_[count];
    if (made.empty()) {
      const auto size = static_cast<std::size_t>(count);
      made = {TextArray(std::vector<std::string>(size, "benchmark")),
              TextArray(std::vector<std::string>(size, kQueue)),
              SmallintArray(std::vector<std::int64_t>(size, 1)),
              IntegerArray(std::vector<std::int64_t>(size, 25)),
              JsonArray(std::vector<std::string>(size, Arguments())),
              TextArray({})};
    }
    connection_.Run(queries::kInsertPlainJobs.name, made);
  }

  std::vector<Leased> Lease(int limit) override {
    const BareResult answer =
        connection_.Run(queries::kLeaseJobs.name,
                        {Text(kQueue), client_, Text(std::to_string(limit)),
                         begin_, begin_, begin_, begin_, Text("1:1:")});
    const int id = PQfnumber(answer.get(), "id");
    const int attempt = PQfnumber(answer.get(), "attempt");
    std::vector<Leased> leased;
    for (int row = 0; row < PQntuples(answer.get()); ++row)
      leased.push_back(
          {BigintOf(answer, row, id), IntegerOf(answer, row, attempt)});
    return leased;
  }

  void Finish(const std::vector<Leased>& leased) override {
    std::vector<std::int64_t> ids;
    std::vector<std::int64_t> attempts;
    for (const Leased& job : leased) {
      ids.push_back(job.id);
      attempts.push_back(job.attempt);
    }
    const std::vector<BareParameter> parameters = {BigintArray(ids),
                                                   IntegerArray(attempts)};
    const BareResult answer = connection_.Run(
        history_ ? queries::kCompleteJobs.name : "remove", parameters);
    if (PQntuples(answer.get()) != static_cast<int>(leased.size()))
      throw std::logic_error("a result was refused");
  }

 private:
  BareConnection connection_;
  const bool history_;
  BareParameter client_;
  // The low-water mark: the start of the queue.
  const BareParameter begin_ = Text("-infinity");
  std::map<int, std::vector<BareParameter>> inserts_;
};

}  // namespace

std::unique_ptr<JobLoop> BareLoop(const sql::PoolOptions& options,
                                  bool history) {
  return std::make_unique<Loop>(options, history);
}

}  // namespace fluxnetes::benchmark
