// NodeDevices without states, kinds or anything that is kept: each question
// looks at all devices and all that is held. Requests have one choice of so
// many or all devices, of a class without selectors.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "matcher/node_devices/node_devices.h"

namespace fluxnetes::matcher {

inline constexpr const char* kWidePool = "net";  // the only one of all nodes
inline constexpr const char* kNoDriver = "";     // amounts are not asked for

class PlainDevices {
 public:
  struct Beside {
    NodeIndex node = 0;
    const TaskDevices* devices = nullptr;
    int tasks = 0;
  };

  void SetNode(NodeIndex node, const std::string& name, const Labels& labels) {
    nodes_[node] = {name, labels};
  }
  void SetSlice(const DeviceSlice& slice) { slices_[slice.name] = slice; }
  void RemoveSlice(const std::string& name) { slices_.erase(name); }
  void SetAllocated(const std::string& claim,
                    const std::vector<AllocatedDevice>& devices,
                    const DeviceNodes& nodes) {
    allocated_[claim] = {devices, nodes};
  }
  void ForgetAllocated(const std::string& claim) { allocated_.erase(claim); }

  // `window`: null for empty nodes.
  int Fit(NodeIndex node, const TaskDevices& devices, int limit,
          const InsideWindow* window, const std::vector<Beside>& beside) const;
  // The names of the devices, if it fits.
  std::optional<std::vector<DeviceId>> Book(JobId job, int task, NodeIndex node,
                                            const TaskDevices& devices,
                                            const InsideWindow& window);
  void Release(JobId job, int task) { holds_.erase({job, task}); }
  void Cancel(JobId job);

 private:
  struct Use {
    DeviceId id;
    std::string share;
    std::string claim;  // of several tasks
    DeviceAmounts amounts;
  };
  struct Hold {
    NodeIndex node = 0;
    Time start = 0;
    Time end = 0;
    std::vector<Use> uses;
  };
  struct Seen {
    DeviceId id;
    const Device* device = nullptr;
    DeviceNodes nodes;
  };
  struct Pinned {
    std::vector<Use> uses;
    DeviceNodes nodes;
  };
  using Uses = std::vector<Use>;
  struct Question {
    std::vector<Seen> seen;
    std::vector<Seen> whole;  // what a request for all gets
    const TaskDevices* task = nullptr;
    std::set<std::size_t> pinned;  // claims
  };
  struct Plan {
    Uses taken;
    std::map<std::string, Pinned> pinned;
  };

  bool Meets(const Hold& hold, JobId job, const InsideWindow& window) const;
  Uses TakenIn(const InsideWindow* window) const;
  std::vector<Seen> SeenBy(NodeIndex node) const;
  bool CountersSuffice(const std::string& pool, const Uses& uses) const;
  bool MayAdd(const Seen& seen, const DeviceClaim& claim, const Uses& all,
              const std::vector<const Device*>& of_claim) const;
  bool HasCapacity(const Seen& seen, const Uses& all) const;
  bool Search(const Question& question, std::size_t claim, std::size_t request,
              int taken, std::size_t start, Uses& all,
              std::vector<const Device*>& of_claim, Uses& got) const;
  std::optional<Pinned> PinnedBy(const std::string& claim,
                                 const InsideWindow* window,
                                 const Plan& plan) const;
  bool IsUsable(NodeIndex node, const std::string& claim, const Pinned& pinned,
                const InsideWindow* window, const Plan& plan) const;
  std::optional<Uses> Place(NodeIndex node, const TaskDevices& devices,
                            const InsideWindow* window, Plan& plan) const;

  std::map<NodeIndex, std::pair<std::string, Labels>> nodes_;
  std::map<std::string, DeviceSlice> slices_;
  std::map<std::string, std::pair<std::vector<AllocatedDevice>, DeviceNodes>>
      allocated_;
  std::map<std::pair<JobId, int>, Hold> holds_;
  mutable int shares_ = 0;
};

}  // namespace fluxnetes::matcher
