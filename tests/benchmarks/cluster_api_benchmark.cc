// Measures bindings and watch events per second through the API of the
// simulated cluster, client and server in one process, over a Unix socket.
// Prints one line of JSON per run.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "cluster/kubernetes/kubernetes_cluster.h"
#include "cluster/simulated/simulated_cluster.h"
#include "services/simulated_api/cluster_api.h"

namespace {

namespace cluster = fluxnetes::cluster;
namespace services = fluxnetes::services;
using std::chrono::steady_clock;

constexpr int kPods = 10'000;
constexpr int kNodes = 100;
constexpr int kRuns = 5;
constexpr std::size_t kBatch = 256;

double SecondsSince(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

std::vector<cluster::Binding> AddPods(cluster::SimulatedCluster& cluster) {
  std::vector<cluster::Binding> bindings;
  for (int i = 0; i < kPods; ++i) {
    cluster::PodTemplate wish;
    wish.pod.namespace_name = "default";
    wish.pod.name = "pod" + std::to_string(i);
    wish.pod.scheduler_name = "fluxnetes";
    wish.pod.labels = {{"fluxnetes.group-name", "g"}};
    wish.pod.request.resources.cpu_milli = 10;
    wish.pod.request.resources.pods = 1;
    wish.run.length.reset();
    const auto pod = cluster.CreatePod(wish);
    bindings.push_back({"default", pod->name, pod->uid, pod->resource_version,
                        "node" + std::to_string(i % kNodes)});
  }
  return bindings;
}

// Reads all present events, then `events` more; returns the seconds for those.
class Reader {
 public:
  explicit Reader(cluster::Cluster& door) : watch_(door.WatchAll()) {
    while (!listed_) Read();
  }
  int Read() {
    int changes = 0;
    for (const auto& event :
         watch_->Next(1'000, std::chrono::milliseconds(100))) {
      if (event.kind == cluster::WatchEvent::Kind::kListEnd) listed_ = true;
      if (event.kind == cluster::WatchEvent::Kind::kChanged) ++changes;
    }
    return changes;
  }

 private:
  std::unique_ptr<cluster::Watch> watch_;
  bool listed_ = false;
};

void RunOnce(const std::string& address) {
  cluster::SimulatedClusterOptions simulated;
  simulated.real_time = true;
  cluster::SimulatedCluster behind(simulated);
  for (int i = 0; i < kNodes; ++i) {
    cluster::Node node;
    node.name = "node" + std::to_string(i);
    node.allocatable.cpu_milli = 64'000;
    node.allocatable.pods = 1'000;
    behind.AddNode(node);
  }
  services::ClusterApiOptions api_options;
  api_options.address = address;
  services::ClusterApi api(behind, api_options);
  api.Start();
  cluster::KubernetesOptions options;
  options.http.address = api.address();
  cluster::KubernetesCluster door(options);

  Reader reader(door);
  auto start = steady_clock::now();
  const auto bindings = AddPods(behind);
  for (int seen = 0; seen < kPods;) seen += reader.Read();
  const double watching = SecondsSince(start);

  start = steady_clock::now();
  for (std::size_t i = 0; i < bindings.size(); i += kBatch) {
    const auto count = std::min(kBatch, bindings.size() - i);
    for (const auto& result :
         door.Bind({&bindings[i], count}, std::chrono::seconds(30))) {
      if (result.outcome != cluster::BindOutcome::kBound) std::abort();
    }
  }
  const double binding = SecondsSince(start);

  start = steady_clock::now();
  const Reader again(door);
  const double listing = SecondsSince(start);
  std::printf(
      "{\"benchmark\": \"cluster_api\", \"bindings_per_second\": %.0f, "
      "\"created_and_watched_per_second\": %.0f, "
      "\"pods_listed_per_second\": %.0f}\n",
      kPods / binding, kPods / watching, kPods / listing);
}

}  // namespace

int main() {
  const char* folder = std::getenv("TMPDIR");
  const std::string address = std::string("unix:") +
                              (folder == nullptr ? "/tmp" : folder) +
                              "/cluster_api_benchmark.sock";
  for (int run = 0; run < kRuns; ++run) RunOnce(address);
}
