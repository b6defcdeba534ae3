#include "tests/kubernetes/support/same_object.h"

#include <algorithm>
#include <stdexcept>

#include "cluster/json/object_writer.h"
#include "cluster/json/objects.h"
#include "cluster/text/json_field.h"
#include "cluster/text/quantity.h"

namespace fluxnetes::testing {
namespace {

using Json = nlohmann::json;

bool IsNothing(const Json& value) {
  return value.is_null() || value == false || value == "" ||
         (value.is_number() && value == 0) ||
         (value.is_structured() && value.empty());
}

bool SameAmount(const Json& a, const Json& b) {
  const auto text = [](const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  try {
    return cluster::ParseCpuMilli(text(a)) == cluster::ParseCpuMilli(text(b));
  } catch (const std::invalid_argument&) {
    return false;
  }
}

// The API server appends to these lists.
bool MayGrow(const std::string& path) {
  return path.ends_with("tolerations") || path.ends_with("volumes") ||
         path.ends_with("volumeMounts");
}

std::string DifferenceOfLists(const Json& sent, const Json& stored,
                              const std::string& path) {
  const bool enough = MayGrow(path) ? stored.size() >= sent.size()
                                    : stored.size() == sent.size();
  if (!stored.is_array() || !enough) return path;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    auto difference = FirstDifference(sent[i], stored[i],
                                      path + "[" + std::to_string(i) + "]");
    if (!difference.empty()) return difference;
  }
  return "";
}

void DropWhatKubernetesAdds(Json& pod) {
  Json& metadata = pod["metadata"];
  if (metadata.contains("labels")) {
    Json& labels = metadata["labels"];
    for (const char* const label :
         {"controller-uid", "job-name", "batch.kubernetes.io/controller-uid",
          "batch.kubernetes.io/job-name"}) {
      labels.erase(label);
    }
  }
  if (!pod["spec"].contains("tolerations")) return;
  Json kept = Json::array();
  for (const Json& toleration : pod["spec"]["tolerations"]) {
    if (!cluster::Text(toleration, "key").starts_with("node.kubernetes.io/"))
      kept.push_back(toleration);
  }
  pod["spec"]["tolerations"] = kept;
}

}  // namespace

std::string FirstDifference(const Json& sent, const Json& stored,
                            const std::string& path) {
  if (sent.is_null() || (IsNothing(sent) && IsNothing(stored))) return "";
  const std::string at = path + " is " + stored.dump() + ", not " + sent.dump();
  if (sent.is_array()) {
    const auto difference = DifferenceOfLists(sent, stored, path);
    return difference == path && !path.empty() ? at : difference;
  }
  if (!sent.is_object()) {
    const bool amount = path.find(".requests.") != std::string::npos ||
                        path.find(".limits.") != std::string::npos;
    return sent == stored || (amount && SameAmount(sent, stored)) ? "" : at;
  }
  for (const auto& [key, value] : sent.items()) {
    auto difference = FirstDifference(value, cluster::At(stored, key.c_str()),
                                      path + "." + key);
    if (!difference.empty()) return difference;
  }
  return "";
}

std::string AsSimulated(Json object) {
  Json& metadata = object["metadata"];
  const bool generated = metadata.contains("generateName");
  metadata.erase("ownerReferences");
  if (object.value("kind", "") == "Job") {
    DropWhatKubernetesAdds(object["spec"]["template"]);
    if (metadata.contains("labels")) DropWhatKubernetesAdds(object);
    cluster::KubernetesJobStatus status;
    status.job = cluster::DecodeJob(object);
    if (generated) status.job.name.clear();
    status.job.pod_template.pod.namespace_name.clear();
    return cluster::WriteJob(status);
  }
  DropWhatKubernetesAdds(object);
  cluster::Pod pod = cluster::DecodePod(object);
  pod.uid.clear();
  pod.resource_version.clear();
  pod.created_at = {};
  if (generated) pod.name.clear();
  return cluster::WritePod(pod);
}

}  // namespace fluxnetes::testing
