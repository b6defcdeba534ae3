// Which nodes can use a device, or the devices of a claim.
//
// Plain functions.
// Tests: tests/matcher/devices/device_nodes_test.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "matcher/devices/device.h"
#include "matcher/devices/device_request.h"
#include "matcher/rules/task_rules.h"

namespace fluxnetes::matcher {

// True if a node of this name with these labels is one of them. A term without
// requirements matches no node.
bool Includes(const DeviceNodes& nodes, const std::string& node,
              const Labels& labels);

// The nodes that can use all devices of the claim, which a task on `node` has:
// this node alone if one of them is tied to it, else all nodes, or those of one
// term that joins the terms of the devices. It becomes the nodeSelector of
// status.allocation; all nodes: none.
DeviceNodes NodesOf(std::string_view claim,
                    std::span<const AllocatedDevice> devices,
                    const std::string& node);

}  // namespace fluxnetes::matcher
