#include "cluster/kubernetes/protobuf_bodies.h"

#include "cluster/protobuf/envelope.h"
#include "cluster/protobuf/wire_writer.h"
#include "cluster/text/utf8.h"

namespace fluxnetes::cluster {
namespace {

constexpr const char* kCoreVersion = "v1";
constexpr const char* kComponent = "fluxnetes";

// No field if the text is empty.
std::string TextField(std::uint32_t field, std::string_view text) {
  return text.empty() ? "" : BytesField(field, ToUtf8(text));
}

// A Time has whole seconds here, as FormatTimestamp writes it.
std::string TimeField(std::uint32_t field, Time time) {
  const auto seconds =
      std::chrono::floor<std::chrono::seconds>(time.time_since_epoch());
  return BytesField(
      field, NumberField(1, static_cast<std::uint64_t>(seconds.count())));
}

// (k8s.io/apimachinery, pkg/apis/meta/v1: ObjectMeta.)
std::string Metadata(const std::string& namespace_name,
                     const std::string& name) {
  return TextField(1, name) + TextField(3, namespace_name);
}

std::string ObjectReference(const char* kind, const std::string& namespace_name,
                            const std::string& name, const std::string& uid) {
  return TextField(1, kind) + TextField(2, namespace_name) +
         TextField(3, name) + TextField(4, uid) + TextField(5, kCoreVersion);
}

}  // namespace

// (k8s.io/api/core/v1: Binding.)
std::string BindingInProtobuf(const Binding& binding) {
  std::string metadata = Metadata(binding.namespace_name, binding.pod_name) +
                         TextField(5, binding.uid) +
                         TextField(6, binding.resource_version);
  for (const auto& [key, value] : binding.annotations)
    metadata += BytesField(12, TextField(1, key) + TextField(2, value));
  return WriteEnvelope(
      kCoreVersion, "Binding",
      BytesField(1, metadata) +
          BytesField(2, ObjectReference("Node", "", binding.node_name, "")));
}

// (k8s.io/api/core/v1: Event, EventSource.)
std::string EventInProtobuf(const PodEvent& event, const std::string& name,
                            Time time) {
  return WriteEnvelope(
      kCoreVersion, "Event",
      BytesField(1, Metadata(event.namespace_name, name)) +
          BytesField(2, ObjectReference("Pod", event.namespace_name,
                                        event.pod_name, event.pod_uid)) +
          TextField(3, event.reason) + TextField(4, event.message) +
          BytesField(5, TextField(1, kComponent)) + TimeField(6, time) +
          TimeField(7, time) + NumberField(8, 1) +
          TextField(9, event.warning ? "Warning" : "Normal") +
          TextField(14, kComponent));
}

}  // namespace fluxnetes::cluster
