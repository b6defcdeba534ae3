#include "cluster/kubernetes/owner_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <stdexcept>

#include "cluster/json/objects.h"

namespace fluxnetes::cluster {
namespace {

struct KnownOwner {
  std::string_view kind;
  std::string_view prefix;
  std::string_view plural;
  bool replaces = true;
};

// The versions that the operators document; cluster.ownerKinds names others. A
// Workflow gives a step that is tried again another pod in another place of its
// graph.
constexpr std::array<KnownOwner, 15> kKnownOwners = {{
    {"LeaderWorkerSet", "/apis/leaderworkerset.x-k8s.io/v1",
     "leaderworkersets"},
    {"MPIJob", "/apis/kubeflow.org/v2beta1", "mpijobs"},
    {"PyTorchJob", "/apis/kubeflow.org/v1", "pytorchjobs"},
    {"TFJob", "/apis/kubeflow.org/v1", "tfjobs"},
    {"XGBoostJob", "/apis/kubeflow.org/v1", "xgboostjobs"},
    {"JAXJob", "/apis/kubeflow.org/v1", "jaxjobs"},
    {"TrainJob", "/apis/trainer.kubeflow.org/v1alpha1", "trainjobs"},
    {"RayCluster", "/apis/ray.io/v1", "rayclusters"},
    {"RayJob", "/apis/ray.io/v1", "rayjobs"},
    {"RayService", "/apis/ray.io/v1", "rayservices"},
    {"MiniCluster", "/apis/flux-framework.org/v1alpha2", "miniclusters"},
    {"Workflow", "/apis/argoproj.io/v1alpha1", "workflows", false},
    {"SparkApplication", "/apis/sparkoperator.k8s.io/v1beta2",
     "sparkapplications"},
    {"DaskCluster", "/apis/kubernetes.dask.org/v1", "daskclusters"},
    {"DaskJob", "/apis/kubernetes.dask.org/v1", "daskjobs"},
}};

[[noreturn]] void RefuseOwnerKind(std::string_view text) {
  throw std::invalid_argument(
      fmt::format("'{}': right would be a kind and its resource, like "
                  "MPIJob=mpijobs.v2beta1.kubeflow.org",
                  text));
}

bool IsWord(std::string_view text, std::string_view more) {
  return !text.empty() && text.size() <= 253 &&
         std::ranges::all_of(text, [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                  more.find(c) != more.npos;
         });
}

}  // namespace

OwnerKind ParseOwnerKind(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos) RefuseOwnerKind(text);
  const std::string_view kind = text.substr(0, equals);
  const std::string_view resource = text.substr(equals + 1);
  const std::size_t first = std::min(resource.find('.'), resource.size());
  const std::string_view plural = resource.substr(0, first);
  const std::string_view rest =
      resource.substr(std::min(first + 1, resource.size()));
  const std::size_t second = std::min(rest.find('.'), rest.size());
  const std::string_view version = rest.substr(0, second);
  const std::string_view group = rest.substr(std::min(second + 1, rest.size()));
  constexpr std::string_view kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ.-";
  if (!IsWord(kind, kCapitals) || !IsWord(plural, "") || !IsWord(version, "") ||
      !version.starts_with('v') || !IsWord(group, ".-") ||
      group.starts_with('.') || group.ends_with('.') ||
      group.find("..") != group.npos)
    RefuseOwnerKind(text);
  return {std::string(kind), fmt::format("/apis/{}/{}", group, version),
          std::string(plural)};
}

std::string Write(const OwnerKind& kind) {
  const std::string_view place =
      std::string_view(kind.prefix).substr(std::string_view("/apis/").size());
  const std::size_t slash = place.find('/');
  return fmt::format("{}={}.{}.{}", kind.kind, kind.plural,
                     place.substr(slash + 1), place.substr(0, slash));
}

std::optional<OwnerKind> FindOwnerKind(std::string_view kind,
                                       std::span<const OwnerKind> configured) {
  const auto own = std::ranges::find(configured, kind, &OwnerKind::kind);
  if (own != configured.end()) return *own;
  const auto known = std::ranges::find(kKnownOwners, kind, &KnownOwner::kind);
  if (known == kKnownOwners.end()) return std::nullopt;
  return OwnerKind{std::string(known->kind), std::string(known->prefix),
                   std::string(known->plural), known->replaces};
}

bool HasFinished(const EncodedValue& object) {
  const EncodedValue status = At(object, "status");
  const auto is_one_of = [](const std::string& text,
                            std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, text) != words.end();
  };
  for (const EncodedValue& condition : List(At(status, "conditions"))) {
    if (Text(condition, "status") == "True" &&
        is_one_of(Text(condition, "type"),
                  {"Complete", "Completed", "Succeeded", "Failed", "Finished"}))
      return true;
  }
  return is_one_of(Text(status, "phase"), {"Succeeded", "Failed", "Error"}) ||
         is_one_of(Text(status, "jobDeploymentStatus"),
                   {"Complete", "Failed"}) ||
         is_one_of(Text(status, "jobStatus"), {"Successful", "Failed"}) ||
         is_one_of(Text(At(status, "applicationState"), "state"),
                   {"COMPLETED", "FAILED"});
}

}  // namespace fluxnetes::cluster
