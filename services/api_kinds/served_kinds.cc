#include "services/api_kinds/served_kinds.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <stdexcept>
#include <type_traits>

#include "cluster/devices/device_writer.h"
#include "cluster/json/object_writer.h"

namespace fluxnetes::services {
namespace {

using cluster::WatchedKind;

constexpr const char* kResourcePrefix = "/apis/resource.k8s.io/v1";
constexpr const char* kResourceVersion = "resource.k8s.io/v1";

constexpr std::array<ServedKind, 7> kServed = {{
    {WatchedKind::kPods, "/api/v1", "pods", "v1", "Pod", true},
    {WatchedKind::kNodes, "/api/v1", "nodes", "v1", "Node", false},
    {WatchedKind::kJobs, "/apis/batch/v1", "jobs", "batch/v1", "Job", true},
    {WatchedKind::kDeviceClasses, kResourcePrefix, "deviceclasses",
     kResourceVersion, "DeviceClass", false},
    {WatchedKind::kResourceSlices, kResourcePrefix, "resourceslices",
     kResourceVersion, "ResourceSlice", false},
    {WatchedKind::kClaimTemplates, kResourcePrefix, "resourceclaimtemplates",
     kResourceVersion, "ResourceClaimTemplate", true},
    {WatchedKind::kResourceClaims, kResourcePrefix, "resourceclaims",
     kResourceVersion, "ResourceClaim", true},
}};

ServedName Name(const cluster::Pod& pod) {
  return {WatchedKind::kPods, pod.uid, pod.namespace_name,
          pod.resource_version};
}
ServedName Name(const cluster::Node& node) {
  return {WatchedKind::kNodes, node.uid, "", node.resource_version};
}
ServedName Name(const cluster::DeviceClass& of) {
  return {WatchedKind::kDeviceClasses, "class " + of.device_class.name, "",
          of.resource_version};
}
ServedName Name(const cluster::ResourceSlice& of) {
  return {WatchedKind::kResourceSlices, "slice " + of.slice.name, "",
          of.resource_version};
}
ServedName Name(const cluster::ResourceClaimTemplate& of) {
  return {WatchedKind::kClaimTemplates, of.uid, of.namespace_name,
          of.resource_version};
}
ServedName Name(const cluster::ResourceClaim& of) {
  return {WatchedKind::kResourceClaims, of.uid, of.namespace_name,
          of.resource_version};
}
ServedName Name(const cluster::KubernetesJobStatus& of) {
  return {WatchedKind::kJobs, of.uid, of.job.namespace_name,
          of.resource_version};
}

std::string Write(const cluster::Pod& pod) { return cluster::WritePod(pod); }
std::string Write(const cluster::Node& node) {
  return cluster::WriteNode(node);
}
std::string Write(const cluster::DeviceClass& of) {
  return cluster::WriteDeviceClass(of);
}
std::string Write(const cluster::ResourceSlice& of) {
  return cluster::WriteResourceSlice(of);
}
std::string Write(const cluster::ResourceClaimTemplate& of) {
  return cluster::WriteResourceClaimTemplate(of);
}
std::string Write(const cluster::ResourceClaim& of) {
  return cluster::WriteResourceClaim(of);
}
std::string Write(const cluster::KubernetesJobStatus& of) {
  return cluster::WriteJob(of);
}

}  // namespace

ServedObject ServedOf(const cluster::WatchEvent& event) {
  return std::visit(
      []<typename Object>(const Object& it) -> ServedObject {
        if constexpr (std::is_constructible_v<ServedObject, const Object&>) {
          return it;
        } else {
          return {};
        }
      },
      event.object);
}

const ServedKind* FindServedKind(std::string_view prefix,
                                 std::string_view plural) {
  const auto found = std::ranges::find_if(kServed, [&](const ServedKind& kind) {
    return kind.prefix == prefix && kind.plural == plural;
  });
  return found == kServed.end() ? nullptr : &*found;
}

const ServedKind& ServedKindOf(WatchedKind kind) {
  const auto found = std::ranges::find(kServed, kind, &ServedKind::kind);
  assert(found != kServed.end());
  return *found;
}

ServedName NameOf(const ServedObject& object) {
  return std::visit(
      []<typename Object>(const Object& it) -> ServedName {
        if constexpr (std::is_same_v<Object, std::monostate>) {
          throw std::logic_error("nothing has no name");
        } else {
          return Name(*it);
        }
      },
      object);
}

std::string WriteServed(const ServedObject& object) {
  return std::visit(
      []<typename Object>(const Object& it) -> std::string {
        if constexpr (std::is_same_v<Object, std::monostate>) {
          return "{}";
        } else {
          return Write(*it);
        }
      },
      object);
}

ServedList ListServed(const cluster::SimulatedCluster& cluster,
                      WatchedKind kind, const std::string& namespace_name) {
  const auto snapshot = cluster.TakeSnapshot();
  ServedList list{snapshot.resource_version, {}};
  const auto add = [&](const auto& objects) {
    for (const auto& each : objects) list.objects.emplace_back(each);
  };
  if (kind == WatchedKind::kPods) {
    add(snapshot.pods);
  } else if (kind == WatchedKind::kNodes) {
    add(snapshot.nodes);
  } else if (kind == WatchedKind::kJobs) {
    // What changes after the snapshot is in the events behind its version too.
    for (auto& job : cluster.Jobs())
      list.objects.emplace_back(
          std::make_shared<const cluster::KubernetesJobStatus>(std::move(job)));
  } else {
    // As with Jobs.
    const auto devices = cluster.TakeDevices();
    if (kind == WatchedKind::kDeviceClasses) add(devices.classes);
    if (kind == WatchedKind::kResourceSlices) add(devices.slices);
    if (kind == WatchedKind::kClaimTemplates) add(devices.claim_templates);
    if (kind == WatchedKind::kResourceClaims) add(devices.claims);
  }
  if (namespace_name.empty()) return list;
  std::erase_if(list.objects, [&](const ServedObject& object) {
    return NameOf(object).namespace_name != namespace_name;
  });
  return list;
}

}  // namespace fluxnetes::services
