#include "services/simulate/simulation_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "cluster/files/node_file.h"
#include "services/console/input_file.h"
#include "workers/simulation/trace_scenario.h"

namespace fluxnetes::services {
namespace {

std::optional<std::int64_t> WholeNumber(const std::string& text) {
  std::int64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last) return std::nullopt;
  return number;
}

void CheckCount(std::int64_t count, const std::string& right) {
  if (count >= 1 && count <= cluster::kMostNodes) return;
  throw NoNodes(fmt::format("{} nodes cannot be simulated, 1 to {} can", count,
                            cluster::kMostNodes),
                right);
}

// Returns the number of nodes that the trace's headers say.
std::int64_t CountOf(const cluster::SwfTrace& trace, std::int64_t cpus) {
  if (!trace.unclear_headers.empty())
    throw NoNodes(trace.unclear_headers.front());
  std::string why = "it is not said how many nodes there are";
  for (const std::string& fault : trace.faulty_headers) why += "; " + fault;
  if (!trace.max_processors && !trace.max_nodes) throw NoNodes(why);
  const std::int64_t count = trace.max_processors
                                 ? (*trace.max_processors + cpus - 1) / cpus
                                 : *trace.max_nodes;
  CheckCount(count, "--cpus-per-node, so that they are fewer, or --nodes");
  return count;
}

}  // namespace

Failure NoNodes(const std::string& why, const std::string& right) {
  return Failure(ExitCode::kUsage, why, "Right would be " + right + ".");
}

bool GivesNumber(const SimulateOptions& options) {
  return WholeNumber(options.nodes).has_value();
}

SimulatedNodes NodesFromFile(const SimulateOptions& options) {
  cluster::NodeFile file =
      cluster::ReadNodeFile(ReadInputFile(options.nodes), options.nodes);
  SimulatedNodes read;
  read.nodes = std::move(file.nodes);
  for (cluster::DeviceClass& each : file.classes)
    read.devices.classes.push_back(std::move(each.device_class));
  for (cluster::ResourceSlice& each : file.slices)
    read.devices.slices.push_back(std::move(each.slice));
  std::int64_t least = read.nodes.front().allocatable.cpu_milli;
  for (const cluster::Node& node : read.nodes)
    least = std::min(least, node.allocatable.cpu_milli);
  read.cpus =
      options.cpus_per_node.value_or(std::max<std::int64_t>(least / 1'000, 1));
  return read;
}

SimulatedNodes NodesOf(const SimulateOptions& options,
                       const cluster::SwfTrace& trace) {
  const auto given = WholeNumber(options.nodes);
  if (!options.nodes.empty() && !given) return NodesFromFile(options);
  SimulatedNodes made;
  if (options.cpus_per_node) {
    made.cpus = *options.cpus_per_node;
  } else if (trace.max_nodes && trace.max_processors) {
    made.cpus = std::max<std::int64_t>(
        (*trace.max_processors + *trace.max_nodes - 1) / *trace.max_nodes, 1);
  }
  if (given) CheckCount(*given, "--nodes with such a number, or with a file");
  made.nodes = workers::NodesOfCpus(given ? *given : CountOf(trace, made.cpus),
                                    made.cpus);
  return made;
}

void AddNodes(const std::string& text, std::vector<cluster::Node>& nodes,
              std::vector<matcher::DeviceSlice>* slices) {
  constexpr std::string_view kLike = ":like=";
  const std::size_t like = text.find(kLike);
  const auto count = WholeNumber(text.substr(0, like));
  if (like == std::string::npos || !count || *count < 1 ||
      *count + static_cast<std::int64_t>(nodes.size()) > cluster::kMostNodes)
    throw Failure(
        ExitCode::kUsage, fmt::format("--add-nodes: '{}' is not allowed", text),
        fmt::format("Right would be N:like=NODE, and {} nodes in all.",
                    cluster::kMostNodes));
  const std::string name = text.substr(like + kLike.size());
  const auto found = std::ranges::find(nodes, name, &cluster::Node::name);
  if (found == nodes.end())
    throw Failure(ExitCode::kNotFound,
                  fmt::format("--add-nodes: no node named \"{}\"", name),
                  "It must be one of the nodes that are simulated.");
  cluster::Node node = *found;
  node.unschedulable = false;
  node.ready = true;
  std::set<std::string> taken;
  for (const cluster::Node& each : nodes) taken.insert(each.name);
  std::vector<matcher::DeviceSlice> own;
  if (slices != nullptr)
    std::ranges::copy_if(
        *slices, std::back_inserter(own),
        [&](const auto& slice) { return slice.nodes.node == name; });
  for (std::int64_t left = *count, i = 1; left > 0; ++i) {
    node.name = fmt::format("{}-more{}", name, i);
    if (taken.contains(node.name)) continue;
    --left;
    node.labels["kubernetes.io/hostname"] = node.name;
    nodes.push_back(node);
    for (matcher::DeviceSlice slice : own) {
      slice.name += "-" + node.name;
      slice.pool += "-" + node.name;
      slice.nodes.node = node.name;
      slices->push_back(std::move(slice));
    }
  }
}

}  // namespace fluxnetes::services
