#include "cluster/structures/structure_sources.h"

#include <algorithm>
#include <utility>

#include "matcher/inside/short_structure.h"

namespace fluxnetes::cluster {

std::shared_ptr<const Node> StructureSources::Share(
    std::shared_ptr<const Node> node) {
  if (!node->structure.Any()) return node;
  auto shared = std::make_shared<Node>(*node);
  shared->structure = texts_.Read(*node->structure).text;
  return shared;
}

StructureSources::Source StructureSources::SourceOf(
    const Node& node, const NodeTopology* topology) const {
  if (topology != nullptr &&
      (!topology->zones.empty() || !topology->fault.empty())) {
    Source source{"NodeResourceTopology", "", topology->fault};
    if (!source.fault.empty()) return source;
    try {
      source.text = StructureOf(*topology);
    } catch (const matcher::StructureError& error) {
      source.fault = error.what();
    }
    return source;
  }
  if (node.structure.Any()) {
    return {"annotation " + std::string(kStructureAnnotation), *node.structure,
            ""};
  }
  const auto entry =
      std::ranges::find_if(by_label_, [&](const LabelledStructure& each) {
        const auto label = node.labels.find(each.label);
        return label != node.labels.end() && label->second == each.value;
      });
  if (entry == by_label_.end()) return {};
  return {entry->place, entry->text, ""};
}

std::shared_ptr<const Node> StructureSources::Combine(
    std::shared_ptr<const Node> node, const NodeTopology* topology) {
  Source source = SourceOf(*node, topology);
  if (source.name.empty() && topology == nullptr) {
    Warn(node->name, "");
    return node;
  }
  auto combined = std::make_shared<Node>(*node);
  combined->structure = {};
  if (topology != nullptr) {
    combined->topology_policy = topology->policy;
    std::vector<NumaZone> zones;
    for (const TopologyZone& zone : topology->zones) zones.push_back(zone.numa);
    combined->zones = std::move(zones);
  }
  std::string warning;
  if (!source.name.empty()) {
    if (source.fault.empty()) {
      const ReadText& read = texts_.Read(source.text);
      source.fault = read.fault;
      if (read.fault.empty()) {
        combined->structure = read.text;
        const std::string less =
            WhatDisagrees(read, node->allocatable, /*exactly=*/false);
        if (!less.empty()) warning = source.name + ": it shows " + less;
      }
    }
    if (!source.fault.empty()) warning = source.name + ": " + source.fault;
  }
  Warn(node->name, warning);
  return combined;
}

void StructureSources::Warn(const std::string& node,
                            const std::string& warning) {
  const auto told = told_.find(node);
  if (warning.empty()) {
    if (told != told_.end()) told_.erase(told);
    return;
  }
  if (told != told_.end() && told->second == warning) return;
  told_[node] = warning;
  warnings_.push_back("node " + node + ": " + warning);
}

std::vector<std::string> StructureSources::TakeWarnings() {
  return std::exchange(warnings_, {});
}

}  // namespace fluxnetes::cluster
