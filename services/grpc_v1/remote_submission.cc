#include "services/grpc_v1/remote_submission.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <variant>
#include <vector>

#include "cluster/kubernetes/submission.h"
#include "fluxnetes/v1/scheduler.pb.h"
#include "services/database/audit.h"
#include "services/grpc/grpc_calls.h"
#include "services/grpc_v1/submit_placement.h"
#include "services/submit/pool_check.h"
#include "services/submit/short_groups.h"
#include "services/submit/submission.h"
#include "sql/connection/transaction.h"
#include "workers/jobspecs/pod_jobspec.h"

namespace fluxnetes::services {
namespace {

constexpr const char* kTextName = "manifests";  // for errors

// Gives the pods of the manifest the annotation with the jobspec.
void AddJobspec(const std::string& jobspec, cluster::Manifest& manifest) {
  auto* const job = std::get_if<cluster::KubernetesJob>(&manifest.object);
  auto* const made = std::get_if<cluster::PodTemplate>(&manifest.object);
  if (job == nullptr && made == nullptr) return;
  cluster::Pod& pod = job == nullptr ? made->pod : job->pod_template.pod;
  const char* const name = workers::kJobspecAnnotation;
  auto json = nlohmann::json::parse(manifest.json);
  auto& holder = job == nullptr ? json : json["spec"]["template"];
  if (pod.annotations.contains(name) ||
      json["metadata"]
          .value("annotations", nlohmann::json::object())
          .contains(name))
    throw GrpcRefusal(GrpcCode::kInvalidArgument,
                      fmt::format("jobspec: {} has the annotation {} itself; "
                                  "one of both is right",
                                  manifest.place, name),
                      "jobspec");
  pod.annotations[name] = jobspec;
  holder["metadata"]["annotations"][name] = jobspec;
  manifest.json = json.dump();
}

std::vector<cluster::Manifest> ReadRequest(const v1::SubmitRequest& request) {
  cluster::ManifestOptions options;
  if (!request.namespace_().empty())
    options.namespace_name = request.namespace_();
  options.claims = true;
  options.limits.bytes = request.manifests().size() + 1;
  try {
    auto manifests =
        cluster::ReadManifests(request.manifests(), kTextName, options);
    WritePlacement(request.placement(), options, manifests);
    if (!request.jobspec().empty())
      for (cluster::Manifest& manifest : manifests)
        AddJobspec(request.jobspec(), manifest);
    return manifests;
  } catch (const cluster::InputError& error) {
    throw GrpcRefusal(GrpcCode::kInvalidArgument, error.what(), kTextName);
  }
}

void RequireAll(const std::vector<cluster::Manifest>& manifests,
                const Principal& caller) {
  for (const cluster::Manifest& manifest : manifests) {
    const std::string name = NamespaceOf(manifest);
    Require(name.empty() ? caller.MayOperate() : caller.MayChange(name),
            fmt::format("{}: {} is a {} and may not create {}", manifest.place,
                        caller.name, NameOf(caller.role),
                        name.empty() ? "nodes" : "it in namespace " + name));
  }
}

void AddWarning(const std::string& warning, v1::SubmittedObject& object) {
  if (warning.empty()) return;
  object.set_warning(object.warning() + (object.warning().empty() ? "" : "; ") +
                     warning);
}

// Records the attempt before it is made.
std::int64_t RecordTry(sql::Pool& pool, const Actor& actor,
                       const cluster::Manifest& manifest) {
  sql::Transaction transaction(pool);
  const std::string space = NamespaceOf(manifest);
  const std::int64_t id = RecordChange(
      transaction, actor,
      {.verb = "submit",
       .object = (space.empty() ? "" : space + "/") + Called(manifest)});
  transaction.Commit();
  return id;
}

}  // namespace

std::shared_ptr<cluster::HttpClient> RemoteSubmission::Client() {
  const sql::MutexLock lock(mutex_);
  if (!client_) client_ = OpenCluster(config_);
  return client_;
}

void RemoteSubmission::Submit(const v1::SubmitRequest& request,
                              v1::SubmitResponse& response, const Actor& actor,
                              const Principal& caller) {
  const auto manifests = ReadRequest(request);
  RequireAll(manifests, caller);
  const auto client = request.dry_run() ? nullptr : Client();
  const auto short_groups = ShortGroups(manifests, config_.schedulers);
  const auto of_pools = PoolWarnings(manifests, config_.schedulers,
                                     [this]() -> sql::Pool& { return pool_; });
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    const cluster::Manifest& manifest = manifests[i];
    v1::SubmittedObject& object = *response.add_objects();
    object.set_place(manifest.place);
    object.set_name(Called(manifest));
    object.set_namespace_(NamespaceOf(manifest));
    const std::string why = WhyNotScheduled(manifest, config_.schedulers);
    const bool of_group = why.empty() && !short_groups[i].others_follow;
    object.set_warning(of_group ? short_groups[i].text : why);
    AddWarning(of_pools[i], object);
    if (!client) continue;
    const std::int64_t recorded = RecordTry(pool_, actor, manifest);
    const cluster::Submitted submitted =
        cluster::Submit(*client, manifest.json, NamespaceOf(manifest));
    for (const std::string& warning : submitted.warnings)
      AddWarning(warning, object);
    object.set_created(submitted.created);
    object.set_error(submitted.error);
    if (submitted.created) object.set_name(Called(manifest, submitted.name));
    RecordOutcome(pool_, recorded,
                  submitted.created ? "created" : submitted.error);
  }
}

}  // namespace fluxnetes::services
