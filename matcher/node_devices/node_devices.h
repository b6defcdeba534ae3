// The devices of a cluster, which nodes can use them, and which tasks hold them
// when: what `structured parameters` of dynamic resource allocation need, with
// spans over time.
//
//   NodeDevices devices;
//   devices.SetNode(node, "node0", labels);
//   devices.SetClass({.name = "gpu", .selectors = {"device.driver == ..."}});
//   devices.SetSlice(slice);
//   const DevicesId id = devices.Take(task_devices);
//   if (devices.Fit(node, id, 1, {now, end, now}) == 1)
//     devices.Book(job, /*task=*/0, node, id, {now, end, now});
//
// A device is held by one claim at a time, but for admin access and shared
// devices. Nothing ends by itself, and spans are those of NodeInterior
// (inside/node_interior.h). A pool counts when all slices of its latest
// generation are known; requests for all devices do not fit on a node that can
// use an incomplete pool.
//
// Nodes whose devices are equal but for their names share what is found for a
// set of taken devices, so a cluster of many equal nodes costs one search for
// each state that occurs.
//
// Owned by one thread. Reads no clock and writes no log.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "matcher/devices/device_request.h"
#include "matcher/inside/node_interior.h"  // InsideWindow
#include "matcher/nodes/node_set.h"
#include "matcher/units.h"

namespace fluxnetes::matcher {

// Tasks that are planned on a node for the same window and not booked yet.
struct DevicesBeside {
  NodeIndex node = -1;
  DevicesId devices = kNoDevices;
  int tasks = 0;
};

// Why a task does not fit on a node, with the words for people.
struct DeviceObstacle {
  std::string claim;    // empty: all of them together
  std::string request;  // empty: the claim as a whole
  std::string text;  // "class gpu does not exist", "3 of 8 devices match ..."
};

// The selector for devices in these NUMA domains. The attribute is Kubernetes'
// own, resource.kubernetes.io/numaNode (KEP 6072), or what drivers have had
// before there was one: numaNode, numaNodeID or numa in the driver's domain, or
// dra.net/numaNode. Devices far from all NUMA domains have none.
std::string WithinNuma(const std::vector<std::int64_t>& numa);

class NodeDevices {
 public:
  // Returns the labels of a node that was set without them. They are asked for
  // when the node's devices are looked at, and not again until it is set anew.
  using LabelSource = std::function<Labels(NodeIndex)>;
  explicit NodeDevices(LabelSource labels = nullptr);
  ~NodeDevices();
  NodeDevices(NodeDevices&&) noexcept;
  NodeDevices& operator=(NodeDevices&&) noexcept;

  // What the cluster has. A slice and a class replace those of their name.
  void SetNode(NodeIndex node, const std::string& name);
  void SetNode(NodeIndex node, const std::string& name, const Labels& labels);
  void RemoveNode(NodeIndex node);
  void SetSlice(DeviceSlice slice);
  void RemoveSlice(std::string_view name);
  void SetClass(DeviceClass device_class);
  void RemoveClass(std::string_view name);
  // The devices that a claim of the cluster has, as its status says, whoever it
  // is for, and the nodes that can use them; `claim` is "namespace/name". They
  // are taken without end, unless a task booked here holds them now. A task
  // that shares this claim (DeviceClaim::shared) takes these and no others, on
  // these nodes.
  void SetAllocated(const std::string& claim,
                    std::vector<AllocatedDevice> devices, DeviceNodes nodes);
  // The claim has no devices any more, or is gone.
  void ForgetAllocated(const std::string& claim);

  // How many devices there are for which the selectors of the class hold,
  // whoever has them; 0: there is no such class.
  int CountOfClass(std::string_view name) const;

  // A class whose devices this resource of containers stands for
  // (extendedResourceName, or "deviceclass.resource.kubernetes.io/CLASS");
  // empty: none.
  std::string ClassBehind(std::string_view resource) const;

  // Returns the number of the request, the same for equal ones; kept until it
  // was given back as often. Throws SelectorError (device_selector.h) for a
  // selector that is wrong or that is not supported.
  DevicesId Take(const TaskDevices& devices);
  // The same, of devices in these NUMA domains of their node; of all that say
  // theirs, if none is given. A device says it by an attribute: see
  // WithinNuma().
  DevicesId TakeWithin(const TaskDevices& devices,
                       std::vector<std::int64_t> numa);
  void Give(DevicesId devices);
  bool Knows(DevicesId devices) const;
  const TaskDevices& Of(DevicesId devices) const;
  // True if a task may take devices that several nodes can use, or share some
  // with other tasks: then it matters where the tasks beside are, on any node.
  bool LooksBeyondNode(DevicesId devices) const;

  // How many tasks, at most `limit`, can be booked on the node for the window
  // one after the other, once the tasks beside are booked in their order.
  // `beside` may name other nodes: tasks there count for devices that several
  // nodes can use.
  int Fit(NodeIndex node, DevicesId devices, int limit,
          const InsideWindow& window,
          std::span<const DevicesBeside> beside = {});
  // The same if no task held any device.
  int FitEmpty(NodeIndex node, DevicesId devices, int limit,
               std::span<const DevicesBeside> beside = {});
  // Books a task that holds nothing yet; returns its devices, as Describe
  // names them, or nothing if it does not fit.
  bool Book(JobId job, int task, NodeIndex node, DevicesId devices,
            const InsideWindow& window);
  // Books what is known to be held, even if it is held already or not known:
  // what runs cannot be refused. Throws DevicesError (devices_text.h) for a
  // malformed text.
  void Restore(JobId job, int task, NodeIndex node, std::string_view devices,
               Time start, Time end);
  // True if the node can use these devices and nobody else holds them in the
  // window.
  bool IsFree(NodeIndex node, std::string_view devices,
              const InsideWindow& window) const;
  bool Release(JobId job, int task);  // false: it holds nothing
  bool Cancel(JobId job);

  // What a task holds, as a text (devices_text.h); empty: nothing.
  std::string DevicesOf(JobId job, int task) const;

  // Why a task does not fit on the node in the window.
  DeviceObstacle Explain(NodeIndex node, DevicesId devices,
                         const InsideWindow& window);
  // The same for the cluster: a class or a selector that excludes every device.
  // Nothing: some node could have it.
  std::optional<DeviceObstacle> ExplainNever(DevicesId devices);

  // All that is held on a node: a line per task and device, in order.
  std::vector<std::string> DescribeOn(NodeIndex node) const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::matcher
