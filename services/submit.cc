#include "services/submit.h"

#include <fmt/format.h>

#include <optional>
#include <ostream>

#include "cluster/http_client.h"
#include "cluster/manifest.h"
#include "cluster/submission.h"
#include "services/cluster_access.h"
#include "services/display_text.h"
#include "services/manifest_files.h"
#include "workers/group_labels.h"

namespace fluxnetes::services {
namespace {

constexpr std::chrono::seconds kProbeDeadline{5};

// "job.batch/train", as kubectl writes it; with the name that it was given.
std::string Called(const cluster::Manifest& manifest, const std::string& name) {
  if (std::holds_alternative<cluster::PodTemplate>(manifest.object))
    return "pod/" + name;
  if (std::holds_alternative<cluster::KubernetesJob>(manifest.object))
    return "job.batch/" + name;
  return "node/" + name;
}

std::string Called(const cluster::Manifest& manifest) {
  if (const auto* pod = std::get_if<cluster::PodTemplate>(&manifest.object))
    return Called(manifest, pod->pod.name);
  if (const auto* job = std::get_if<cluster::KubernetesJob>(&manifest.object))
    return Called(manifest, job->name);
  return Called(manifest, std::get<cluster::Node>(manifest.object).name);
}

// The pod that it is or makes; null for a node.
const cluster::Pod* PodOf(const cluster::Manifest& manifest) {
  if (const auto* pod = std::get_if<cluster::PodTemplate>(&manifest.object))
    return &pod->pod;
  if (const auto* job = std::get_if<cluster::KubernetesJob>(&manifest.object))
    return &job->pod_template.pod;
  return nullptr;
}

// What the cluster takes and the scheduler will not.
void Warn(const cluster::Manifest& manifest, const Config& config,
          Console& console) {
  const cluster::Pod* pod = PodOf(manifest);
  if (pod == nullptr) return;
  const std::string why =
      pod->scheduler_name == config.scheduler_name
          ? workers::WhyLabelsAreRefused(
                *pod,
                std::holds_alternative<cluster::KubernetesJob>(manifest.object))
          : fmt::format("its schedulerName is '{}', not '{}'",
                        pod->scheduler_name, config.scheduler_name);
  if (why.empty()) return;
  console.err << Printable(fmt::format("Warning: {} will not be scheduled by "
                                       "Fluxnetes: {}",
                                       Called(manifest), why))
              << '\n';
}

void Probe(cluster::HttpClient& client, const std::string& address) {
  cluster::HttpRequest request;
  request.path = "/version";
  request.deadline = kProbeDeadline;
  const cluster::HttpResponse response = client.Send(std::move(request));
  if (response.status == 0)
    throw Failure(ExitCode::kNoCluster,
                  fmt::format("the cluster cannot be reached at {}: {}",
                              address, response.error),
                  "Is `fluxnetes serve` or `fluxnetes simulated-cluster` "
                  "running? The address is set by --cluster, "
                  "FLUXNETES_CLUSTER or cluster.address.");
}

// Whether it was created.
bool SubmitOne(cluster::HttpClient& client, const cluster::Manifest& manifest,
               const SubmitOptions& options, Console& console) {
  const cluster::Submitted submitted =
      cluster::Submit(client, manifest.json, options.namespace_name);
  if (!submitted.created) {
    console.err << "error: " << Printable(manifest.place) << ": "
                << Printable(submitted.error) << '\n';
    return false;
  }
  console.out << Printable(Called(manifest, submitted.name))
              << (options.output == OutputFormat::kName ? "" : " created")
              << '\n';
  return true;
}

}  // namespace

ExitCode RunSubmit(const SubmitOptions& options, const Config& config,
                   Console& console) {
  const std::vector<cluster::Manifest> manifests =
      ReadManifestFiles({.files = options.files,
                         .namespace_name = options.namespace_name,
                         .otherwise = "nothing was submitted"},
                        console);
  for (const cluster::Manifest& manifest : manifests)
    Warn(manifest, config, console);
  if (options.dry_run) {
    for (const cluster::Manifest& manifest : manifests)
      console.out << Printable(Called(manifest)) << " checked (dry run)\n";
    return ExitCode::kOk;
  }
  cluster::HttpOptions access = ClusterAccess(config);
  const std::string address = access.address;
  std::optional<cluster::HttpClient> client;
  try {
    client.emplace(std::move(access));
  } catch (const std::invalid_argument& error) {
    throw Failure(ExitCode::kUsage, error.what(),
                  "It is set by --cluster, FLUXNETES_CLUSTER or "
                  "cluster.address.");
  }
  Probe(*client, address);
  bool all = true;
  for (const cluster::Manifest& manifest : manifests)
    all = SubmitOne(*client, manifest, options, console) && all;
  return all ? ExitCode::kOk : ExitCode::kFailed;
}

}  // namespace fluxnetes::services
