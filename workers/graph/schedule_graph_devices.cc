// Puts the devices of the cluster into the graph: see schedule_graph.h.
#include "matcher/node_devices/node_devices.h"
#include "workers/decision/device_news.h"
#include "workers/graph/schedule_graph.h"

namespace fluxnetes::workers {

void ScheduleGraph::SetDevices(const DeviceNews& news) {
  matcher::NodeDevices& devices = graph_.devices();
  for (const matcher::DeviceSlice& slice : news.slices) devices.SetSlice(slice);
  for (const std::string& slice : news.gone_slices) devices.RemoveSlice(slice);
  for (const matcher::DeviceClass& each : news.classes) devices.SetClass(each);
  for (const std::string& each : news.gone_classes) devices.RemoveClass(each);
  if (!news.slices.empty() || !news.gone_slices.empty() ||
      !news.classes.empty() || !news.gone_classes.empty()) {
    capacity_.reset();
    NoteDevices({}, true);
  }
  for (const AllocatedClaim& claim : news.claims) SetClaim(claim);
}

void ScheduleGraph::SetClaim(const AllocatedClaim& claim) {
  matcher::NodeDevices& devices = graph_.devices();
  const auto before = claims_.find(claim.claim);
  if (before != claims_.end()) NoteDevices(before->second, true);
  if (claim.devices.empty()) {
    devices.ForgetAllocated(claim.claim);
    if (before != claims_.end()) claims_.erase(before);
    return;
  }
  devices.SetAllocated(claim.claim, claim.devices, claim.nodes);
  claims_[claim.claim] = claim.nodes.node;
  NoteDevices(claim.nodes.node, false);
}

// Devices of the node, or of any node if it has no name, have changed.
void ScheduleGraph::NoteDevices(const std::string& node, bool more) {
  const auto note = [&](const KnownNode& known) {
    if (!known.known) return;
    changes_.changed.push_back(known.index);
    if (more) Grow(known.index);
  };
  if (node.empty()) {
    changes_.capacity = true;
    for (const auto& [name, known] : nodes_) note(known);
  } else if (const auto found = nodes_.find(node); found != nodes_.end()) {
    note(found->second);
  }
}

}  // namespace fluxnetes::workers
