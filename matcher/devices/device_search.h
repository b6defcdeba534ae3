// Finds devices for the requests of a task in one state of a layout. The rules,
// and the order in which devices are tried, are those of Kubernetes' allocator
// of structured parameters, so where that one finds devices, this one does, and
// the same ones:
//
//  - claims, requests and devices are tried in order, and alternatives
//    (firstAvailable) one after the other; the first whole solution counts;
//  - a request for all devices takes all that match, and fails if one is taken,
//    or if a pool of the node is incomplete or contradicts itself;
//  - a selector that cannot be evaluated for a device ends the search where it
//    comes to that device, without a solution;
//  - a claim has at most 32 devices.
//
// It differs in these. A request for all whose devices break a constraint does
// not fit, where Kubernetes ends the search. Each device of a distinct
// constraint has a value of its own, where Kubernetes compares with the last
// device of each other request. Pools of which the node can use no device do
// not count. A search that takes too many steps is given up.
//
// Tests: tests/matcher/node_devices/device_rules_test.cc,
// tests/matcher/node_devices/allocator_cases_test.cc.
#pragma once

#include <optional>
#include <vector>

#include "matcher/devices/device_layout.h"
#include "matcher/devices/device_question.h"

namespace fluxnetes::matcher {

// A device for a request.
struct DevicePick {
  int position = 0;
  int request = 0;  // of the question
  int choice = 0;
  int claim = 0;  // of the task
  int request_of_claim = 0;
};

struct DeviceFind {
  bool found = false;
  std::vector<DevicePick> picks = {};
  DeviceWords next = {};  // the state after it
  // Why there is none.
  bool given_up = false;
  int bad_position = kNone;  // a device that a selector cannot be evaluated for
  int bad_request = kNone;
  int bad_choice = kNone;
};

// Devices that are tried.
inline constexpr int kMostSearchSteps = 100'000;

DeviceFind FindDevices(const DeviceKinds& kinds, const DeviceLayout& layout,
                       const DeviceQuestion& question,
                       const DeviceWords& state);

// What each capacity of the device, in order of name, gives the request;
// nothing: the device cannot serve it even if it is free.
std::optional<std::vector<Int128>> AmountsOfPick(const DeviceKinds& kinds,
                                                 KindId kind,
                                                 const DeviceChoice& wanted);

}  // namespace fluxnetes::matcher
