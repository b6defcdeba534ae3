// Which devices of one pool are taken when: by tasks booked here, and by claims
// of the cluster. A device is a slot of the pool. What is taken in a window is
// kept, with the windows for which it is the same, so that it is asked for at
// hardly any cost.
//
// Windows are those of NodeInterior. What a claim of the cluster has is taken
// without end, unless a task holds it now.
//
// Owned by one thread.
// Tests: tests/matcher/node_devices/node_devices_test.cc,
// tests/matcher/node_devices/node_devices_random_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "matcher/devices/device.h"
#include "matcher/devices/device_kinds.h"
#include "matcher/inside/node_interior.h"  // InsideWindow
#include "matcher/units.h"

namespace fluxnetes::matcher {

using SlotId = std::int32_t;

// What a holder has of a slot.
struct SlotUse {
  SlotId slot = 0;
  std::string share = {};      // shareID; empty: it has the device alone
  DeviceAmounts amounts = {};  // of a share, by full names
  std::string claim = {};      // a claim of several tasks; else empty
  bool admin = false;          // takes nothing
};

class PoolTakings {
 public:
  struct Taking {
    JobId job = 0;
    std::int32_t task = 0;
    Time start = 0;
    Time end = 0;
    SlotUse use;
  };
  // What is taken of the pool. Equal numbers: it is the same.
  struct Taken {
    std::uint64_t number = 0;
    std::vector<std::uint64_t> alone;        // a bit for each slot
    std::map<SlotId, DeviceAmounts> shares;  // what is taken of shared devices
    bool IsAlone(SlotId slot) const {
      const auto word = static_cast<std::size_t>(slot) / 64;
      return word < alone.size() && (alone[word] >> (slot % 64) & 1) != 0;
    }
    void Add(const SlotUse& use);  // admin access takes nothing
    bool operator==(const Taken&) const = default;
  };

  void Add(Taking taking);
  void Remove(JobId job, int task);
  void SetAllocated(const std::string& claim, std::vector<SlotUse> uses);
  void ForgetAllocated(const std::string& claim);
  bool empty() const { return takings_.empty() && allocated_.empty(); }
  const std::vector<Taking>& takings() const { return takings_; }

  // What is taken in the window; valid until the next call. Its number is 0 if
  // the window is without some jobs.
  const Taken& In(const InsideWindow& window);
  // The same if no task held anything, nor ever had.
  const Taken& Empty();
  // True if nobody holds the slot in the window but for this claim of several
  // tasks. A share is never in the way of others.
  bool IsFree(SlotId slot, bool share, const std::string& claim,
              const InsideWindow& window) const;

 private:
  struct Seen {
    bool known = false;
    bool now = false;  // from is now
    Time first_from = 0;
    Time last_from = 0;
    Time first_end = 0;
    Time last_end = 0;
    Time first_now = 0;
    Time last_now = 0;
    Taken taken;
  };
  static bool IsWithout(const InsideWindow& window, JobId job);
  static bool Meets(const Taking& taking, const InsideWindow& window);
  bool Covers(const InsideWindow& window) const;
  void Look(const InsideWindow& window, Seen& seen) const;
  void LookAtAllocated(Time now, bool ever, Seen& seen) const;
  void Number(Taken& taken);
  void Change();

  std::vector<Taking> takings_;
  std::map<std::string, std::vector<SlotUse>> allocated_;  // by claim
  Seen seen_;
  Seen fresh_;  // of windows without jobs
  Seen empty_;  // see Empty()
  Taken last_;  // the last that got a number
  std::uint64_t numbers_ = 0;
};

}  // namespace fluxnetes::matcher
