#include "tests/benchmarks/kubernetes/world.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <vector>

#include "cluster/protobuf/envelope.h"
#include "tests/support/places.h"

namespace fluxnetes::benchmarks {
namespace {

using testing::Process;

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr)
    throw std::runtime_error(std::string(name) + " is not set");
  return value;
}

}  // namespace

World::World(int nodes, bool protobuf) : protobuf_(protobuf) {
  std::string folder =
      std::filesystem::temp_directory_path() / "fluxnetes-kube.XXXXXX";
  if (mkdtemp(folder.data()) == nullptr)
    throw std::runtime_error("cannot make a folder like " + folder);
  folder_ = folder;
  plane_ = std::make_unique<ControlPlane>(folder_ + "/cluster", nodes);
}

World::~World() {
  plane_.reset();
  std::filesystem::remove_all(folder_);
}

Contestant World::KubeScheduler(bool native_gangs,
                                int longest_backoff_seconds) {
  const std::string config = folder_ + "/kube-scheduler.yaml";
  std::ofstream(config)
      << "apiVersion: kubescheduler.config.k8s.io/v1\n"
         "kind: KubeSchedulerConfiguration\n"
         "leaderElection: {leaderElect: false}\n"
         "podMaxBackoffSeconds: "
      << longest_backoff_seconds
      << "\nclientConnection: {qps: 10000, burst: 10000, kubeconfig: "
      << plane_->kubeconfig() << ", contentType: "
      << (protobuf_ ? cluster::kProtobufType : "application/json") << "}\n";
  std::vector<std::string> command = {
      Environment("FLUXNETES_CLUSTER_TOOLS") + "/kube-scheduler",
      "--config=" + config, "--bind-address=127.0.0.1", "--secure-port=0"};
  if (native_gangs)
    command.emplace_back(
        "--feature-gates=GenericWorkload=true,GangScheduling=true");
  return {nullptr, std::make_unique<Process>(
                       command, std::map<std::string, std::string>{},
                       folder_ + "/kube-scheduler.log")};
}

Contestant World::Fluxnetes(std::unique_ptr<testing::TestDatabase> database,
                            bool events) {
  if (!database) database = std::make_unique<testing::TestDatabase>();
  const auto options = database->options();
  auto process = std::make_unique<Process>(
      std::vector<std::string>{testing::BuiltProgram("services/fluxnetes"),
                               "serve"},
      std::map<std::string, std::string>{
          {"FLUXNETES_DATABASE", options.connection},
          {"FLUXNETES_SCHEMA", options.schema},
          {"FLUXNETES_CLUSTER_KIND", "api"},
          {"FLUXNETES_ENCODING", protobuf_ ? "protobuf" : "json"},
          {"FLUXNETES_HTTP_LISTEN", "off"},
          {"FLUXNETES_KUBECONFIG", plane_->kubeconfig()},
          {"FLUXNETES_BINDING_EVENTS", events ? "on" : "off"},
          {"FLUXNETES_LOG_LEVEL", "warn"}},
      folder_ + "/fluxnetes.log");
  return {std::move(database), std::move(process)};
}

}  // namespace fluxnetes::benchmarks
