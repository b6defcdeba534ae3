// The pools of devices that drivers publish in slices, and what of them a node
// can use. A pool belongs to a driver; its slices come one by one, and a newer
// generation of them takes the place of the one before.
//
// Of a pool a node sees the slices of the latest generation among those for
// this node and those with counters. If a later one exists that is not for this
// node, the driver is about to replace what the node sees, and the node can use
// nothing of the pool. A pool is incomplete while slices of that generation are
// missing. It is invalid if two devices or two sets of counters have one name,
// or if a device takes of counters that do not exist.
//
// Each device of a pool has a slot, which it keeps in all generations.
//
// Owned by one thread.
// Tests: tests/matcher/node_devices/device_pools_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "matcher/devices/device.h"
#include "matcher/devices/device_kinds.h"
#include "matcher/node_devices/pool_takings.h"

namespace fluxnetes::matcher {

using PoolId = std::int32_t;

class DevicePools {
 public:
  explicit DevicePools(DeviceKinds& kinds) : kinds_(kinds) {}

  struct Published {
    SlotId slot = 0;
    ContentId content = 0;
    std::optional<DeviceNodes> nodes = {};
  };
  struct Slice {
    DeviceSlice head;  // without its devices
    PoolId pool = 0;
    std::vector<Published> devices;
  };
  struct Pool {
    std::string driver;
    std::string name;
    PoolTakings takings;
    std::vector<std::string> slots;  // names of devices
    std::unordered_map<std::string, SlotId> slot_of;
    std::map<std::string, const Slice*> general;  // for no node alone
    std::map<std::string, const Slice*> counters;
    std::map<std::string, std::map<std::string, const Slice*>> by_node;
    std::map<std::int64_t, int> generations;  // how many slices of each
    // Whether all its devices take of counters that exist, as of a version.
    mutable bool counts_rightly = true;
    mutable std::uint64_t counts_as_of = 0;
    // More than one node can use it, or may take of its counters.
    bool IsWide() const { return !general.empty() || by_node.size() > 1; }
    SlotId SlotOf(const std::string& device);
  };

  // What a node can use of a pool, in order.
  struct Device {
    const Slice* slice = nullptr;
    const Published* published = nullptr;
  };
  struct OnNode {
    PoolId pool = 0;
    bool incomplete = false;
    bool invalid = false;
    bool conditions = false;  // a device must wait for conditions
    std::vector<Device> devices;
    std::map<std::string, DeviceAmounts> counters;  // by set
  };

  // Returns the names of nodes for which something changes; "": for all.
  std::set<std::string> SetSlice(DeviceSlice slice);
  std::set<std::string> RemoveSlice(std::string_view name);

  // In the order in which a search tries them.
  std::vector<OnNode> Of(const std::string& node, const Labels& labels) const;

  // Finds the pool, or adds an empty one.
  PoolId Find(const std::string& driver, const std::string& name);
  std::optional<PoolId> Known(const std::string& driver,
                              const std::string& name) const;
  Pool& at(PoolId pool) { return *pools_[pool]; }
  const Pool& at(PoolId pool) const { return *pools_[pool]; }
  // What devices of the pool take of its counters, by slot, whichever nodes can
  // use them.
  std::map<SlotId, ContentId> Counting(PoolId pool) const;
  // What a device is; nothing: no slice has it.
  std::optional<ContentId> ContentOf(const DeviceId& device) const;
  // Grows with each change of a slice.
  std::uint64_t version() const { return version_; }
  // How many devices there are of each kind.
  std::map<KindId, int> CountKinds() const;
  // The kinds of devices that several nodes may use.
  std::set<KindId> WideKinds() const;

 private:
  // Calls `use` with each device of the latest generation.
  template <typename Use>
  void ForEachLatest(const Pool& pool, const Use& use) const;
  std::set<std::string> Drop(const std::string& name);
  std::set<std::string> Affected(const Slice& slice) const;
  std::optional<OnNode> Look(PoolId id, const std::string& node,
                             const Labels& labels) const;
  void Fill(const std::vector<const Slice*>& slices, const std::string& node,
            const Labels& labels, OnNode& seen) const;
  bool CountersExist(
      const Published& device,
      const std::map<std::string, DeviceAmounts>& counters) const;
  bool IsConsistent(const std::vector<const Slice*>& slices,
                    const OnNode& seen) const;
  bool CountsRightly(const Pool& pool) const;

  DeviceKinds& kinds_;
  std::vector<std::unique_ptr<Pool>> pools_;
  std::map<std::pair<std::string, std::string>, PoolId> pool_index_;
  std::map<std::string, Slice, std::less<>> slices_;
  std::unordered_map<std::string, std::map<PoolId, int>> pools_of_node_;
  std::map<PoolId, int> general_pools_;  // how many slices for no node alone
  std::uint64_t version_ = 0;
};

}  // namespace fluxnetes::matcher
