// Why a request has no devices: how many devices of a node pass each of its
// conditions, in words.
//
// Tests: tests/matcher/node_devices/node_devices_explain_test.cc.
#pragma once

#include <string>
#include <vector>

#include "matcher/devices/device_question.h"

namespace fluxnetes::matcher {

// The conditions of a choice, and how many devices pass it and those before.
struct ChoiceCounts {
  std::string class_fault;  // the class cannot be used, and why; empty: it can
  int of_class = 0;
  int selected = 0;
  int within = 0;        // they are in the NUMA domain that is asked for
  int large_enough = 0;  // they have the capacities that it asks for
  int tolerated = 0;
  int free = 0;
  // "in NUMA domain 0": where they are to be; empty: anywhere.
  std::string domain;
  std::string selector_fault;       // a selector cannot be evaluated, and why
  std::string pool_fault;           // a request for all: a pool cannot be used
  std::vector<std::string> taints;  // that are not tolerated
};

// "8 devices of class gpu.example.com, 3 match its selectors, none is free; it
// needs 2".
std::string Describe(const DeviceChoice& choice, const ChoiceCounts& counts);

}  // namespace fluxnetes::matcher
