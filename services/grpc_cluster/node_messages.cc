#include "services/grpc_cluster/node_messages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "fluxnetes/v1/cluster.pb.h"
#include "fluxnetes/v1/maintenance.pb.h"
#include "fluxnetes/v1/node_detail.pb.h"
#include "services/editing/maintenance_command.h"
#include "services/grpc/grpc_calls.h"
#include "services/grpc_cluster/message_time.h"
#include "services/records/node_detail.h"

namespace fluxnetes::services {
namespace {

void FillAmount(v1::Amount& amount, const sql::Row& row,
                const std::string& what) {
  amount.set_allocatable(row.Get<std::int64_t>(what));
  amount.set_unmanaged(row.Get<std::int64_t>("unmanaged_" + what));
  amount.set_granted(row.Get<std::int64_t>("granted_" + what));
}

void FillWindow(v1::Maintenance& message, const MaintenanceRow& window) {
  message.set_id(window.id);
  for (const std::string& node : window.nodes) message.add_nodes(node);
  for (const auto& [key, value] : window.labels)
    (*message.mutable_labels())[key] = value;
  Fill(*message.mutable_starts_at(), window.start);
  if (window.end) Fill(*message.mutable_ends_at(), *window.end);
  message.set_reason(window.reason);
  Fill(*message.mutable_made_at(), window.made);
  message.set_known_nodes(window.known_nodes);
  message.set_groups_in_the_way(window.groups_in_the_way);
}

void FillNodeGroup(v1::NodeGroup& message, const NodeGroupRow& group) {
  message.set_id(group.id);
  message.set_namespace_(group.group.namespace_name);
  message.set_name(group.group.name);
  message.set_queue(group.queue);
  message.set_size(group.size);
  message.set_kind(group.kind == "running"    ? v1::TIMELINE_KIND_RUNNING
                   : group.kind == "reserved" ? v1::TIMELINE_KIND_RESERVED
                                              : v1::TIMELINE_KIND_DRAINING);
  if (group.start) Fill(*message.mutable_starts_at(), *group.start);
  if (group.end) Fill(*message.mutable_ends_at(), *group.end);
  message.set_pods_here(group.pods);
  message.set_cpu_milli(group.cpu_milli);
  message.set_memory_bytes(group.memory_bytes);
  for (const std::string& inside : group.inside) message.add_inside(inside);
  for (const std::string& device : group.devices) message.add_devices(device);
}

}  // namespace

void FillNode(v1::Node& message, const sql::Row& row) {
  message.set_name(row.Get<std::string>("node_name"));
  message.set_unschedulable(
      row.Find<std::string>("unschedulable").value_or(""));
  if (const auto from = row.Find<sql::Timestamp>("maintenance_from"))
    Fill(*message.mutable_maintenance_from(), *from);
  if (const auto until = row.Find<sql::Timestamp>("maintenance_until"))
    Fill(*message.mutable_maintenance_until(), *until);
  message.set_maintenance_reason(
      row.Find<std::string>("maintenance_reason").value_or(""));
  FillAmount(*message.mutable_cpu_milli(), row, "cpu_milli");
  FillAmount(*message.mutable_memory_bytes(), row, "memory_bytes");
  FillAmount(*message.mutable_pods(), row, "pods");
  const auto parsed = [&](const char* column) {
    return nlohmann::json::parse(row.Get<std::string>(column));
  };
  const nlohmann::json other = parsed("other");
  for (const auto& [name, amount] : other.items())
    (*message.mutable_other())[name].set_allocatable(
        amount.get<std::int64_t>());
  const nlohmann::json granted = parsed("granted_other");
  for (const auto& [name, amount] : granted.items())
    (*message.mutable_other())[name].set_granted(amount.get<std::int64_t>());
  for (const auto& [driver, count] : ReadDevicesOfNode(row)) {
    v1::Amount& amount = (*message.mutable_devices())[driver];
    amount.set_allocatable(count.all);
    amount.set_granted(count.held);
    amount.set_unmanaged(count.unmanaged);
  }
  const nlohmann::json labels = parsed("labels");
  for (const auto& [name, value] : labels.items())
    (*message.mutable_labels())[name] = value.get<std::string>();
  Fill(*message.mutable_seen_at(), row.Get<sql::Timestamp>("seen_at"));
}

void FillNodeDetail(v1::GetNodeResponse& response,
                    sql::Transaction& transaction, const std::string& name,
                    sql::Timestamp now) {
  for (const NodeGroupRow& group : ReadGroupsOnNode(transaction, name))
    FillNodeGroup(*response.add_groups(), group);
  for (const UnmanagedDeviceRow& each :
       ReadUnmanagedDevices(transaction, name)) {
    v1::UnmanagedDevice& message = *response.add_unmanaged_devices();
    message.set_device(each.device);
    message.set_namespace_(each.namespace_name);
    message.set_pod(each.pod);
  }
  for (const MaintenanceRow& window : ReadMaintenance(transaction, now, name))
    FillWindow(*response.add_maintenance(), window);
  response.set_structure(ReadStructureOfNode(transaction, name));
}

void FillMaintenance(v1::ListMaintenanceResponse& response,
                     sql::Transaction& transaction, sql::Timestamp now) {
  for (const MaintenanceRow& window :
       ReadMaintenance(transaction, now, std::nullopt))
    FillWindow(*response.add_maintenance(), window);
}

void DrainFor(const v1::DrainNodesRequest& request,
              v1::DrainNodesResponse& response, const Actor& actor,
              sql::Pool& pool, sql::Timestamp now) {
  DrainOptions options;
  options.words.assign(request.nodes().begin(), request.nodes().end());
  options.from = request.from();
  options.until = request.until();
  options.reason = request.reason();
  const Drained drained = Drain(options, actor, pool, now, request.dry_run());
  v1::Maintenance& window = *response.mutable_maintenance();
  for (const std::string& word : drained.words) {
    const std::size_t equal = word.find('=');
    if (equal == std::string::npos)
      window.add_nodes(word);
    else
      (*window.mutable_labels())[word.substr(0, equal)] =
          word.substr(equal + 1);
  }
  Fill(*window.mutable_starts_at(), drained.from);
  if (drained.until) Fill(*window.mutable_ends_at(), *drained.until);
  window.set_reason(request.reason());
  window.set_known_nodes(drained.known_nodes);
  if (!request.dry_run()) {
    window.set_id(drained.id);
    Fill(*window.mutable_made_at(), now);
  }
  for (const std::string& group : drained.groups) response.add_groups(group);
  response.set_group_count(drained.group_count);
}

void UndrainFor(const v1::UndrainNodesRequest& request,
                v1::UndrainNodesResponse& response, const Actor& actor,
                sql::Pool& pool, sql::Timestamp now) {
  DrainOptions options;
  options.undo = true;
  options.words.assign(request.nodes().begin(), request.nodes().end());
  if (request.id() != 0) options.id = request.id();
  const Undrained undrained = Undrain(options, actor, pool, now);
  if (undrained.undone.empty())
    throw GrpcRefusal(
        GrpcCode::kNotFound,
        fmt::format("no maintenance of {} is announced; ListMaintenance has "
                    "what is",
                    fmt::join(undrained.asked, ", ")));
  for (const std::string& name : undrained.undone) response.add_undone(name);
}

}  // namespace fluxnetes::services
