// The nodes of a simulation: a number of them that are alike, those of a file,
// those that the headers of a trace say, and more that are like one of them.
// Tests: tests/services/simulate/simulate_test.cc,
// tests/services/simulate/simulate_trace_test.cc.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "cluster/objects/node.h"
#include "cluster/traces/swf_trace.h"
#include "services/console/exit_code.h"
#include "services/grammar/options.h"
#include "workers/decision/device_news.h"
#include "workers/pods/topology_labels.h"
#include "workers/simulation/scenario.h"

namespace fluxnetes::services {

struct SimulatedNodes {
  std::vector<cluster::Node> nodes;
  workers::DeviceNews devices = {};
  std::int64_t cpus = 1;  // the largest request of a pod
};

// The failure of nodes that are missing or cannot be used.
Failure NoNodes(
    const std::string& why,
    const std::string& right = "--nodes with their number or a file of them");

// Returns true if --nodes has a number.
bool GivesNumber(const SimulateOptions& options);

// Returns the nodes of the file of --nodes.
SimulatedNodes NodesFromFile(const SimulateOptions& options);

// Returns the nodes of --nodes, else those in the trace's headers. Throws
// Failure and cluster::InputError.
SimulatedNodes NodesOf(const SimulateOptions& options,
                       const cluster::SwfTrace& trace);

// Nodes that --add-nodes gives.
struct AddedNodes {
  std::string text;                // as given: "10:like=NODE,rack=r7"
  std::string like;                // the model node
  cluster::LabelMap labels;        // of each of them, their names aside
  std::set<std::string> relabels;  // the keys that the text names
};

// Parses "10:like=NODE,KEY=VALUE,...": adds so many copies, named after it,
// with numbers that follow the existing ones. A KEY is a level of topology,
// also one of `levels`, or the key of a label; no VALUE: without the label.
// Those slices of devices that are of this node alone are copied, too, each
// into a pool of its own.
AddedNodes AddNodes(const std::string& text, std::vector<cluster::Node>& nodes,
                    const workers::TopologyOrder& levels = {},
                    std::vector<matcher::DeviceSlice>* slices = nullptr);

// The keys of the levels of topology that groups of the scenario ask for.
std::set<std::string> LevelsAskedFor(const workers::Scenario& scenario);

// Where the added nodes are in such levels of which the text says nothing, for
// people.
std::vector<std::string> NotesOnLevels(const AddedNodes& added,
                                       const std::set<std::string>& asked);

}  // namespace fluxnetes::services
