#include "services/simulated_api/api_admission.h"

#include <nlohmann/json.hpp>

#include "cluster/files/known_fields.h"
#include "cluster/text/json_field.h"
#include "cluster/text/quote.h"

namespace fluxnetes::services {
namespace {

using cluster::At;
using cluster::Quote;
using cluster::Text;
using Json = nlohmann::json;

constexpr std::size_t kMostWarnings = 20;

struct PriorityClass {
  const char* name;
  int value;
};

constexpr PriorityClass kPriorityClasses[] = {
    {"system-cluster-critical", 2'000'000'000},
    {"system-node-critical", 2'000'001'000}};

// The spec of the pod, or of a Job's template; null if it has none.
Json* PodSpecOf(Json& object) {
  Json* spec = &object;
  const bool job = Text(object, "kind") == "Job";
  for (const char* const key : {"spec", "template", "spec"}) {
    if (!spec->is_object() || !spec->contains(key)) return nullptr;
    spec = &(*spec)[key];
    if (!job) break;
  }
  return spec->is_object() ? spec : nullptr;
}

std::string Forbidden(const Json& object, const std::string& why) {
  const bool job = Text(object, "kind") == "Job";
  return (job ? "jobs.batch " : "pods ") +
         Quote(Text(At(object, "metadata"), "name")) + " is forbidden: " + why;
}

void AdmitPriority(Json& object, Admission& admission) {
  Json* const spec = PodSpecOf(object);
  if (spec == nullptr) return;
  const std::string name = Text(*spec, "priorityClassName");
  if (name.empty()) return;
  for (const PriorityClass& known : kPriorityClasses) {
    if (name != known.name) continue;
    const Json& given = At(*spec, "priority");
    if (given.is_null() || given == known.value) {
      (*spec)["priority"] = known.value;
      return;
    }
    admission.refused = 403;
    admission.why = Forbidden(
        object, "spec.priority is " + given.dump() +
                    ", but the PriorityClass " + name + " has " +
                    std::to_string(known.value) + "; leave the priority out");
    return;
  }
  if (!At(*spec, "priority").is_null()) return;
  admission.refused = 403;
  admission.why = Forbidden(
      object, "no PriorityClass with name " + name +
                  " was found; the simulated cluster has "
                  "system-cluster-critical and system-node-critical alone. "
                  "Give its value as spec.priority too");
}

// So that the headers of an answer stay short.
std::vector<std::string> First(std::vector<std::string> paths) {
  if (paths.size() > kMostWarnings) paths.resize(kMostWarnings);
  return paths;
}

void AdmitFields(const Json& object, const HttpQuestion& question,
                 Admission& admission) {
  const auto asked = question.query.find("fieldValidation");
  const std::string validation =
      asked == question.query.end() ? "Warn" : asked->second;
  if (validation == "Ignore") return;
  std::string unknown;
  for (const std::string& path : First(cluster::UnknownFields(object))) {
    const std::string warning = "unknown field " + Quote(path);
    if (validation == "Warn") admission.warnings.push_back(warning);
    unknown += (unknown.empty() ? "" : ", ") + warning;
  }
  if (validation == "Warn" || unknown.empty()) return;
  admission.refused = 400;
  admission.why = Text(object, "kind") + " cannot be read: " + unknown;
}

}  // namespace

Admission Admit(Json& object, const HttpQuestion& question) {
  Admission admission;
  AdmitFields(object, question, admission);
  if (admission.refused == 0) AdmitPriority(object, admission);
  for (const std::string& path : First(cluster::IgnoredFields(object))) {
    admission.warnings.push_back("the simulated cluster does not act on " +
                                 path);
  }
  return admission;
}

}  // namespace fluxnetes::services
