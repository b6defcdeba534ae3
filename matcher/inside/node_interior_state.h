// The internals of a NodeInterior.
// Tests: tests/matcher/inside/node_interior_test.cc,
// tests/matcher/inside/node_interior_random_test.cc.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "matcher/admission/kubelet_admission.h"
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
    KubeletDemand demand = {};
    bool admitted = false;  // by the kubelet
    PartsId seen = -1;      // where the kubelet has put it; -1: as planned
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
    // Whether it must be found again where tasks and others are.
    bool given_anew = false;
    std::unique_ptr<std::vector<GivenInside>> given;  // null: not known
    // What tasks had of it that have left since.
    std::vector<Hold> left;
  };
  // A NUMA domain, and what kubelets give of it.
  struct Domain {
    VertexIndex top = 0;
    VertexMask cpus;
    VertexMask gpus;
    VertexMask nics;
    const VertexMask& Of(std::string_view type) const {
      return type == "core" ? cpus : type == "gpu" ? gpus : nics;
    }
  };
  // The job of the hold of others on a node; it is not in `jobs`.
  static constexpr JobId kOthers = std::numeric_limits<JobId>::min();
  struct Structure {
    Structure(const ResourceGraph& graph, VertexIndex top, Policy policy)
        : structure(graph, top),
          states(structure, policy),
          domains(DomainsOf(structure)),
          numa(DomainsOf(structure, "numa")),
          sockets(DomainsOf(structure, "socket")),
          in_fewest(Left(VertexMask(structure.size())), false),
          in_one(Left(VertexMask(structure.size())), true) {}
    bool has_numa() const { return !domains.empty(); }
    // What is left of the domains beside these vertices.
    DomainAmounts Left(const VertexMask& taken) const;
    static std::vector<Domain> DomainsOf(const NodeStructure& structure);
    static std::vector<InsideDomain> DomainsOf(const NodeStructure& structure,
                                               std::string_view type);

    NodeStructure structure;
    InsideStates states;
    const std::vector<Domain> domains;  // by number
    const std::vector<InsideDomain> numa;
    const std::vector<InsideDomain> sockets;
    const KubeletAdmission in_fewest;
    const KubeletAdmission in_one;
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

  // Of the tasks that fit, so many that the kubelet admits all.
  int AdmittedOf(Node& node, Structure& structure, ShapeId shape, int fit,
                 const InsideWindow* window,
                 std::span<const TasksBeside> beside) const;
  // Whether the kubelet says what it has given away when the window begins.
  bool SaysWhatIsGiven(const Node& node, const InsideWindow& window) const;
  // `window` null: of the empty node.
  bool AdmitsAll(const Node& node, Structure& structure,
                 const InsideWindow* window,
                 std::vector<DemandedTasks> tasks) const;

  // Finds where tasks and others are by what is given, if that may have
  // changed.
  void LookAtGiven(Node& node, Time now);
  void Unlook(Node& node);
  // The task has left, but is still in what is given, if it ever was.
  void Leave(Node& node, Hold& hold);
  // It is back, as what is moved in the books: false if it had not left.
  bool ComeBack(Node& node, JobId job, PartsId held);
  void ForgetLeft(Node& node);
  void GiveParts(const Hold& hold) {
    parts.Give(hold.parts);
    if (hold.seen >= 0) parts.Give(hold.seen);
  }
  // Where it is. What was planned for it stays its own, too.
  const VertexMask& MaskOf(const Hold& hold) const {
    return parts[hold.seen >= 0 ? hold.seen : hold.parts].mask;
  }
  bool Meets(const Hold& hold, const VertexMask& mask) const {
    return parts[hold.parts].mask.Meets(mask) || MaskOf(hold).Meets(mask);
  }
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
  bool trusts_plans = false;
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
