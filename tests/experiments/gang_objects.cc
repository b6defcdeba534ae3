#include "tests/experiments/gang_objects.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace fluxnetes::testing {
namespace {

using nlohmann::json;

// An estimate exceeds the run time by this much, to cover the time from a
// decision, from which deadlines count, to the last binding of the gang.
constexpr double kSpareSeconds = 1.5;

}  // namespace

std::string PodOfGang(int gang, int member) {
  return fmt::format("g{}-{}", gang, member);
}

std::string GroupOfGang(int gang) { return fmt::format("g{}", gang); }

std::string PodGroupObject(int gang, const ExperimentGang& shape) {
  return json{
      {"apiVersion", "scheduling.k8s.io/v1alpha2"},
      {"kind", "PodGroup"},
      {"metadata", {{"name", GroupOfGang(gang)}}},
      {"spec", {{"schedulingPolicy", {{"gang", {{"minCount", shape.pods}}}}}}}}
      .dump();
}

std::string PodObject(int gang, int member, const ExperimentGang& shape,
                      const ExperimentOptions& options) {
  const double estimate =
      std::ceil(shape.Estimate() / options.scale + kSpareSeconds);
  json metadata = {{"name", PodOfGang(gang, member)}};
  json spec = {
      {"schedulerName", options.scheduler},
      {"restartPolicy", "Never"},
      {"activeDeadlineSeconds", static_cast<int>(estimate)},
      {"containers",
       {{{"name", "work"},
         {"image", "busybox"},
         {"resources",
          {{"requests",
            {{"cpu", std::to_string(shape.cpu)}, {"memory", "64Mi"}}}}}}}}};
  if (options.native_gangs) {
    spec["schedulingGroup"] = {{"podGroupName", GroupOfGang(gang)}};
  } else {
    metadata["labels"] = {{"fluxnetes.group-name", GroupOfGang(gang)},
                          {"fluxnetes.group-size", std::to_string(shape.pods)}};
  }
  return json{{"apiVersion", "v1"},
              {"kind", "Pod"},
              {"metadata", metadata},
              {"spec", spec}}
      .dump();
}

}  // namespace fluxnetes::testing
