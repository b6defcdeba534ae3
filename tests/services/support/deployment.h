// Fluxnetes as it is deployed, on one machine: a simulated cluster and any
// number of `fluxnetes serve` as processes of their own, and a database. The
// cluster outlives the schedulers; what it says is the truth that they are
// judged by.
//
//   TestDatabase database;
//   Deployment world(database.options());
//   auto serve = world.Serve();
//   world.Submit("g", {.size = 4});
//   ASSERT_TRUE(world.WaitForEnd());
//   EXPECT_EQ(world.Violations(), "");
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cluster/http/http_client.h"
#include "sql/connection/pool.h"
#include "tests/support/process.h"

namespace fluxnetes::services {

// How short the time to live of the schedulers' clients is here.
inline constexpr std::chrono::milliseconds kTimeToLive{800};

// How long a test waits for what must come, on a slow machine too.
inline constexpr std::chrono::seconds kPatience{120};

// What a Job of a test asks for.
struct Workload {
  int size = 1;  // of its gang; 1: without labels
  double seconds = 0.05;
  int cpu = 1;
  int fail_first = 0;
  int deadline_seconds = 0;  // 0: none
};

class Deployment {
 public:
  // 4 nodes with 4 cpu each.
  explicit Deployment(sql::PoolOptions database);
  ~Deployment();
  Deployment(const Deployment&) = delete;
  Deployment& operator=(const Deployment&) = delete;

  // A scheduler; `environment` over what it has.
  std::unique_ptr<testing::Process> Serve(
      const std::map<std::string, std::string>& environment = {});
  // One that is killed, or as in sql/faults.h, at a failpoint.
  std::unique_ptr<testing::Process> ServeWithFailpoint(
      const std::string& failpoint);

  void Submit(const std::string& name, const Workload& workload);
  // A bit of everything: gangs that fill the cluster, single pods, a pod that
  // fails first, a Job with a deadline, labels that are refused. Names begin
  // with `prefix`.
  void SubmitMixed(const std::string& prefix);
  // A gang of bare pods: NAME-0, NAME-1, ...; the next so many of them only, if
  // it says so.
  void SubmitPods(const std::string& name, int size, int count = 0);
  // Its pods were deleted before they could be bound: nobody asks for them.
  void ForgetGang(const std::string& name) { gangs_.erase(name); }
  // A gang that loses a member while it is being bound, so that its places are
  // taken back. Bindings are answered 503 from then on.
  void TearAGang();
  void SubmitJson(const std::string& path, const nlohmann::json& object);
  void Delete(const std::string& path);

  // All nodes.
  void Cordon(bool cordoned);

  // Faults of the API (services/simulated_api/api_simulation.h).
  void SetFaults(const nlohmann::json& faults);

  nlohmann::json Truth();
  // How many bindings the cluster has accepted.
  std::size_t Bindings();

  // Until every Job is over and the tables hold nothing more.
  bool WaitForEnd(std::chrono::seconds patience = std::chrono::seconds(180));

  // What the truth shows that must not be, one line each: a pod that was bound
  // twice or refused by its kubelet, a node that is over-committed; and, when
  // the workload is over, a gang that was not bound whole, or a group that
  // history does not know exactly once.
  std::string Violations();
  std::string ViolationsAtEnd();

  // What of the tables must be empty and is not: "" at the end.
  std::string Leftovers();

  // The first column of the first row, "" if there is none; asked again while
  // the database is away.
  std::string Ask(const std::string& question);

  // What all processes have said.
  std::string Log() const;
  bool WaitForLog(const std::string& words, std::size_t from = 0,
                  std::chrono::seconds patience = std::chrono::seconds(60));

  const std::string& folder() const { return folder_; }

 private:
  void StartCluster();

  const sql::PoolOptions database_;
  std::string folder_;
  std::unique_ptr<testing::Process> cluster_;
  std::unique_ptr<cluster::HttpClient> api_;
  std::unique_ptr<sql::Pool> pool_;
  std::map<std::string, int> gangs_;      // size by group name
  std::map<std::string, int> bare_pods_;  // submitted so far, by group name
};

}  // namespace fluxnetes::services
