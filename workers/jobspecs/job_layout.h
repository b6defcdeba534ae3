// A jobspec split at the node. Above the node stand levels of topology, below
// it what a slot has inside of its node, and a slot is one pod:
//
//   rack: 2 ─ node: 4 ─ socket: 2 ─ slot: 1 ─ core: 8
//   levels    node      within      slot      what a pod has
//
// Above the slot each resource is the only one of its list. Slots side by side
// are alternatives. The node may be missing: then the pods may be anywhere. It
// may be in the slot, alone: then each pod has a whole node.
//
// Pure.
// Tests: tests/workers/jobspecs/pod_jobspec_test.cc.
#pragma once

#include <string>
#include <vector>

#include "matcher/jobspec/jobspec.h"

namespace fluxnetes::workers {

// Indices of resources of the jobspec; -1: there is none.
struct JobLayout {
  struct Level {
    int resource = -1;
    std::string word;  // "rack", or the key of a label of nodes
  };
  std::vector<Level> levels;  // the outermost first
  int node = -1;
  bool node_in_slot = false;
  bool whole_nodes = false;  // the job has its nodes for itself
  std::vector<int> within;   // between node and slot, the outermost first
  std::vector<int> slots;    // alternatives, the first one preferred

  // The resources whose counts, multiplied, are the number of pods: those
  // above the slot, and the slot.
  std::vector<int> Counted(int slot) const;
};

// Throws matcher::JobspecError, with the place, if the jobspec is of a form
// that pods cannot have.
JobLayout LayOut(const matcher::Jobspec& jobspec);

// "resources[0].with[1]".
std::string PlaceOf(const matcher::Jobspec& jobspec, int resource);

// Throws JobspecError: "<place><member>: <wrong>".
[[noreturn]] void RefuseResource(const matcher::Jobspec& jobspec, int resource,
                                 const std::string& member,
                                 const std::string& wrong);

bool IsSlot(const matcher::JobResource& resource);
bool IsRanged(const matcher::Count& count);

}  // namespace fluxnetes::workers
