// Says for each node where its structure comes from. The first of these that
// there is counts:
//
//   1. its NodeResourceTopology, if that has zones of type Node
//   2. its annotation fluxnetes.structure
//   3. the first entry of the file of structures whose label the node has
//
// If that one cannot be used, the node has no structure, and there is a
// warning. One that shows less than the node offers is used, with a warning.
//
// Not thread-safe.
// Tests: tests/cluster/structures/structure_sources_test.cc.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/objects/node.h"
#include "cluster/structures/node_topology.h"
#include "cluster/structures/structure_texts.h"

namespace fluxnetes::cluster {

inline constexpr const char* kStructureAnnotation = "fluxnetes.structure";

// An entry of the file of structures (structure_file.h).
struct LabelledStructure {
  std::string label;
  std::string value;
  std::string text;  // can be used
  std::string place;
};

class StructureSources {
 public:
  explicit StructureSources(std::vector<LabelledStructure> by_label = {})
      : by_label_(std::move(by_label)) {}

  // Returns a node whose own text is the shared one.
  std::shared_ptr<const Node> Share(std::shared_ptr<const Node> node);
  // Returns the node with the structure that counts. `node` has that of its
  // annotation; `topology` may be null.
  std::shared_ptr<const Node> Combine(std::shared_ptr<const Node> node,
                                      const NodeTopology* topology);
  void Forget(const std::string& node) { told_.erase(node); }

  // Returns the warnings since the last call, each of which names its node:
  // one when it arises or changes.
  std::vector<std::string> TakeWarnings();

 private:
  struct Source {
    std::string name;
    std::string text;
    std::string fault;
  };

  Source SourceOf(const Node& node, const NodeTopology* topology) const;
  void Warn(const std::string& node, const std::string& warning);

  const std::vector<LabelledStructure> by_label_;
  StructureTexts texts_;
  std::unordered_map<std::string, std::string> told_;  // by node
  std::vector<std::string> warnings_;
};

}  // namespace fluxnetes::cluster
