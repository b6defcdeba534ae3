#include "services/simulate/simulation_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "cluster/files/field_check.h"
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

constexpr auto kHostKey = "kubernetes.io/hostname";

Failure WrongAddNodes(const std::string& text, const std::string& why) {
  return Failure(
      ExitCode::kUsage,
      fmt::format("--add-nodes: '{}' is not allowed{}", text, why),
      fmt::format("Right would be N:like=NODE, and {} nodes in all; behind "
                  "NODE, ,rack=NAME or another label.",
                  cluster::kMostNodes));
}

// Changes the labels as "rack=r7" says.
void Relabel(const std::string& part, const workers::TopologyOrder& levels,
             AddedNodes& added) {
  const std::size_t sign = part.find('=');
  if (sign == std::string::npos || sign == 0)
    throw WrongAddNodes(added.text, fmt::format(": '{}' is no label", part));
  const std::string key = workers::KeyOfLevel(part.substr(0, sign), levels);
  const std::string value = part.substr(sign + 1);
  if (key == kHostKey)
    throw WrongAddNodes(added.text, ": each node is a host of its own");
  if (!cluster::IsQualifiedName(key) || !cluster::IsLabelValue(value))
    throw WrongAddNodes(added.text, fmt::format(": '{}' is no label", part));
  if (!added.relabels.insert(key).second)
    throw WrongAddNodes(added.text, fmt::format(": {} is there twice", key));
  added.labels.erase(key);
  if (!value.empty()) added.labels[key] = value;
}

// Returns how many nodes to add, and which.
std::pair<std::int64_t, AddedNodes> ReadAddNodes(
    const std::string& text, const std::vector<cluster::Node>& nodes,
    const workers::TopologyOrder& levels) {
  constexpr std::string_view kLike = ":like=";
  const std::size_t like = text.find(kLike);
  const auto count = WholeNumber(text.substr(0, like));
  if (like == std::string::npos || !count || *count < 1 ||
      *count + static_cast<std::int64_t>(nodes.size()) > cluster::kMostNodes)
    throw WrongAddNodes(text, "");
  AddedNodes added;
  added.text = text;
  std::istringstream parts(text.substr(like + kLike.size()));
  std::getline(parts, added.like, ',');
  const auto found = std::ranges::find(nodes, added.like, &cluster::Node::name);
  if (found == nodes.end())
    throw Failure(ExitCode::kNotFound,
                  fmt::format("--add-nodes: no node named \"{}\"", added.like),
                  "It must be one of the nodes that are simulated.");
  added.labels = found->labels;
  for (std::string part; std::getline(parts, part, ',');)
    Relabel(part, levels, added);
  return {*count, std::move(added)};
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

AddedNodes AddNodes(const std::string& text, std::vector<cluster::Node>& nodes,
                    const workers::TopologyOrder& levels,
                    std::vector<matcher::DeviceSlice>* slices) {
  const auto [count, added] = ReadAddNodes(text, nodes, levels);
  const std::string& name = added.like;
  cluster::Node node = *std::ranges::find(nodes, name, &cluster::Node::name);
  node.unschedulable = false;
  node.ready = true;
  node.labels = added.labels;
  std::set<std::string> taken;
  for (const cluster::Node& each : nodes) taken.insert(each.name);
  std::vector<matcher::DeviceSlice> own;
  if (slices != nullptr)
    std::ranges::copy_if(
        *slices, std::back_inserter(own),
        [&](const auto& slice) { return slice.nodes.node == name; });
  for (std::int64_t left = count, i = 1; left > 0; ++i) {
    node.name = fmt::format("{}-more{}", name, i);
    if (taken.contains(node.name)) continue;
    --left;
    node.labels[kHostKey] = node.name;
    nodes.push_back(node);
    for (matcher::DeviceSlice slice : own) {
      slice.name += "-" + node.name;
      slice.pool += "-" + node.name;
      slice.nodes.node = node.name;
      slices->push_back(std::move(slice));
    }
  }
  return added;
}

std::set<std::string> LevelsAskedFor(const workers::Scenario& scenario) {
  std::set<std::string> keys;
  for (const workers::Scenario::Request& each : scenario.requests) {
    const cluster::GroupTopology& topology = each.request.rules->topology;
    keys.insert({topology.required, topology.preferred});
    for (const auto* parts :
         {&topology.required_parts, &topology.preferred_parts})
      for (const cluster::TopologyLevel& part : *parts) keys.insert(part.key);
  }
  keys.erase("");
  return keys;
}

std::vector<std::string> NotesOnLevels(const AddedNodes& added,
                                       const std::set<std::string>& asked) {
  std::vector<std::string> notes;
  for (const std::string& key : asked) {
    if (key == kHostKey || added.relabels.contains(key)) continue;
    const std::string word(workers::WordOf(key));
    const auto value = added.labels.find(key);
    notes.push_back(fmt::format(
        "--add-nodes {}: like {} the nodes have {}; {},{}=NAME puts them "
        "elsewhere",
        added.text, added.like,
        value == added.labels.end()
            ? "no " + workers::DomainCalled(key)
            : fmt::format("{} \"{}\"", workers::DomainCalled(key),
                          value->second),
        added.text, workers::KeyOfLevel(word, {}) == key ? word : key));
  }
  return notes;
}

}  // namespace fluxnetes::services
