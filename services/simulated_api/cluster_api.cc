#include "services/simulated_api/cluster_api.h"

#include <csignal>
#include <utility>

#include "cluster/kubernetes/api_path.h"
#include "services/http/http_server.h"
#include "services/simulated_api/api_devices.h"
#include "services/simulated_api/api_faults.h"
#include "services/simulated_api/api_lists.h"
#include "services/simulated_api/api_nodes.h"
#include "services/simulated_api/api_owners.h"
#include "services/simulated_api/api_pods.h"
#include "services/simulated_api/api_request.h"
#include "services/simulated_api/api_simulation.h"
#include "services/simulated_api/api_status.h"

namespace fluxnetes::services {

namespace {

constexpr std::string_view kSimulation = "/simulation/";
constexpr const char* kVersion =
    R"({"major":"1","minor":"36","gitVersion":"v1.36.0-simulated"})";

HttpAnswer Plain(std::string text) {
  HttpAnswer answer = Answer(200, std::move(text));
  answer.content_type = "text/plain";
  return answer;
}

}  // namespace

class ClusterApi::Routes {
 public:
  Routes(cluster::SimulatedCluster& cluster, const ClusterApiOptions& options)
      : lists_(cluster, options.events_kept, options.bookmark_interval),
        pods_(cluster),
        nodes_(cluster),
        owners_(cluster),
        devices_(cluster),
        simulation_(cluster, lists_, faults_, options.virtual_time),
        server_({.address = options.address,
                 .answer = [this](const auto& it) { return Serve(it); },
                 .refuse =
                     [](int status, const std::string& why) {
                       return WriteStatus(status, why);
                     }}) {}

  void Start() {
    lists_.Start();
    server_.Start();
  }
  void Stop() {
    lists_.Stop();
    server_.Stop();
  }
  const std::string& address() const { return server_.address(); }

 private:
  HttpAnswer Serve(const HttpQuestion& question);
  HttpAnswer ServeApi(const HttpQuestion& question);
  HttpAnswer ServeCore(const HttpQuestion& question, const ApiTarget& target);

  ApiLists lists_;
  ApiFaults faults_;
  ApiPods pods_;
  ApiNodes nodes_;
  ApiOwners owners_;
  ApiDevices devices_;
  ApiSimulation simulation_;
  HttpServer server_;
};

HttpAnswer ClusterApi::Routes::Serve(const HttpQuestion& question) {
  const std::string& path = question.path;
  if (path == "/healthz" || path == "/livez" || path == "/readyz") {
    return Plain("ok");
  }
  if (path == "/version") return Answer(200, kVersion);
  if (path.starts_with(kSimulation)) {
    return simulation_.Answer(question, path.substr(kSimulation.size()));
  }
  if (!simulation_.Reachable()) {
    return Answer(503, WriteStatus(503, "the simulated cluster is away"));
  }
  if (auto fault = faults_.Take(question)) return *std::move(fault);
  try {
    return ServeApi(question);
  } catch (const cluster::Unreachable& error) {
    return Answer(503, WriteStatus(503, error.what()));
  }
}

HttpAnswer ClusterApi::Routes::ServeApi(const HttpQuestion& question) {
  const auto target = ParseTarget(question.path);
  if (!target) return NoSuchPath();
  if (target->prefix == "/api/v1" &&
      (target->plural == "pods" || target->plural == "nodes" ||
       target->plural == "events")) {
    return ServeCore(question, *target);
  }
  if (const ServedKind* const kind =
          FindServedKind(target->prefix, target->plural)) {
    if (question.method == "GET" && target->name.empty())
      return lists_.ListOrWatch(kind->kind, target->namespace_name,
                                question.query);
    if (kind->kind != cluster::WatchedKind::kJobs)
      return devices_.Answer(question, *target, *kind);
  }
  const auto resource = cluster::ResourceOfPath(target->prefix, target->plural);
  return resource ? owners_.Answer(question, *target, *resource) : NoSuchPath();
}

HttpAnswer ClusterApi::Routes::ServeCore(const HttpQuestion& question,
                                         const ApiTarget& target) {
  if (target.plural == "events") return pods_.CreateEvent(question, target);
  const bool nodes = target.plural == "nodes";
  if (question.method == "GET" && target.name.empty()) {
    if (nodes && !target.namespace_name.empty()) return NoSuchPath();
    return lists_.ListOrWatch(
        nodes ? cluster::WatchedKind::kNodes : cluster::WatchedKind::kPods,
        target.namespace_name, question.query);
  }
  if (nodes) return nodes_.Answer(question, target);
  if (target.namespace_name.empty()) return MethodNotAllowed();
  return pods_.Answer(question, target);
}

ClusterApi::ClusterApi(cluster::SimulatedCluster& cluster,
                       const ClusterApiOptions& options)
    : routes_(std::make_unique<Routes>(cluster, options)) {}
ClusterApi::~ClusterApi() { Stop(); }
void ClusterApi::Start() { routes_->Start(); }
void ClusterApi::Stop() { routes_->Stop(); }
const std::string& ClusterApi::address() const { return routes_->address(); }

void RunClusterApi(const ClusterProcessOptions& options) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  cluster::SimulatedCluster cluster(options.cluster);
  for (const cluster::Node& node : options.nodes) cluster.AddNode(node);
  ClusterApi api(cluster, options.api);
  api.Start();
  if (options.ready) options.ready(api.address());
  int received = 0;
  sigwait(&signals, &received);
  api.Stop();
}

}  // namespace fluxnetes::services
