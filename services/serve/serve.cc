#include "services/serve/serve.h"

#include <csignal>
#include <memory>
#include <thread>

#include "cluster/kubernetes/kubernetes_cluster.h"
#include "cluster/simulated/simulated_cluster.h"
#include "queue/clients/stop_signal.h"
#include "services/config/cluster_access.h"
#include "services/config/log.h"
#include "services/config/structures.h"
#include "services/database/database.h"
#include "services/feed/live_groups.h"
#include "services/manual/version.h"
#include "services/monitoring/status_server.h"
#include "services/serve/grpc_api.h"
#include "services/serve/malloc_arenas.h"
#include "services/serve/scheduler.h"
#include "services/simulated_api/cluster_api.h"
#include "services/simulated_api/simulated_command.h"
#include "services/web/web_api.h"
#include "sql/condition_variable.h"
#include "sql/mutex.h"

namespace fluxnetes::services {
namespace {

// The cluster, and its API if it is simulated.
struct World {
  cluster::ApiTally tally;
  std::unique_ptr<cluster::SimulatedCluster> simulated;
  std::unique_ptr<ClusterApi> api;
  std::unique_ptr<cluster::KubernetesCluster> kubernetes;

  cluster::Cluster& door() {
    if (simulated) return *simulated;
    return *kubernetes;
  }
};

std::unique_ptr<cluster::SimulatedCluster> Simulate(const Config& config) {
  auto simulated = std::make_unique<cluster::SimulatedCluster>(
      cluster::SimulatedClusterOptions{.real_time = true});
  for (const cluster::Node& node : LoadNodes(config)) {
    simulated->AddNode(node);
  }
  return simulated;
}

void MakeWorld(const Config& config, const Log& log, World& world) {
  if (config.cluster.kind == ClusterKind::kApi) {
    cluster::KubernetesOptions options;
    options.http = ClusterAccess(config);
    options.owner_kinds = config.cluster.owner_kinds;
    options.protobuf = config.cluster.protobuf;
    options.http.tally = options.watch.tally = &world.tally;
    options.watch.on_trouble = [&log](const std::string& why) {
      if (why.empty()) {
        log.Info("the cluster is there");
      } else {
        log.Warn("waiting for the cluster", {{"why", why}});
      }
    };
    options.watch.on_passed_over = [&log](const std::string& why) {
      log.Warn("some objects cannot be read, scheduling goes on without them",
               {{"why", why}});
    };
    options.on_refused = [&log](const std::string& what,
                                const std::string& why) {
      log.Warn("the API server refuses a write",
               {{"what", what}, {"why", why}});
    };
    const std::string address = options.http.address;
    world.kubernetes =
        std::make_unique<cluster::KubernetesCluster>(std::move(options));
    log.Info("cluster", {{"address", address}});
    return;
  }
  world.simulated = Simulate(config);
  if (!config.cluster.listen.empty()) {
    ClusterApiOptions options;
    options.address = config.cluster.listen;
    world.api = std::make_unique<ClusterApi>(*world.simulated, options);
    PrepareSocketFolder(config.cluster.listen);
    world.api->Start();
    log.Info("simulated cluster", {{"address", world.api->address()}});
  }
}

// Returns what looks at the liveness and readiness of this process.
std::function<Health()> HealthOf(const Scheduler& scheduler) {
  return [&scheduler] {
    Health health = scheduler.Live();
    for (HealthCheck& check : scheduler.Ready())
      health.push_back(std::move(check));
    return health;
  };
}

// Returns null if gRPC is not configured.
std::unique_ptr<GrpcApi> MakeGrpc(const Config& config,
                                  const Scheduler& scheduler, const Log& log,
                                  GroupFeed& feed) {
  if (config.grpc.listen.empty()) return nullptr;
  auto grpc = std::make_unique<GrpcApi>(config, log, feed, HealthOf(scheduler));
  PrepareSocketFolder(config.grpc.listen);
  grpc->Start();
  log.Info("gRPC", {{"address", grpc->address()}});
  return grpc;
}

// Returns null if the pages are not configured.
std::unique_ptr<WebApi> MakeWeb(const Config& config,
                                const Scheduler& scheduler, const Log& log,
                                GroupFeed& feed) {
  if (config.web.listen.empty()) return nullptr;
  auto web = std::make_unique<WebApi>(config, log, feed, HealthOf(scheduler));
  PrepareSocketFolder(config.web.listen);
  web->Start();
  log.Info("pages", {{"address", web->address()}});
  return web;
}

// Limits the time of a stop. After half of the grace the cluster is no longer
// waited for. At its end the process exits at once; other processes take over
// its leases when they find this client dead.
class Grace {
 public:
  Grace(std::chrono::milliseconds time, World& world, const Log& log)
      : thread_([this, time, &world, &log](const std::stop_token& stop) {
          if (!Passes(time / 2, stop)) return;
          if (world.kubernetes) {
            log.Warn("stopping takes long, no longer waits for the API server");
            world.kubernetes->GiveUp();
          }
          if (!Passes(time / 2, stop)) return;
          log.Error("stopping took too long, giving up");
          std::_Exit(static_cast<int>(ExitCode::kFailed));
        }) {}

