// Fluxnetes as it is deployed, on one machine: a database, and a simulated
// cluster and any number of `fluxnetes serve` as separate processes. The
// cluster outlives the schedulers; its state is the truth by which they are
// judged.
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

#include "cluster/devices/resource_claim.h"
#include "cluster/http/http_client.h"
#include "sql/connection/pool.h"
#include "tests/support/process.h"

namespace fluxnetes::services {

// The short time to live of the schedulers' clients in these tests.
inline constexpr std::chrono::milliseconds kTimeToLive{800};

// How long a test waits for an expected event, also on a slow machine.
inline constexpr std::chrono::seconds kPatience{120};

// A Job of a test.
struct Workload {
  int size = 1;  // pods of its gang; 1: without labels
  double seconds = 0.05;
  int cpu = 1;
  int fail_first = 0;
  int deadline_seconds = 0;  // 0: none
  bool claims = false;       // each pod claims a device: PublishDevices()
};

class Deployment {
 public:
  // Creates 4 nodes with 4 cpu each.
  explicit Deployment(sql::PoolOptions database);
  ~Deployment();
  Deployment(const Deployment&) = delete;
  Deployment& operator=(const Deployment&) = delete;

  // Starts a scheduler; `environment` overrides its settings.
  std::unique_ptr<testing::Process> Serve(
      const std::map<std::string, std::string>& environment = {});
  // Starts a scheduler that is killed at a failpoint, or acts as in
  // sql/faults.h.
  std::unique_ptr<testing::Process> ServeWithFailpoint(
      const std::string& failpoint);

  void Submit(const std::string& name, const Workload& workload);
  // Adds two devices to each node, and a template of claims of one.
  void PublishDevices();
  // Submits one of each kind: gangs that fill the cluster, a gang with claims
  // of devices, single pods, a pod that first fails, a Job with a deadline,
  // invalid labels. Names begin with `prefix`.
  void SubmitMixed(const std::string& prefix);
  // Submits a gang of bare pods: NAME-0, NAME-1, ...; with `count` only the
  // next so many of them.
  void SubmitPods(const std::string& name, int size, int count = 0);
  // For a gang whose pods were deleted before they could be bound: it is no
  // longer checked.
  void ForgetGang(const std::string& name) { gangs_.erase(name); }
  // Submits a gang that loses a member while it is being bound, so that its
  // allocation is taken back. Bindings are answered 503 from then on.
  void TearAGang();
  void SubmitJson(const std::string& path, const nlohmann::json& object);
  void Delete(const std::string& path);

  // Cordons or uncordons all nodes.
  void Cordon(bool cordoned);

  // Sets faults of the API (services/simulated_api/api_simulation.h).
  void SetFaults(const nlohmann::json& faults);

  nlohmann::json Truth();
  // Returns the number of bindings that the cluster has accepted.
  std::size_t Bindings();

  // Waits until every Job is over and the tables are empty.
  bool WaitForEnd(std::chrono::seconds patience = std::chrono::seconds(180));

  // Returns what the cluster's state must not show, one line each: a pod that
  // was bound twice or refused by its kubelet, an over-committed node, a device
  // that two claims have. At the end of the workload also: a gang that was not
  // bound whole, a group that is not in the history exactly once, a claim that
  // still has devices.
  std::string Violations();
  std::string ViolationsAtEnd();

  // Returns the tables that must be empty and are not: "" at the end.
  std::string Leftovers();

  // Returns the first column of the first row, "" if there is none. Asks again
  // while the database is away.
  std::string Ask(const std::string& question);

  // Returns the output of all processes.
  std::string Log() const;
  bool WaitForLog(const std::string& words, std::size_t from = 0,
                  std::chrono::seconds patience = std::chrono::seconds(60));

  const std::string& folder() const { return folder_; }

 private:
  void StartCluster();
  std::vector<cluster::ResourceClaim> Claims();

  const sql::PoolOptions database_;
  std::string folder_;
  std::unique_ptr<testing::Process> cluster_;
  std::unique_ptr<cluster::HttpClient> api_;
  std::unique_ptr<sql::Pool> pool_;
  std::map<std::string, int> gangs_;      // size, by group name
  std::map<std::string, int> bare_pods_;  // number submitted, by group name
  bool has_devices_ = false;
};

}  // namespace fluxnetes::services
