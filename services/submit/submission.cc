#include "services/submit/submission.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "services/config/cluster_access.h"
#include "services/console/exit_code.h"
#include "workers/pods/group_labels.h"

namespace fluxnetes::services {
namespace {

constexpr std::chrono::seconds kProbeDeadline{5};

// Returns the pod itself or that of the Job; null: it makes none.
const cluster::Pod* PodOf(const cluster::Manifest& manifest) {
  if (const auto* pod = std::get_if<cluster::PodTemplate>(&manifest.object))
    return &pod->pod;
  if (const auto* job = std::get_if<cluster::KubernetesJob>(&manifest.object))
    return &job->pod_template.pod;
  return nullptr;
}

const cluster::ResourceClaim* ClaimOf(const cluster::Manifest& manifest) {
  return std::get_if<cluster::ResourceClaim>(&manifest.object);
}

const cluster::ResourceClaimTemplate* TemplateOf(
    const cluster::Manifest& manifest) {
  return std::get_if<cluster::ResourceClaimTemplate>(&manifest.object);
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

}  // namespace

std::string Called(const cluster::Manifest& manifest,
                   const std::string& given) {
  const auto name = [&](const std::string& own) {
    if (!given.empty()) return given;
    return own.empty() ? manifest.generate_name : own;
  };
  if (const auto* pod = std::get_if<cluster::PodTemplate>(&manifest.object))
    return "pod/" + name(pod->pod.name);
  if (const auto* job = std::get_if<cluster::KubernetesJob>(&manifest.object))
    return "job.batch/" + name(job->name);
  if (const auto* claim = ClaimOf(manifest))
    return "resourceclaim.resource.k8s.io/" + name(claim->name);
  if (const auto* of = TemplateOf(manifest))
    return "resourceclaimtemplate.resource.k8s.io/" + name(of->name);
  return "node/" + name(std::get<cluster::Node>(manifest.object).name);
}

std::string WhyNotScheduled(const cluster::Manifest& manifest,
                            const cluster::SchedulerNames& schedulers) {
  const cluster::Pod* pod = PodOf(manifest);
  if (pod == nullptr) return {};
  if (!schedulers.Contain(pod->scheduler_name))
    return fmt::format("its schedulerName is {}, not {}",
                       cluster::Quote(pod->scheduler_name),
                       schedulers.Quoted());
  const auto* job = std::get_if<cluster::KubernetesJob>(&manifest.object);
  if (job == nullptr) return workers::WhyLabelsAreRefused(*pod, nullptr);
  const cluster::JobAnnotations told = cluster::AnnotationsOf(*job);
  cluster::Pod made = *pod;
  made.controller = cluster::Owner{"Job", job->name, ""};
  return workers::WhyLabelsAreRefused(made, &told);
}

std::string NamespaceOf(const cluster::Manifest& manifest) {
  if (const auto* job = std::get_if<cluster::KubernetesJob>(&manifest.object))
    return job->namespace_name;
  if (const auto* claim = ClaimOf(manifest)) return claim->namespace_name;
  if (const auto* of = TemplateOf(manifest)) return of->namespace_name;
  const cluster::Pod* pod = PodOf(manifest);
  return pod == nullptr ? std::string() : pod->namespace_name;
}

std::unique_ptr<cluster::HttpClient> OpenCluster(const Config& config) {
  cluster::HttpOptions access = ClusterAccess(config);
  const std::string address = access.address;
  try {
    auto client = std::make_unique<cluster::HttpClient>(std::move(access));
    Probe(*client, address);
    return client;
  } catch (const std::invalid_argument& error) {
    throw Failure(ExitCode::kUsage, error.what(),
                  "It is set by --cluster, FLUXNETES_CLUSTER or "
                  "cluster.address.");
  }
}

}  // namespace fluxnetes::services