 private:
  // Returns false if everything stopped before.
  bool Passes(std::chrono::milliseconds time, const std::stop_token& stop) {
    const std::stop_callback wake(stop, [this] {
      const sql::MutexLock lock(mutex_);
      stopped_.NotifyAll();
    });
    const auto until = std::chrono::steady_clock::now() + time;
    const sql::MutexLock lock(mutex_);
    while (!stop.stop_requested() && stopped_.WaitUntil(mutex_, until)) {
    }
    return !stop.stop_requested();
  }

  sql::Mutex mutex_;  // held to wait and to wake, so that no wake is missed
  sql::ConditionVariable stopped_;
  std::jthread thread_;  // last, so that it stops first
};

void AddTally(const cluster::ApiTally& tally, MetricsPage& page) {
  for (const cluster::ApiCallCounts& call : tally.calls()) {
    for (const auto& [status, count] : call.answers)
      page.Add(metrics::kApiRequests, static_cast<double>(count),
               {call.verb, call.resource, std::to_string(status)});
    page.Add(metrics::kApiRequest, call.durations, {call.verb, call.resource});
  }
  for (const cluster::WatchCounts& watch : tally.watches()) {
    if (watch.lists == 0) continue;
    const std::string kind = cluster::ResourceOf(watch.kind).name;
    page.Add(metrics::kWatchLists, static_cast<double>(watch.lists), {kind});
    page.Add(metrics::kWatchStreams, static_cast<double>(watch.streams),
             {kind});
  }
}

struct Servers {
  const GrpcApi* grpc;  // null: not configured
  const WebApi* web;    // null: not configured
  const LiveGroups& live;
};

StatusServerOptions StatusOptionsOf(const Config& config,
                                    const Scheduler& scheduler,
                                    const Servers& servers,
                                    const World& world) {
  return {.address = config.http.listen,
          .health = [&scheduler] { return scheduler.Live(); },
          .readiness = [&scheduler] { return scheduler.Ready(); },
          .metrics =
              [&scheduler, servers, &world] {
                MetricsPage page;
                page.Add(metrics::kBuildInfo, 1, {std::string(Version())});
                AddProcess(page);
                PoolMetrics pools(page);
                scheduler.AddTo(page, pools);
                if (servers.grpc != nullptr) servers.grpc->AddTo(pools);
                if (servers.web != nullptr) servers.web->AddTo(pools);
                servers.live.AddTo(pools);
                pools.AddStatements();
                AddTally(world.tally, page);
                return page.Text();
              }};
}

// A failure is logged; the scheduler works without it.
void StartStatus(const Config& config, StatusServer& status, const Log& log) {
  if (config.http.listen.empty()) return;
  try {
    PrepareSocketFolder(config.http.listen);
    status.Start();
    log.Info("status", {{"address", status.address()}});
  } catch (const std::exception& error) {
    log.Error(
        "no /healthz, /readyz and /metrics: another http.listen is needed",
        {{"why", error.what()}});
  }
}

}  // namespace

ExitCode RunServe(const Config& config) {
  CapArenas();
  const queue::StopSignal stop;
  const Log log({.level = config.log.level, .format = config.log.format});
  log.Info("fluxnetes", {{"version", std::string(Version())}});
  World world;
  MakeWorld(config, log, world);
  SchedulerOptions options;
  options.database = DatabaseOptions(config, {});
  // A process suspended within a transaction must not block its successor
  // longer than a dead one.
  options.database.idle_transaction_timeout = config.client.time_to_live;
  options.client = {.time_to_live = config.client.time_to_live,
                    .heartbeat = config.client.heartbeat};
  options.schedulers = config.schedulers;
  options.binding_events = config.binding_events;
  options.resync_interval = config.resync_interval;
  options.structures = LoadStructures(config);
  options.tracing_endpoint = config.tracing_endpoint;
  Scheduler scheduler(std::move(options), world.door(), log);
  LiveGroups live(config, log);
  live.feed().Start();
  const std::unique_ptr<GrpcApi> grpc =
      MakeGrpc(config, scheduler, log, live.feed());
  const std::unique_ptr<WebApi> web =
      MakeWeb(config, scheduler, log, live.feed());
  StatusServer status(
      StatusOptionsOf(config, scheduler, {grpc.get(), web.get(), live}, world));
  StartStatus(config, status, log);
  scheduler.Start();
  const int signal = stop.Wait();
  log.Info("stopping", {{"signal", signal == SIGTERM ? "TERM" : "INT"}});
  const Grace grace(config.shutdown_grace, world, log);
  live.feed().Stop();  // ends the streams
  if (web) web->Stop();
  if (grpc) grpc->Stop();
  scheduler.Stop();
  if (world.api) world.api->Stop();
  log.Info("stopped");
  return ExitCode::kOk;
}

}  // namespace fluxnetes::services
