#include "services/grpc_v1/submit_placement.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "fluxnetes/v1/scheduler.pb.h"
#include "services/grpc/grpc_calls.h"
#include "workers/pods/topology_labels.h"

namespace fluxnetes::services {
namespace {

using PodJson = nlohmann::json;
using Levels = google::protobuf::RepeatedPtrField<v1::LevelRequest>;

struct PodMarks {
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
};

[[noreturn]] void RefusePlacement(const std::string& field,
                                  const std::string& why) {
  const std::string place = "placement." + field;
  throw GrpcRefusal(GrpcCode::kInvalidArgument, place + ": " + why, place);
}

void AddLevels(const char* field, const Levels& levels, const char* annotation,
               PodMarks& marks) {
  if (levels.empty()) return;
  std::string text;
  for (const v1::LevelRequest& level : levels) {
    if (level.pods() < 0)
      RefusePlacement(field, fmt::format("the number of pods of {} is {}; it "
                                         "must be 0 or more",
                                         level.level(), level.pods()));
    text += (text.empty() ? "" : ",") + level.level();
    if (level.pods() > 0) text += fmt::format(":{}", level.pods());
  }
  std::string all;
  std::vector<cluster::TopologyLevel> parts;
  const std::string why =
      workers::ReadLevels("the list of levels", text, {}, all, parts);
  if (!why.empty()) RefusePlacement(field, why);
  marks.annotations[annotation] = text;
}

PodMarks MarksOf(const v1::PlacementRequest& placement) {
  PodMarks marks;
  if (placement.exclusive()) marks.labels[workers::kExclusiveLabel] = "true";
  if (placement.has_pods_per_node()) {
    const v1::PodsPerNodeRequest& per_node = placement.pods_per_node();
    if (per_node.pods() < 1)
      RefusePlacement("pods_per_node.pods",
                      fmt::format("it is {}; it must be a whole number from 1 "
                                  "on",
                                  per_node.pods()));
    marks.labels[workers::kPodsPerNodeLabel] = fmt::format(
        "{}{}", per_node.at_most() ? "at-most-" : "", per_node.pods());
  }
  AddLevels("required_levels", placement.required_levels(),
            workers::kTopologyRequiredLabel, marks);
  AddLevels("preferred_levels", placement.preferred_levels(),
            workers::kTopologyPreferredLabel, marks);
  return marks;
}

// Returns the metadata of the object's pods; null: it has no pods.
PodJson* PodMetadataOf(const cluster::Manifest& manifest, PodJson& object) {
  if (std::holds_alternative<cluster::PodTemplate>(manifest.object))
    return &object["metadata"];
  if (std::holds_alternative<cluster::KubernetesJob>(manifest.object))
    return &object["spec"]["template"]["metadata"];
  return nullptr;
}

void Mark(const std::string& place,
          const std::map<std::string, std::string>& marks, const char* kind,
          PodJson& metadata) {
  for (const auto& [name, value] : marks) {
    PodJson& there = metadata[kind][name];
    if (!there.is_null() && there != value)
      throw GrpcRefusal(
          GrpcCode::kInvalidArgument,
          fmt::format("{}: {} is {}, but the request's placement asks for "
                      "\"{}\"; one of them must be left out",
                      place, name, there.dump(), value),
          "placement");
    there = value;
  }
}

}  // namespace

void WritePlacement(const v1::PlacementRequest& placement,
                    const cluster::ManifestOptions& options,
                    std::vector<cluster::Manifest>& manifests) {
  const PodMarks marks = MarksOf(placement);
  if (marks.labels.empty() && marks.annotations.empty()) return;
  for (cluster::Manifest& manifest : manifests) {
    PodJson object = PodJson::parse(manifest.json);
    PodJson* const metadata = PodMetadataOf(manifest, object);
    if (metadata == nullptr) continue;
    Mark(manifest.place, marks.labels, "labels", *metadata);
    Mark(manifest.place, marks.annotations, "annotations", *metadata);
    manifest =
        cluster::ReadManifest(std::move(object), manifest.place, options);
  }
}

}  // namespace fluxnetes::services
