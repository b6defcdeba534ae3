// The internals of a NodeInterior.
// Tests: tests/matcher/inside/node_interior_test.cc,
// tests/matcher/inside/node_interior_random_test.cc.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "matcher/inside/inside_states.h"
#include "matcher/inside/node_interior.h"
#include "matcher/inside/node_structure.h"
#include "matcher/inside/part_sets.h"

namespace fluxnetes::matcher {

struct NodeInterior::State {
  struct Hold {
    JobId job = 0;
    std::int32_t task = 0;
    PartsId parts = 0;
    Time start = 0;
    Time end = 0;
  };
  // The state of a node in windows that the same tasks meet: those with
  // first_from <= from <= last_from and first_end <= end <= last_end.
  struct Seen {
    StateId state = -1;  // -1: none is known
    std::uint32_t epoch = 0;
    bool now = false;  // from is now
    Time first_from = 0;
    Time last_from = 0;
    Time first_end = 0;
    Time last_end = 0;
  };
  struct Node {
    StructureId structure = kNoStructure;
    TasksOfKubelet kubelet = TasksOfKubelet::kAny;
    std::vector<Hold> holds;
    Seen seen;
    // Whether what is kept for others must be computed again.
    bool given_anew = false;
    std::unique_ptr<std::vector<GivenInside>> given;  // null: nothing
  };
  // The job of the hold of others on a node; it is not in `jobs`.
  static constexpr JobId kOthers = std::numeric_limits<JobId>::min();
  struct Structure {
    Structure(const ResourceGraph& graph, VertexIndex top, Policy policy)
        : structure(graph, top),
          states(structure, policy),
          has_numa(structure.graph().type_names().Find("numa").has_value()) {}
    NodeStructure structure;
    InsideStates states;
    const bool has_numa;
    int nodes = 0;
    std::uint32_t epoch = 0;  // of the states
    const std::string* signature = nullptr;
  };
  struct Shape {
    InsideRequest request;
    int uses = 0;
    // Of a request by a kubelet: that of its first choice alone.
    ShapeId in_one_domain = kNoShape;
  };
  struct Place {
    std::int32_t task = 0;
    NodeIndex node = -1;
  };

  Node& NodeAt(NodeIndex node);
  const Shape& ShapeOf(ShapeId shape) const;
  // The shape that a task has on this node; kNoShape: it holds nothing there.
  ShapeId ShapeOn(const Node& node, ShapeId shape) const;
  Structure* Of(const Node& node) {
    return node.structure == kNoStructure ? nullptr
                                          : structures[node.structure].get();
  }
  const NodeStructure* StructureOf(StructureId id) const {
    return id == kNoStructure ? nullptr : &structures[id]->structure;
  }

  StructureId TakeStructure(const ResourceGraph& graph);
  void GiveStructure(StructureId id);
  void Restructure(Node& node, StructureId to);

  StateId StateIn(Node& node, Structure& structure, const InsideWindow& window);
  // Passes over the tasks beside, then counts; -1 if one of them does not fit.
  StateId After(const Node& node, Structure& structure, StateId state,
                std::span<const TasksBeside> beside) const;
  int Count(Structure& structure, StateId state, ShapeId shape,
            int limit) const;
  int FitIn(Node& node, ShapeId shape, int limit, const InsideWindow* window,
            std::span<const TasksBeside> beside);

  // Holds for others what is given and not held by tasks, if that may have
  // changed.
  void HoldForOthers(Node& node, Time now);
  void AddOthers(const Node& node, const GivenInside& given, Time now,
                 std::vector<VertexIndex>& others) const;
  static bool IsWithout(const InsideWindow& window, const Hold& hold);
  static bool IsOfTask(const Hold& hold) { return hold.job != kOthers; }

  void Hang(NodeIndex node, const Hold& hold);
  void Drop(NodeIndex node, JobId job, int task);
  const Hold* Find(JobId job, int task, NodeIndex* node = nullptr) const;

  InsideOptions options;
  std::vector<std::unique_ptr<Structure>> structures;  // null: unused
  std::unordered_map<std::string, StructureId> by_signature;
  int structures_in_use = 0;
  int kubelets = 0;  // nodes whose kubelets place tasks by domains
  PartSets parts;
  std::vector<Node> nodes;
  std::unordered_map<JobId, std::vector<Place>> jobs;  // in order of task
  std::unordered_map<ShapeId, Shape> shapes;
  std::unordered_multimap<std::size_t, ShapeId> shape_index;
  ShapeId next_shape = 0;
  std::uint32_t next_epoch = 0;
  std::int64_t former_searches = 0;  // of structures that are gone
  VertexMask taken;                  // scratch of StateIn()
};

}  // namespace fluxnetes::matcher
